"""Where a fit begins, and where its points go later.

Rows are placed by correspondence analysis of the one-hot table; each is spread over the support
points near it, and the counts that follow feed the first M-steps. In mid-fit, points that carry
little mass are drawn anew beside those that carry much.
"""

from typing import Final

import numpy as np

from clgp.quadrature.columns import Problem
from clgp.quadrature.expect import LEAST, Counts, accumulate
from clgp.quadrature.points import ndtri
from clgp.typing import Float, Int

NOISE: Final = 0.5  # of the whitened scores
NEAR: Final = 0.3  # bandwidth of the first spread, times √Q above two dimensions
ROUNDS: Final = 6  # of subspace iteration
POOR: Final = 0.4  # share of the average mass below which a point is drawn anew
WIDTH: Final = 0.4  # of the noise around the point that it is drawn beside


def correspondence(problem: Problem, Q: int, key: np.random.Generator) -> Float[np.ndarray, "N Q"]:
    """Row scores: leading left singular vectors of the standardised residuals of the table."""
    Y = problem.levels.one_hot(problem.codes, np.float32)
    w = problem.weights.astype(np.float32)[:, None]
    rows = np.maximum(Y.sum(1, keepdims=True), 1)
    share = (w * Y).sum(0) / max(float((w * rows).sum()), 1.0)
    scale = np.where(share > 0, 1 / np.sqrt(np.where(share > 0, share, 1)), 0)
    root = np.sqrt(w / rows)

    def right(V: np.ndarray) -> np.ndarray:
        V = scale[:, None] * V
        return root * (Y @ V - rows * (share @ V))

    def left(U: np.ndarray) -> np.ndarray:
        U = root * U
        return scale[:, None] * (Y.T @ U - share[:, None] * (rows * U).sum(0))

    V = key.standard_normal((Y.shape[1], Q + 6)).astype(np.float32)
    for _ in range(ROUNDS):
        V = np.linalg.qr(left(right(V)))[0]
    U, sizes, _ = np.linalg.svd(right(V), full_matrices=False)
    U = np.pad(U, ((0, 0), (0, max(0, Q - U.shape[1]))))
    sizes = np.pad(sizes, (0, max(0, Q - len(sizes))))
    real = sizes[:Q] > 1e-4 * max(float(sizes[0]), 1e-30)
    return (U[:, :Q] * real / np.sqrt(np.maximum(w, 1e-12))).astype(float)


def normal_scores(
    scores: Float[np.ndarray, "N Q"], weights: Float[np.ndarray, " N"]
) -> Float[np.ndarray, "N Q"]:
    """Each column of scores by its weighted ranks, through the normal quantile."""
    out = np.empty(scores.shape)
    for q, column in enumerate(scores.T):
        order = np.argsort(column, kind="stable")
        below = np.cumsum(weights[order])
        out[order, q] = ndtri((below - weights[order] / 2) / below[-1])
    return out


def place_rows(problem: Problem, Q: int, key: np.random.Generator) -> Float[np.ndarray, "N Q"]:
    """First places of the rows: whitened scores with noise, turned at random, made normal."""
    scores = correspondence(problem, Q, key)
    w = problem.weights / problem.total
    scores = scores - w @ scores
    spread = np.sqrt(w @ scores**2)
    scores = scores / np.where(spread > 0, spread, 1.0)
    scores = scores + NOISE * key.standard_normal(scores.shape)
    turn = np.linalg.qr(key.standard_normal((Q, Q)))[0]
    return normal_scores(scores @ turn, problem.weights)


def first_counts(
    problem: Problem, X: Float[np.ndarray, "S Q"], places: Float[np.ndarray, "N Q"]
) -> Counts:
    """Expected counts when each row is spread over the points near its first place."""
    width = NEAR * np.sqrt(max(1.0, X.shape[1] / 2))

    def assign(some: slice, _: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = places[some]
        apart = (z**2).sum(1)[:, None] + (X**2).sum(1) - 2 * z @ X.T
        ell = (apart.min(1, keepdims=True) - apart) / (2 * width**2)
        R = np.exp(np.maximum(ell, LEAST))
        R *= (weight / R.sum(1))[:, None]
        return R.astype(np.float32), np.zeros(len(z))

    return accumulate(problem, len(X), assign)


def draw_anew(
    X: Float[np.ndarray, "S Q"],
    log_w: Float[np.ndarray, " S"],
    counts: Counts,
    key: np.random.Generator,
) -> tuple[Float[np.ndarray, "S Q"], Float[np.ndarray, " S"], Counts]:
    """Points with little mass move beside rich ones and take an equal share of what these have."""
    mass, S = counts.mass, len(X)
    average = mass.sum() / S
    poor = np.flatnonzero(mass < POOR * average)
    excess = np.maximum(mass - average, 0.0)
    if not len(poor) or excess.sum() <= 0:
        return X, log_w, counts
    rich: Int[np.ndarray, " P"] = key.choice(S, len(poor), p=excess / excess.sum())
    X, source = X.copy(), np.arange(S)
    X[poor] = X[rich] + WIDTH * key.standard_normal((len(poor), X.shape[1]))
    source[poor] = rich
    share = 1.0 / np.bincount(source, minlength=S)[source]
    w = np.exp(log_w)[source] * share
    C, mass = counts.C[:, source] * share, mass[source] * share
    return X, np.log(w / w.sum()), Counts(C, mass, counts.evidence)
