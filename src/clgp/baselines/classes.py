"""Latent classes: p(y) = Σ_c π_c Π_d θ_c,d,y_d, by EM; ten restarts side by side, averaged.

Missing cells are left out, so the E-step is one product with the one-hot rows. θ has a prior of
one row a class and column spread as the column's marginal, π one row spread evenly: what EM
raises is the log-likelihood plus their logarithms. Restarts lie side by side in one array of
R · C classes; the average of their Mixtures is one Mixture of all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from clgp.baselines.frequency import shares
from clgp.heldback import hold_back
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.tables.split import collapse
from clgp.typing import Codes, Float

PRIOR: Final = 1.0  # rows of prior a class and column
HALF: Final = 0.5  # added to every level's count in the marginal
BLOCK: Final = 500_000  # responsibilities held at once
KEPT: Final = 20_000_000  # numbers of a one-hot table that is not made anew in each pass
GAIN: Final = 1e-5  # relative gain of the likelihood below which EM stops
RESTARTS: Final = 10
PASSES: Final = 150
TRIAL_RESTARTS: Final = 4  # while the number of classes is chosen
TRIAL_PASSES: Final = 60
MOST_CLASSES: Final = 256

Block: TypeAlias = tuple[Float[np.ndarray, "B L"], Float[np.ndarray, " B"]]


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
    rows = _Rows(levels, codes, weights, max(1, BLOCK // (restarts * C)))
    last = -np.inf
    for _ in range(passes):
        state, objective = em_pass(state, rows, levels, marginal)
        if np.all(objective - last <= GAIN * np.abs(objective)):
            break
        last = objective
    log_w = (state.log_pi - np.log(restarts)).ravel()
    return Mixture(levels, log_w, state.log_theta.astype(float))


@dataclass(frozen=True)
class Classes:
    """R restarts of C classes each; class (r, c) is row r C + c of the tables."""

    log_pi: Float[np.ndarray, "R C"]
    log_theta: Float[np.ndarray, "RC L"]


@dataclass(frozen=True)
class _Rows:
    """One-hot rows with their weights, block by block; kept in memory where they are few."""

    levels: Levels
    codes: Codes
    weights: Float[np.ndarray, " N"]
    size: int

    def __iter__(self) -> Iterator[Block]:
        if len(self.codes) * self.levels.L <= KEPT:
            return iter(self._kept)
        return self._blocks()

    @cached_property
    def _kept(self) -> list[Block]:
        return list(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        for first in range(0, len(self.codes), self.size):
            some = slice(first, first + self.size)
            Y = self.levels.one_hot(self.codes[some], np.float32)
            yield Y, self.weights[some]


def _start(
    levels: Levels, marginal: Float[np.ndarray, " L"], R: int, C: int, key: np.random.Generator
) -> Classes:
    """Each class halfway between the marginal and a uniform draw of the simplex."""
    draw = key.standard_exponential((R * C, levels.L))
    draw /= levels.spread(levels.sum(draw))
    theta = (marginal + draw) / 2 if C > 1 else np.tile(marginal, (R, 1))
    return Classes(np.full((R, C), -np.log(C)), np.log(theta).astype(np.float32))


def em_pass(
    state: Classes, rows: _Rows, levels: Levels, marginal: Float[np.ndarray, " L"]
) -> tuple[Classes, Float[np.ndarray, " R"]]:
    """One pass: the new classes, and the objective of each restart before it."""
    R, C = state.log_pi.shape
    counts, mass, objective = np.zeros((R * C, levels.L)), np.zeros((R, C)), np.zeros(R)
    log_pi = state.log_pi.astype(np.float32)[:, :, None]
    for Y, w in rows:
        F = (state.log_theta @ Y.T).reshape(R, C, -1)
        F += log_pi
        top = F.max(1, keepdims=True)
        F -= top
        np.exp(F, out=F)
        total = F.sum(1, keepdims=True)
        objective += (np.log(total) + top)[:, 0].astype(float) @ w
        F *= w.astype(np.float32) / total
        mass += F.sum(2, dtype=float)
        counts += F.reshape(R * C, -1) @ Y
    objective += PRIOR / C * state.log_pi.sum(1)
    objective += (state.log_theta @ (PRIOR * marginal)).reshape(R, C).sum(1)
    pi = (mass + PRIOR / C) / (mass.sum(1, keepdims=True) + PRIOR)
    theta = counts + PRIOR * marginal
    theta /= levels.spread(levels.sum(theta))
    return Classes(np.log(pi), np.log(theta).astype(np.float32)), objective
