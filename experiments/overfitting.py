"""Over-fitting (section 5.3): losses by iteration of LGM with and without KL(u), and of CLGP."""

import numpy as np

from clgp.model.family import build
from clgp.variational.fit import fit
from clgp.variational.scheme import PAPER
from experiments.alphadigits import draw_curves, watcher
from experiments.common import main, scored, split, wisconsin

ITERATIONS, M, T = 500, 20, 20


def run(given):
    codes, levels = wisconsin()
    iterations, T_, rows = (20, 2, 120) if given.smoke else (ITERATIONS, T, len(codes))
    task = split(codes[:rows], levels, 0.75, np.random.default_rng(100))
    scheme = PAPER.sized(M=M, T=T_, iterations=iterations)
    lgm = build("LGM", levels.cards, Q=2)
    models = {
        "LGM": lgm,
        "LGM with KL(u)": lgm.with_posterior("gaussian"),
        "CLGP": build("CLGP", levels.cards, Q=2),
    }
    curves, scores = {name: [] for name in models}, []
    for name, model in models.items():
        watch = watcher(name, task, scheme, curves, every=10, model=model)
        fit(model, task.seen, scheme=scheme, key=np.random.default_rng(0), watch=watch)
        test = [point[2] for point in curves[name]]
        scores.append(scored(f"{name}, at its best", 1, 0, min(test)))
        scores.append(scored(f"{name}, at the end", 1, 0, test[-1]))
        scores.append(scored(f"{name}, train at the end", 1, 0, curves[name][-1][1]))
    draw_curves(curves, "overfitting.png")
    return scores


if __name__ == "__main__":
    main("overfitting", run)
