"""XOR (section 5.1.1): can a model hold four modes? Table, latent densities, histogram."""

from dataclasses import replace
from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from clgp.levels import Levels
from clgp.variational.predict import point_probabilities
from clgp.variational.scheme import BETTER, PAPER
from experiments.common import FIGURES, Task, by_rows, compiled, fitted, main, scored

ROWS = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
COPIES, REPEATS, ITERATIONS, M, T = 25, 3, 500, 20, 20
PUBLISHED = {"LGM": 75.785, "CLGP": 1.027, "CLGP better": None}


def run(given):
    repeats, iterations = (1, 50) if given.smoke else (REPEATS, ITERATIONS)
    hidden = np.tile([False, False, True], (4, 1))
    task = Task(Levels((2, 2, 2)), np.repeat(ROWS, COPIES, axis=0), ROWS, hidden)
    schemes = {
        "LGM": PAPER.sized(M=M, T=T, iterations=iterations),
        "CLGP": PAPER.sized(M=M, T=T, iterations=iterations),
        "CLGP better": replace(BETTER.sized(M=M, T=8, iterations=iterations), restarts=4),
    }
    scores, last = [], {}
    for repeat, (name, scheme) in product(range(repeats), schemes.items()):
        key = np.random.default_rng(repeat)
        found = fitted(name.split()[0], task, scheme, key)
        if name.endswith("better"):
            P = compiled(found, task, key).probabilities(task.asked)
        else:
            P = by_rows(found, task, key)
        scores.append(scored(name, 1, repeat, task.score(P), PUBLISHED[name]))
        last[name] = found
    draw_densities(last)
    draw_histogram(last)
    return scores


def draw_densities(last):
    """p(y_d = 1 | x) with training rows, test rows and inducing points."""
    grid = np.linspace(-3, 3, 48)
    X = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2).astype(np.float32)
    figure, axes = plt.subplots(
        2, 3, figsize=(9, 6), layout="constrained", sharex=True, sharey=True
    )
    for row, name in zip(axes, ("LGM", "CLGP"), strict=True):
        found = last[name]
        P = point_probabilities(found, X, np.random.default_rng(0))
        m, Z = found.params.rows.m, found.params.shared.Z
        for d, axis in enumerate(row):
            image = P[:, 2 * d + 1].reshape(48, 48)
            shade = axis.imshow(
                image, origin="lower", extent=(-3, 3, -3, 3), cmap="Greens", vmin=0, vmax=1
            )
            axis.scatter(*m[:-4].T, s=9, color="tab:blue", label="training rows")
            axis.scatter(*Z.T, s=9, color="tab:red", label="inducing points")
            axis.scatter(*m[-4:].T, s=30, color="gold", edgecolor="black", label="test rows")
            axis.set(title=f"{name}: p(y_{d + 1} = 1 | x)", xlim=(-3, 3), ylim=(-3, 3))
    axes[0, 0].legend(fontsize=7)
    figure.colorbar(shade, ax=axes, shrink=0.6)
    figure.savefig(FIGURES / "xor_densities.png", dpi=110)


def draw_histogram(last):
    """The 8 values under the rows' q(x), against the data."""
    cells = np.array(list(product([0, 1], repeat=3)))
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.6), layout="constrained", sharey=True)
    for axis, name in zip(axes, ("LGM", "CLGP", "truth"), strict=True):
        share = np.array([(cell == ROWS).all(1).mean() for cell in cells])
        if name != "truth":
            found, key = last[name], np.random.default_rng(0)
            rows = found.params.rows
            X = rows.m + np.exp(rows.log_s) * key.standard_normal(rows.m.shape)
            P = point_probabilities(found, X.astype(np.float32), key).reshape(len(X), 3, 2)
            share = np.array([P[:, [0, 1, 2], cell].prod(1).mean() for cell in cells])
        axis.bar(range(8), share, color="seagreen")
        axis.set(title=name, xticks=range(8), xticklabels=["".join(map(str, c)) for c in cells])
        axis.tick_params(axis="x", labelrotation=60)
    axes[0].set_ylabel("probability")
    figure.savefig(FIGURES / "xor_histogram.png", dpi=110)


if __name__ == "__main__":
    main("xor", run)
