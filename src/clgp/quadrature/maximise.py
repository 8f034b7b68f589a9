"""The M-step for q(U): a multinomial GP regression of the expected counts at the points.

Maximises Σ C∘g − KL(q(U) ‖ p(U)) − weak priors without ever looking at a row, by natural
Gauss–Newton steps, all columns of a block at once. A column's step is checked against its
own objective and shortened where that fell. The kernel's numbers follow in `hyper`.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from clgp.model.kernels import Kernel
from clgp.quadrature.columns import Block, Columns, Problem
from clgp.quadrature.expect import Draws, Moments, moments
from clgp.typing import Float

STEP: Final = 0.7  # of the natural gradient at first
SHORTER: Final = 0.4
TRIES: Final = 3
OVERESTIMATE: Final = 1.5  # of the curvature, since it is taken as diagonal over levels
WIDE: Final = 0.1  # precision of the priors of log scales, log kernel numbers and biases
ROUNDING: Final = 1e-6  # of sums in single precision, relative


@dataclass(frozen=True)
class Model:
    """Everything that the M-step moves."""

    kernel: Kernel
    level: Float[np.ndarray, " 2"]  # log length over ranks and logit nugget of ordinal columns
    parts: tuple[Columns, ...]


@dataclass(frozen=True)
class Fixed:
    """What stays as it is in a fit."""

    problem: Problem
    draws: Draws
    Z: Float[np.ndarray, "Z Q"]  # inducing points
    centre: Float[np.ndarray, " P"]  # of the prior of the kernel's free numbers
    level_centre: Float[np.ndarray, " 2"]
    penalised: bool  # whether KL(u) counts; the paper's LGM leaves it out


def begin(problem: Problem, M: int) -> tuple[Columns, ...]:
    """q(U) at its prior, biases at the log frequencies of the levels."""
    parts = []
    for block in problem.blocks:
        bias = np.log(problem.frequency[block.place]).reshape(block.G, block.K)
        bias = bias if not block.two else bias[:, 1:] - bias[:, :1]
        eye = np.tile(np.eye(M), (block.G, 1, 1))
        mu, zero = np.zeros((block.G, block.F, M)), np.zeros(block.G)
        parts.append(Columns(mu, eye, eye, zero, bias, bias, zero, zero + STEP))
    return tuple(parts)


def level_factor(block: Block, level: Float[np.ndarray, " 2"]) -> Float[np.ndarray, "F F"]:
    """B: Cholesky factor of (1 − ν) exp(−½ (k − k′)² / l²) + ν I over the ranks of the levels."""
    if not block.ordinal:
        return np.eye(block.F)
    length, nugget = np.exp(level[0]), 1 / (1 + np.exp(-level[1]))
    rank = np.arange(block.F) / length
    near = np.exp(-((rank[:, None] - rank) ** 2) / 2)
    return np.linalg.cholesky((1 - nugget) * near + (nugget + 1e-6) * np.eye(block.F))


def divergence(columns: Columns) -> Float[np.ndarray, " G"]:
    """KL(q(u_d) ‖ p(u_d)) of each column's F functions, whitened: the prior is N(0, I)."""
    F, M = columns.mu.shape[1:]
    trace = np.trace(columns.cov, axis1=1, axis2=2)
    return (F * (trace - M + columns.log_det) + (columns.mu**2).sum((1, 2))) / 2


def penalty(columns: Columns, *, penalised: bool) -> Float[np.ndarray, " G"]:
    """KL(u) and the weak priors of bias and scale, column by column."""
    away = ((columns.bias - columns.bias_centre) ** 2).sum(1) + columns.log_scale**2
    return WIDE / 2 * away + (divergence(columns) if penalised else 0.0)


def gain(seen: Moments, C: Float[np.ndarray, "G K S"]) -> Float[np.ndarray, " G"]:
    """Σ C∘g, column by column."""
    return np.einsum("gks,gks->g", C, seen.g, dtype=float)


def residual(block: Block, seen: Moments, C: Any) -> Float[np.ndarray, "G F S"]:
    """C − C• p: the slope of Σ C∘g in the means of f."""
    own = C if not block.two else C[:, 1:]
    return own - C.sum(1)[:, None] * seen.p


def gram(
    A: Float[np.ndarray, "S M"], weight: Float[np.ndarray, "G S"], scale: Float[np.ndarray, " G"]
) -> Float[np.ndarray, "G M M"]:
    """σ² Aᵀ diag(weight) A of every column, a few columns at a time."""
    (S, M), G = A.shape, len(weight)
    out = np.empty((G, M, M))
    width = max(1, (1 << 20) // (S * M))
    for first in range(0, G, width):
        some = slice(first, first + width)
        left = (A.T * weight[some, None, :]).reshape(-1, S)
        out[some] = (left @ A).reshape(-1, M, M)
    return out * (scale**2)[:, None, None]


def natural(
    block: Block, old: Columns, seen: Moments, *, C: Any, A: Any, B: Any, penalised: bool
) -> Columns:
    """A Gauss–Newton step of the natural gradient for mu, Σ and the bias of every column.

    Σ⁻¹ → I + σ² Aᵀ diag(C• E[−∂²]) A,  mu → mu + P⁻¹ (σ Aᵀ (C − C• p) B − mu) with P from an
    overestimate of the curvature. Without KL(u) only the data speak, and Σ shrinks for ever.
    """
    total, eye = C.sum(1), np.eye(A.shape[1])
    rest = residual(block, seen, C)
    down = B.T.astype(A.dtype) @ rest
    slope = old.scale[:, None, None] * (down @ A).astype(float)
    data = gram(A, total * seen.curvature, old.scale)
    steep = data if block.two else gram(A, total * seen.steep, old.scale)
    prior = eye if penalised else 1e-3 * eye
    target = prior + data if penalised else old.precision + data
    pull = old.mu if penalised else 0.0
    P = prior + OVERESTIMATE * steep
    move = np.linalg.solve(P, np.swapaxes(slope - pull, 1, 2)).swapaxes(1, 2)
    weight = (total[:, None] * seen.p * (1 - seen.p)).sum(2, dtype=float) + WIDE
    tilt = rest.sum(2, dtype=float) - WIDE * (old.bias - old.bias_centre)
    step = old.step[:, None, None]
    return with_precision(
        old,
        old.precision + step * (target - old.precision),
        mu=old.mu + step * move,
        bias=old.bias + old.step[:, None] * tilt / weight,
    )


def shorten(old: Columns, new: Columns, share: float) -> Columns:
    """The point a share of the way from old to new; their step remembered as that much shorter."""
    mu, precision, bias = (
        getattr(old, name) + share * (getattr(new, name) - getattr(old, name))
        for name in ("mu", "precision", "bias")
    )
    return with_precision(old, precision, mu=mu, bias=bias, step=old.step * max(share, SHORTER))


def with_precision(
    old: Columns, precision: Float[np.ndarray, "G M M"], **others: np.ndarray
) -> Columns:
    """The columns with another Σ⁻¹, its inverse and determinant along."""
    cov = np.linalg.inv(precision)
    root = np.linalg.cholesky(precision)
    log_det = 2 * np.log(np.diagonal(root, axis1=1, axis2=2)).sum(1)
    return replace(old, precision=precision, cov=cov, log_det=log_det, **others)


def climb(
    fixed: Fixed, block: Block, old: Columns, seen: Moments, *, C: Any, A: Any, b: Any, B: Any
) -> tuple[Columns, Moments]:
    """One natural step, shortened column by column until no column's objective falls."""
    size = {"A": A, "b": b, "B": B, "draws": fixed.draws}
    total, penalised = C.sum(1), fixed.penalised
    new = natural(block, old, seen, C=C, A=A, B=B, penalised=penalised)
    then = moments(block, new, totals=total, **size)
    before = gain(seen, C) - penalty(old, penalised=penalised)
    after = gain(then, C) - penalty(new, penalised=penalised)
    full, share = new, 1.0
    fell = np.flatnonzero(~(after >= before - ROUNDING * np.abs(before)))
    for attempt in range(TRIES + 1):
        if not len(fell):
            break
        share = share * SHORTER if attempt < TRIES else 0.0
        some = shorten(old.at(fell), full.at(fell), share)
        look = moments(block, some, totals=total[fell], **size)
        new, then = new.put(fell, some), then.put(fell, look)
        after = gain(look, C[fell]) - penalty(some, penalised=penalised)
        floor = before[fell] - ROUNDING * np.abs(before[fell])
        fell = fell[~(after >= floor)] if attempt < TRIES else fell[:0]
    return new, then
