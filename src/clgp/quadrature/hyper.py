"""The kernel's numbers, the level kernel's and the columns' scales: one Adam step a pass.

Their gradient goes through the features: dL/dA and dL/db are exact, the derivatives of A and b
come from `slopes`, that of the level factor B is a finite difference.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from clgp.model.parameters import bind, free
from clgp.quadrature.columns import Columns
from clgp.quadrature.expect import Moments
from clgp.quadrature.features import Features
from clgp.quadrature.maximise import WIDE, Fixed, Model, level_factor, residual
from clgp.quadrature.slopes import slopes
from clgp.typing import Float

DIFFERENCE: Final = 1e-4
BETAS: Final = (0.9, 0.99)


@dataclass(frozen=True)
class Adam:
    """Running moments of the gradient."""

    first: Float[np.ndarray, " P"]
    second: Float[np.ndarray, " P"]
    steps: int


def values(model: Model) -> Float[np.ndarray, " P"]:
    """All numbers that Adam moves, side by side."""
    scales = [part.log_scale for part in model.parts]
    return np.concatenate([free(model.kernel), model.level, *scales])


def with_values(model: Model, new: Float[np.ndarray, " P"]) -> Model:
    """The model with these numbers."""
    P = len(free(model.kernel))
    kernel, level, rest, parts = bind(model.kernel, new[:P]), new[P : P + 2], new[P + 2 :], []
    for part in model.parts:
        parts.append(replace(part, log_scale=rest[: len(part.log_scale)]))
        rest = rest[len(part.log_scale) :]
    return Model(kernel, level, tuple(parts))


def prior(fixed: Fixed, model: Model) -> float:
    """Minus the weak penalties of the kernel's and the level kernel's numbers."""
    away = ((free(model.kernel) - fixed.centre) ** 2).sum()
    level = ((model.level - fixed.level_centre) ** 2).sum()
    return -float(WIDE * away + level) / 2


def gradient(
    fixed: Fixed, model: Model, seen: tuple[Moments, ...], *, C: list[Any], X: Any, here: Features
) -> Float[np.ndarray, " P"]:
    """The gradient of Σ C∘g and of the priors in all those numbers, q(U) held."""
    A = here[0].astype(np.float32)
    dA, db, level, scales = np.zeros(here[0].shape), np.zeros(len(A)), np.zeros(2), []
    for block, part, look, counts in zip(fixed.problem.blocks, model.parts, seen, C, strict=True):
        B = level_factor(block, model.level)
        rest, total = residual(block, look, counts), counts.sum(1)
        push = -total * look.slope  # dL/d(sd)
        dA += _through_features(part, B=B, rest=rest, ratio=push / look.sd, A=A)
        db += (part.scale**2) @ (push / (2 * look.sd))
        tilt = (rest * look.mean).sum((1, 2), dtype=float) + (push * look.sd).sum(1, dtype=float)
        scales.append(tilt - WIDE * part.log_scale)
        if block.ordinal:
            plain = (part.mu.astype(A.dtype) @ A.T) * part.scale[:, None, None]
            dB = np.tensordot(rest, plain, ((0, 2), (0, 2))) - look.level_slope.sum(0)
            for i in range(2):
                moved = model.level + DIFFERENCE * (np.arange(2) == i)
                level[i] += (dB * (level_factor(block, moved) - B)).sum() / DIFFERENCE
    theta = slopes(model.kernel, X, fixed.Z, dA, db)
    theta -= WIDE * (free(model.kernel) - fixed.centre)
    level -= model.level - fixed.level_centre
    return np.concatenate([theta, level, *scales])


def _through_features(part: Columns, *, B: Any, rest: Any, ratio: Any, A: Any) -> Any:
    """dL/dA = Σ_d σ Σ_k (C − C• p)_k (V Bᵀ)_k + σ² (dL/dsd / sd) A Σ."""
    G, F, M = part.mu.shape
    weights = (B @ part.mu * part.scale[:, None, None]).astype(A.dtype)
    dA = (rest.reshape(G * F, -1).T @ weights.reshape(G * F, M)).astype(float)
    width = max(1, (1 << 20) // A.size)
    for first in range(0, G, width):
        some = slice(first, first + width)
        pull = (ratio[some] * (part.scale[some, None] ** 2)).astype(A.dtype)
        wide = (pull.T[:, :, None] * A[:, None, :]).reshape(len(A), -1)
        dA += wide @ part.cov[some].astype(A.dtype).reshape(-1, M)
    return dA


def adam(
    state: Adam, slope: Float[np.ndarray, " P"], *, rate: float
) -> tuple[Float[np.ndarray, " P"], Adam]:
    """The step up the slope, and the moments after it."""
    first = BETAS[0] * state.first + (1 - BETAS[0]) * slope
    second = BETAS[1] * state.second + (1 - BETAS[1]) * slope**2
    steps = state.steps + 1
    m, v = first / (1 - BETAS[0] ** steps), second / (1 - BETAS[1] ** steps)
    return rate * m / (np.sqrt(v) + 1e-8), Adam(first, second, steps)
