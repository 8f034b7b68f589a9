"""Latent classes: p(y) = Σ_c π_c Π_d θ_c,d,y_d, by EM; ten restarts side by side, averaged.

Missing cells are left out, so the E-step is one product with the one-hot rows. θ has a prior of
one row a class and column spread as the column's marginal, π one row spread evenly: what EM
raises is the log-likelihood plus their logarithms. Restarts lie side by side in one array of
R · C classes; the average of their Mixtures is one Mixture of all of them.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from clgp.baselines.frequency import shares
from clgp.heldback import hold_back
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.tables.split import collapse
from clgp.typing import Codes, Float

PRIOR: Final = 1.0  # rows of prior a class and column
HALF: Final = 0.5  # added to every level's count in the marginal
BLOCK: Final = 2_000_000  # responsibilities held at once
GAIN: Final = 1e-5  # relative gain of the likelihood below which EM stops
RESTARTS: Final = 10
PASSES: Final = 150
TRIAL_RESTARTS: Final = 4  # while the number of classes is chosen
TRIAL_PASSES: Final = 60
MOST_CLASSES: Final = 256


def fit_lca(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    n_classes: int | None = None,
    restarts: int = RESTARTS,
    key: np.random.Generator,
) -> Mixture:
    """Latent classes, as many as predict held-back cells best unless the number is given."""
    codes, weights, _ = collapse(codes, weights)
    C = n_classes or choose_classes(codes, weights, levels, key=key)
    return latent_classes(codes, weights, levels, C=C, restarts=restarts, passes=PASSES, key=key)


def choose_classes(
    codes: Codes, weights: Float[np.ndarray, " N"], levels: Levels, *, key: np.random.Generator
) -> int:
    """1, 2, 4, 8, … classes until two numbers in turn predict held-back cells no better."""
    rest, held = hold_back(codes, weights, levels, key=key)
    best, least, C = 1, np.inf, 1
    while min(MOST_CLASSES, len(codes)) >= C and 4 * best >= C:
        m = latent_classes(
            codes, rest, levels, C=C, restarts=TRIAL_RESTARTS, passes=TRIAL_PASSES, key=key
        )
        loss = held.mean(held.losses(m))
        if loss < least:
            best, least = C, loss
        C *= 2
    return best


def latent_classes(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    C: int,
    restarts: int,
    passes: int,
    key: np.random.Generator,
) -> Mixture:
    """EM for several restarts of C classes; their average."""
    seen = (weights > 0) & np.any(codes >= 0, axis=1)
    codes, weights = codes[seen], weights[seen]
    marginal = shares(codes, weights, levels, alpha=HALF)
    state = _start(levels, marginal, restarts, C, key)
    last = -np.inf
    for _ in range(passes):
        state, objective = em_pass(state, codes, weights, levels, marginal)
        if np.all(objective - last <= GAIN * np.abs(objective)):
            break
        last = objective
    return Mixture(
        levels,
        (state.log_pi - np.log(restarts)).ravel(),
        state.log_theta.T.astype(float),
    )


@dataclass(frozen=True)
class Classes:
    """R restarts of C classes each; class (r, c) is column r C + c of the tables."""

    log_pi: Float[np.ndarray, "R C"]
    log_theta: Float[np.ndarray, "L RC"]


def _start(
    levels: Levels, marginal: Float[np.ndarray, " L"], R: int, C: int, key: np.random.Generator
) -> Classes:
    """Each class halfway between the marginal and a uniform draw of the simplex."""
    draw = key.standard_exponential((R * C, levels.L))
    draw /= levels.spread(levels.sum(draw))
    theta = (marginal + draw).T / 2 if C > 1 else np.repeat(marginal[:, None], R, axis=1)
    return Classes(np.full((R, C), -np.log(C)), np.log(theta).astype(np.float32))


def em_pass(
    state: Classes,
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    marginal: Float[np.ndarray, " L"],
) -> tuple[Classes, Float[np.ndarray, " R"]]:
    """One pass: the new classes, and the objective of each restart before it."""
    R, C = state.log_pi.shape
    counts, mass, objective = np.zeros((levels.L, R * C)), np.zeros((R, C)), np.zeros(R)
    log_pi = state.log_pi.astype(np.float32)
    rows = max(1, BLOCK // (R * C))
    for first in range(0, len(codes), rows):
        Y = levels.one_hot(codes[first : first + rows], np.float32)
        w = weights[first : first + rows]
        F = (Y @ state.log_theta).reshape(-1, R, C)
        F += log_pi
        top = F.max(2, keepdims=True)
        F -= top
        np.exp(F, out=F)
        total = F.sum(2, keepdims=True)
        objective += w @ (np.log(total) + top)[:, :, 0].astype(float)
        F *= w.astype(np.float32)[:, None, None] / total
        mass += F.sum(0, dtype=float)
        counts += Y.T @ F.reshape(-1, R * C)
    objective += PRIOR / C * state.log_pi.sum(1)
    objective += (PRIOR * marginal @ state.log_theta).reshape(R, C).sum(1)
    pi = (mass + PRIOR / C) / (mass.sum(1, keepdims=True) + PRIOR)
    theta = (counts + PRIOR * marginal[:, None]).T
    theta /= levels.spread(levels.sum(theta))
    return Classes(np.log(pi), np.log(theta).T.astype(np.float32)), objective
