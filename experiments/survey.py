"""Surveys (section 5.2.2): the terror-warning set-up on a file of the user's, or on those here.

The paper's figures for START (2.50, 2.20, 3.07, 2.11) are bits, not perplexities: its columns
have five or six levels, uniform perplexity 5 to 6, and log2 of that is 2.3 to 2.6.
"""

import matplotlib.pyplot as plt
import numpy as np

from clgp.baselines import fit_multinomial, fit_uniform
from clgp.variational.predict import row_probabilities
from clgp.variational.scheme import BETTER, PAPER
from experiments.common import FIGURES, Task, compiled, fitted, main, one_cell, read_codes, scored

TRAIN, TEST, Q, M, T, ITERATIONS = 1000, 282, 6, 100, 5, 1000
TABLES = ("bfi", "election2000", "gss2016")


def run(given):
    paths = [given.file] if given.file else [given.data / f"{name}.csv" for name in TABLES]
    scores = []
    for path in paths:
        if path.exists():
            scores += one_table(path, given.smoke)
        else:
            print(f"Skipped: {path} is not there.")
    if scores:
        draw(scores)
    return scores


def one_table(path, smoke):
    codes, levels, _ = read_codes(path)
    key = np.random.default_rng(0)
    n, n_test, m, iterations = (60, 20, 10, 10) if smoke else (TRAIN, TEST, M, ITERATIONS)
    rows = codes[key.permutation(len(codes))[: n + n_test]]
    test = rows[n:]
    task = Task(levels, rows[:n], test, one_cell(len(test), levels.D, key))
    scores = []
    for name, baseline in (("uniform", fit_uniform), ("multinomial", fit_multinomial)):
        model = baseline(task.train, np.ones(n), levels)
        with np.errstate(divide="ignore"):
            nats = task.score(model.probabilities(task.asked))
        scores.append(scored(f"{path.stem} {name}", 1, 0, nats))
    for name in ("LGM", "CLGP"):
        key = np.random.default_rng(1)
        scheme = PAPER.sized(M=m, T=T, iterations=iterations)
        found = fitted(name, task, scheme, key, Q=Q)
        P = row_probabilities(found, key)
        scores.append(scored(f"{path.stem} {name}", 1, 0, task.score(P[n:])))
        scores.append(scored(f"{path.stem} {name}, train", 1, 0, task.train_score(P[:n])))
    key = np.random.default_rng(1)
    scheme = BETTER.sized(M=m, T=4, iterations=iterations)
    mixture = compiled(fitted("CLGP", task, scheme, key, Q=Q, own=False), task, key)
    nats = task.score(mixture.probabilities(task.asked))
    scores.append(scored(f"{path.stem} CLGP better", 1, 0, nats))
    return scores


def draw(scores):
    """Bits of every model on every table."""
    figure, axis = plt.subplots(figsize=(9, 4.5), layout="constrained")
    names = [row["model"] for row in scores]
    bits = [row["bits"] for row in scores]
    axis.barh(names, bits, color="seagreen")
    for at, value in enumerate(bits):
        axis.text(value, at, f" {value:.2f}", va="center", fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel("bits a cell")
    figure.savefig(FIGURES / "survey.png", dpi=110)


if __name__ == "__main__":
    main("survey", run)
