"""Latent classes: p(y) = Σ_c π_c Π_d θ_c,d,y_d, by EM; ten restarts side by side, averaged.

Missing cells are left out, so the E-step is one product with the one-hot rows. θ has a prior of
some rows a class and column spread as the column's marginal, π one row spread evenly: what EM
raises is the log-likelihood plus their logarithms. Restarts lie side by side in one array of
R · C classes; the average of their Mixtures is one Mixture of all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from clgp.baselines.frequency import shares
from clgp.heldback import hold_back_often
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.tables.split import collapse
from clgp.typing import Codes, Float

PRIORS: Final = (1.0, 4.0)  # rows of prior a class and column
PASSES: Final = (8, 16, 32, 64, 128)  # of EM
HALF: Final = 0.5  # added to every level's count in the marginal
BLOCK: Final = 500_000  # responsibilities held at once
KEPT: Final = 20_000_000  # numbers of a one-hot table that is not made anew in each pass
GAIN: Final = 1e-5  # relative gain of the likelihood below which EM stops
RESTARTS: Final = 10
TRIAL_RESTARTS: Final = 4  # while the settings are chosen
LARGE: Final = 4_000  # distinct rows from which the search for settings is a smaller one
MOST_CLASSES: Final = 256

Block: TypeAlias = tuple[Float[np.ndarray, "B L"], Float[np.ndarray, " B"]]


@dataclass(frozen=True)
class Settings:
    """What held-back cells choose: classes, rows of prior a class and column, passes of EM."""

    C: int
    prior: float = 1.0
    passes: int = PASSES[-1]


def fit_lca(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    n_classes: int | None = None,
    restarts: int = RESTARTS,
    key: np.random.Generator,
) -> Mixture:
    """Latent classes with the settings that predict held-back cells best."""
    codes, weights, _ = collapse(codes, weights)
    chosen = choose(codes, weights, levels, n_classes=n_classes, key=key)
    return latent_classes(codes, weights, levels, settings=chosen, restarts=restarts, key=key)


def choose(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    n_classes: int | None = None,
    key: np.random.Generator,
) -> Settings:
    """1, 2, 4, 8, … classes until two numbers in turn predict held-back cells no better.

    With `n_classes` given, the other settings for that number.
    """
    folds = hold_back_often(codes, weights, levels, key=key)
    large = len(codes) > LARGE
    restarts = 2 if large else TRIAL_RESTARTS
    C = n_classes or 1
    best, least = Settings(C), np.inf
    while (n_classes or min(MOST_CLASSES, max(len(codes), 1), 4 * best.C)) >= C:
        for prior in PRIORS[:1] if large else PRIORS:
            loss = np.zeros(len(PASSES))
            for rest, held in folds:
                trial = Settings(C, prior)
                state = _passes(codes, rest, levels, trial, restarts=restarts, key=key)
                each = [held.mean(held.losses(_mixture(s, levels))) for s in state]
                loss += np.pad(each, (0, len(PASSES) - len(each)), mode="edge")
            i = int(np.argmin(loss))
            if loss[i] < least:
                best, least = Settings(C, prior, PASSES[i]), loss[i]
        C *= 2
    return best


def latent_classes(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    settings: Settings,
    restarts: int,
    key: np.random.Generator,
) -> Mixture:
    """EM for several restarts of C classes; their average."""
    state = list(_passes(codes, weights, levels, settings, restarts=restarts, key=key))[-1]
    return _mixture(state, levels)


def _passes(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    settings: Settings,
    *,
    restarts: int,
    key: np.random.Generator,
) -> Iterator["Classes"]:
    """The classes after each number in PASSES up to the last asked for, or to convergence.

    Few passes are a choice of their own: classes that still overlap join better in an average.
    """
    seen = (weights > 0) & np.any(codes >= 0, axis=1)
    codes, weights = codes[seen], weights[seen]
    marginal = shares(codes, weights, levels, alpha=HALF)
    state = _start(levels, marginal, restarts, settings.C, key)
    rows = _Rows(levels, codes, weights, max(1, BLOCK // (restarts * settings.C)))
    last = -np.inf
    for done in range(1, settings.passes + 1):
        state, objective = em_pass(state, rows, levels, settings.prior * marginal)
        still = np.all(objective - last <= GAIN * np.abs(objective))
        last = objective
        if still or done in PASSES or done == settings.passes:
            yield state
        if still:
            return


def _mixture(state: "Classes", levels: Levels) -> Mixture:
    log_w = (state.log_pi - np.log(len(state.log_pi))).ravel()
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
    state: Classes, rows: _Rows, levels: Levels, prior: Float[np.ndarray, " L"]
) -> tuple[Classes, Float[np.ndarray, " R"]]:
    """One pass: the new classes, and the objective of each restart before it.

    `prior` counts are added to every class; one row in all is spread over the classes.
    """
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
    objective += state.log_pi.mean(1)
    objective += (state.log_theta @ prior).reshape(R, C).sum(1)
    pi = (mass + 1 / C) / (mass.sum(1, keepdims=True) + 1)
    theta = counts + prior
    theta /= levels.spread(levels.sum(theta))
    return Classes(np.log(pi), np.log(theta).astype(np.float32)), objective
