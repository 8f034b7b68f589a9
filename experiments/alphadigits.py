"""Binary Alphadigits at 10 × 8 (section 5.2.3): examples, curves, latent maps.

The images of `0` and of `O` are the same 39 images, so nothing can tell those two classes apart.
"""

import matplotlib.pyplot as plt
import numpy as np

from clgp.levels import Levels
from clgp.variational.fitted import Fitted
from clgp.variational.predict import row_probabilities
from clgp.variational.scheme import PAPER
from experiments.common import FIGURES, Task, fitted, main, scored

SHAPE, TRAIN, SHARE, ITERATIONS, M, T = (10, 8), 30, 0.2, 1000, 20, 20


def load(path):
    """Images at 10 × 8 and their classes."""
    with np.load(path) as file:
        X, label = file["X"].reshape(-1, 10, 2, 8, 2), file["label"]
    return (X.sum((2, 4)) >= 2).astype(int).reshape(len(X), -1), label


def prepared(given):
    """The task with classes of the training rows, or None with a word about what is missing."""
    path = given.data / "alphadigits.npz"
    if not path.exists():
        print(f"Skipped: {path} is not there; name its folder with --data.")
        return None
    X, label = load(path)
    key = np.random.default_rng(0)
    train, test = [], []
    for name in np.unique(label)[: 4 if given.smoke else None]:
        order = key.permutation(np.flatnonzero(label == name))
        train += order[:TRAIN].tolist()
        test += order[TRAIN:].tolist()
    hidden = key.random((len(test), X.shape[1])) < SHARE
    return Task(Levels((2,) * X.shape[1]), X[train], X[test], hidden), label[train]


def run(given):
    found = prepared(given)
    if found is None:
        return []
    task, label = found
    iterations, T_ = (20, 2) if given.smoke else (ITERATIONS, T)
    scheme = PAPER.sized(M=M, T=T_, iterations=iterations)
    curves, scores, last = {}, [], {}
    for name in ("LGM", "CLGP"):
        curves[name] = []
        last[name] = fitted(
            name, task, scheme, np.random.default_rng(0), watch=watcher(name, task, scheme, curves)
        )
        scores.append(scored(name, 1, 0, curves[name][-1][2]))
        scores.append(scored(f"{name}, train", 1, 0, curves[name][-1][1]))
    draw_examples(task, label)
    draw_curves(curves, "alphadigits_curves.png")
    draw_maps(last, task, label)
    return scores


def watcher(name, task, scheme, curves, *, every=25, model=None):
    """Notes the losses on training and test cells now and then."""
    from clgp.model.family import build

    model = model or build(name, task.levels.cards, Q=2)

    def watch(done, params):
        if done % every and done != scheme.iterations:
            return
        P = row_probabilities(Fitted(model, scheme, params, None), np.random.default_rng(0))
        n = len(task.train)
        curves[name].append((done, task.train_score(P[:n]), task.score(P[n:])))

    return watch


def draw_examples(task, label):
    figure, axes = plt.subplots(4, 9, figsize=(6, 3.4), layout="constrained")
    for axis, name in zip(axes.flat, np.unique(label), strict=False):
        axis.imshow(1 - task.train[label == name][0].reshape(SHAPE), cmap="gray", vmin=0, vmax=1)
    for axis in axes.flat:
        axis.axis("off")
    figure.savefig(FIGURES / "alphadigits_examples.png", dpi=110)


def draw_curves(curves, file):
    """Log perplexity of training and test cells by iteration, a panel a model."""
    n = len(curves)
    figure, axes = plt.subplots(1, n, figsize=(4 * n, 3.4), layout="constrained", squeeze=False)
    for axis, (name, points) in zip(axes[0], curves.items(), strict=True):
        done, train, test = np.array(points).T
        axis.plot(done, train, label="training cells", color="tab:blue")
        axis.plot(done, test, label="hidden test cells", color="tab:red")
        axis.set(title=name, xlabel="iteration")
    axes[0, 0].set_ylabel("log perplexity (nats)")
    axes[0, 0].legend()
    figure.savefig(FIGURES / file, dpi=110)


def draw_maps(last, task, label):
    """The training rows' m_n, a colour and a letter a class."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained")
    classes, code = np.unique(label, return_inverse=True)
    for axis, (name, found) in zip(axes, last.items(), strict=True):
        m = found.params.rows.m[: len(task.train)]
        for (x, y), k in zip(m, code, strict=True):
            axis.text(x, y, classes[k], color=plt.cm.hsv(k / len(classes)), fontsize=7)
        low, high = m.min(0) - 0.1, m.max(0) + 0.1
        axis.set(title=name, xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    figure.savefig(FIGURES / "alphadigits_maps.png", dpi=110)


if __name__ == "__main__":
    main("alphadigits", run)
