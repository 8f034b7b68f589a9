"""Expectations under q(U) at the support points, and the E-step over the rows.

`moments` gives g_sdk = E_q[log softmax_k f_d(x_s)] with what its derivatives need: by the same
few quasi-random draws at every point and pass, so that the bound is a plain function of q(U);
by Gauss–Hermite nodes for two-level columns. `e_step` spreads the rows over the points.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from clgp.quadrature.columns import Block, Columns, Problem
from clgp.typing import Array, Float

CHUNK: Final = 1 << 18  # numbers held per step of a loop: about a second-level cache
ROWS: Final = 1 << 21  # responsibilities held at once
LEAST: Final = -60.0  # of a log responsibility: below −87 products slow down a hundredfold
WIDEST: Final = 25.0  # standard deviation of f up to which float32 exponentials stay finite


@dataclass(frozen=True)
class Draws:
    """Standard normal draws of a column's functions, and nodes for a single function."""

    eps: Float[np.ndarray, "T K"]
    nodes: Float[np.ndarray, " H"]
    node_weights: Float[np.ndarray, " H"]


@dataclass(frozen=True)
class Moments:
    """Expectations at the points for G columns: of log softmax and of its derivatives.

    With C the expected counts and C• their sum over levels, the data term Σ C∘g has the gradient
    C − C• p in the means of f, −C• slope / (2 sd) in its variance.
    """

    g: Float[np.ndarray, "G K S"]
    p: Float[np.ndarray, "G F S"]
    mean: Float[np.ndarray, "G F S"]  # of f, without its bias
    sd: Float[np.ndarray, "G S"]
    curvature: Float[np.ndarray, "G S"]  # mean over the functions of E[−∂²]
    steep: Float[np.ndarray, "G S"]  # the largest of them
    slope: Float[np.ndarray, "G S"]  # Σ_k E[p_k ε_k]
    level_slope: Float[np.ndarray, "G J J"]  # Σ_s C• sd E[p_k ε_j]; empty for nominal columns

    def at(self, points: np.ndarray) -> "Moments":
        """The same at some of the points."""
        names = [name for name in self.__dataclass_fields__ if name != "level_slope"]
        new = {name: getattr(self, name)[..., points] for name in names}
        return Moments(**new, level_slope=self.level_slope)

    def columns(self, chosen: np.ndarray) -> "Moments":
        """The same for some of the columns."""
        return Moments(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    def put(self, chosen: np.ndarray, others: "Moments") -> "Moments":
        """The same with some columns replaced."""
        new = [getattr(self, name).copy() for name in self.__dataclass_fields__]
        for value, name in zip(new, self.__dataclass_fields__, strict=True):
            value[chosen] = getattr(others, name)
        return Moments(*new)


def function_moments(
    columns: Columns, A: Float[np.ndarray, "S M"], b: Float[np.ndarray, " S"], B: Any
) -> tuple[Float[np.ndarray, "G F S"], Float[np.ndarray, "G S"]]:
    """Means σ A (V Bᵀ)_k and standard deviations σ √(A Σ Aᵀ + b) of f at the points."""
    G, F, M = columns.mu.shape
    scale = columns.scale.astype(A.dtype)[:, None]
    mean = ((B @ columns.mu).astype(A.dtype).reshape(G * F, M) @ A.T).reshape(G, F, -1)
    spread = columns.cov.astype(A.dtype).reshape(G * M, M) @ A.T
    variance = np.einsum("gms,sm->gs", spread.reshape(G, M, -1), A) + b
    sd = scale * np.sqrt(np.maximum(variance, 1e-10))
    return mean * scale[:, None], np.minimum(sd, np.asarray(WIDEST, A.dtype))


def moments(
    block: Block,
    columns: Columns,
    A: Float[np.ndarray, "S M"],
    b: Float[np.ndarray, " S"],
    *,
    B: Float[np.ndarray, "F F"],
    draws: Draws,
    totals: Float[np.ndarray, "G S"] | None = None,
) -> Moments:
    """All expectations of a block of columns, a few columns at a time."""
    size = (len(draws.nodes) if block.two else block.F * len(draws.eps)) * len(A)
    width = max(1, CHUNK // max(size, A.shape[1] * len(A)))
    parts = []
    for first in range(0, len(columns.bias), width):
        some = slice(first, first + width)
        few = Columns(*(getattr(columns, name)[some] for name in columns.__dataclass_fields__))
        mean, sd = function_moments(few, A, b, B)
        m = mean + few.bias.astype(A.dtype)[:, :, None]
        if block.two:
            parts.append((_two_levels(m[:, 0], sd, draws), mean, sd))
        else:
            C = None if not block.ordinal else sd * (0 if totals is None else totals[some])
            parts.append((_many_levels(m, sd, draws.eps[:, : block.K], B, C), mean, sd))
    if not parts:
        raise ValueError("Expected at least one column in a block.")
    g, p, curvature, steep, slope, level_slope = (
        np.concatenate([part[0][i] for part in parts]) for i in range(6)
    )
    mean, sd = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
    return Moments(g, p, mean, sd, curvature, steep, slope, level_slope)


def _two_levels(m: Any, sd: Any, draws: Draws) -> tuple[Any, ...]:
    """Log σ(f) and log σ(−f) of a single function f ~ N(m, sd²), by quadrature."""
    w = draws.node_weights.astype(m.dtype)
    x = draws.nodes.astype(m.dtype)
    f = m[:, None] + sd[:, None] * x[:, None]
    e = np.exp(-np.abs(f))
    r = 1 / (1 + e)
    up = f >= 0
    log_p = np.minimum(f, 0) - np.log1p(e)
    p = np.where(up, r, e * r)
    g_one = (w @ log_p)[:, None]
    curvature = w @ (e * r * r)
    slope = (w * x) @ p
    g = np.concatenate([g_one - m[:, None], g_one], axis=1)
    return g, (w @ p)[:, None], curvature, curvature, slope, np.zeros((len(m), 0, 0))


def _many_levels(m: Any, sd: Any, eps: Any, B: Any, C: Any) -> tuple[Any, ...]:
    """Log softmax of F functions f = m + sd B ε, by the draws ε."""
    (G, F, S), T = m.shape, len(eps)
    noise = (B @ eps.T).astype(m.dtype)
    top = m.max(1)
    f = noise[:, :, None] * sd[:, None, None, :]
    f += (m - top[:, None])[:, :, None]
    np.exp(f, out=f)
    z = f.sum(1)
    g = m - (top + np.log(z).mean(1))[:, None]
    f /= z[:, None]
    p = f.mean(2)
    flat = f.reshape(G, F * T, S)
    slope = (noise.reshape(1, F * T) @ flat)[:, 0] / T
    if C is None:
        h = p - np.einsum("gfts,gfts->gfs", f, f) / T
        return g, p, h.mean(1), h.max(1), slope, np.zeros((G, 0, 0))
    Bp = B.T.astype(m.dtype) @ f.reshape(G, F, T * S)
    curvature = 1 - np.einsum("gfts,gfts->gs", *2 * [Bp.reshape(G, F, T, S)]) / T
    L = B.T.astype(m.dtype)
    steep = ((L * L) @ p - (L @ p) ** 2).max(1)
    hits = (flat @ C.astype(m.dtype)[:, :, None]).reshape(G, F, T)
    return g, p, curvature / F, steep, slope, hits.astype(float) @ eps / T


def responsibilities(
    Y: Float[Array, "B L"],
    G: Float[Array, "L S"],
    log_w: Float[Array, " S"],
    weight: Float[Array, " B"],
) -> tuple[Float[Array, "B S"], Float[Array, " B"]]:
    """Weight · R, R_ns ∝ w_s exp Σ_d g_s,d,y_nd, and the log of the sum; NumPy or JAX alike."""
    xp = G.__array_namespace__()
    ell = Y @ G + log_w
    top = xp.max(ell, axis=1)
    R = xp.exp(xp.maximum(ell - top[:, None], LEAST))
    total = xp.sum(R, axis=1)
    return R * (weight / total)[:, None], top + xp.log(total)


@dataclass(frozen=True)
class Counts:
    """What leaves the E-step: expected counts, the points' mass, the rows' evidence."""

    C: Float[np.ndarray, "L S"]
    mass: Float[np.ndarray, " S"]
    evidence: float  # Σ_n weight_n log Σ_s w_s exp(…)


Assign = Callable[[slice, Any, Any], tuple[np.ndarray, np.ndarray]]


def accumulate(problem: Problem, S: int, assign: Assign, *, rows: int | None = None) -> Counts:
    """Sums C = Rᵀ Y over blocks of rows: bounded memory for any N.

    `assign` gives weight · R and the log-evidence of a block from its place, Y and weights.
    """
    rows = rows or max(1, ROWS // max(S, problem.levels.L))
    C, mass, evidence = np.zeros((problem.levels.L, S)), np.zeros(S), 0.0
    for first in range(0, len(problem.codes), rows):
        some = slice(first, first + rows)
        Y = problem.levels.one_hot(problem.codes[some], np.float32)
        R, log_p = assign(some, Y, problem.weights[some].astype(np.float32))
        C += Y.T @ R
        mass += np.ones(len(R), np.float32) @ R
        evidence += float(problem.weights[some] @ log_p.astype(float))
    return Counts(C, mass, evidence)


def e_step(
    problem: Problem,
    G: Float[np.ndarray, "L S"],
    log_w: Float[np.ndarray, " S"],
    *,
    rows: int | None = None,
) -> Counts:
    """Expected counts of the levels at the points, and the rows' evidence."""
    single = log_w.astype(np.float32)
    return accumulate(
        problem, len(log_w), lambda _, Y, weight: responsibilities(Y, G, single, weight), rows=rows
    )
