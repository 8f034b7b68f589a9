"""ARD: how many latent dimensions survive, for Q from 1 to 8, on Wisconsin.

A dimension counts while the rows spread over at least a tenth of its shortest length scale.
"""

import matplotlib.pyplot as plt
import numpy as np

from clgp.model.parameters import bind
from clgp.variational.scheme import BETTER
from experiments.common import FIGURES, compiled, fitted, main, scored, split, wisconsin

ITERATIONS, M, T = 300, 30, 4


def run(given):
    codes, levels = wisconsin()
    sizes, iterations, rows = ((2,), 20, 150) if given.smoke else (range(1, 9), ITERATIONS, 683)
    task = split(codes[:rows], levels, 0.75, np.random.default_rng(100))
    scores, relevances = [], {}
    for Q in sizes:
        key = np.random.default_rng(0)
        scheme = BETTER.sized(M=M, T=T, iterations=iterations)
        last = fitted("CLGP", task, scheme, key, Q=Q, own=False)
        kernel = bind(last.model.kernel(Q), last.params.shared.kernel[0])
        relevances[Q] = np.sort(last.params.rows.m.std(0) / kernel.lengths)[::-1]
        nats = task.score(compiled(last, task, key).probabilities(task.asked))
        alive = int((relevances[Q] > 0.1).sum())
        scores.append({**scored(f"Q = {Q}, {alive} alive", 1, 0, nats), "alive": alive})
    figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for Q, relevance in relevances.items():
        axis.plot(range(1, Q + 1), relevance, "o-", label=f"Q = {Q}")
    axis.axhline(0.1, color="grey", linestyle=":")
    axis.set(yscale="log", xlabel="latent dimension, sorted", ylabel="spread of m / length")
    axis.legend(ncols=2, fontsize=8)
    figure.savefig(FIGURES / "ard.png", dpi=110)
    return scores


if __name__ == "__main__":
    main("ard", run)
