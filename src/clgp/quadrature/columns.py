"""q(U) of the columns with equally many levels, side by side, and the problem they are fitted to.

With whitened functions v (see `features`) a column's weights are f_k = bias_k + σ_d A (V Bᵀ)_k:
B the Cholesky factor of the level kernel, the identity for nominal columns. q(v_j) =
N(mu_j, Σ_d) with Σ_d shared by the levels, as in the paper. A two-level column has one function,
the difference of its two, so F = 1 there and F = K elsewhere.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clgp.levels import Levels
from clgp.typing import Codes, Float, Int


@dataclass(frozen=True)
class Columns:
    """q(U), bias and function scale of G columns with F functions of M features each."""

    mu: Float[np.ndarray, "G F M"]
    precision: Float[np.ndarray, "G M M"]
    cov: Float[np.ndarray, "G M M"]
    log_det: Float[np.ndarray, " G"]  # of the precision
    bias: Float[np.ndarray, "G F"]
    bias_centre: Float[np.ndarray, "G F"]  # of its prior: what the frequencies alone say
    log_scale: Float[np.ndarray, " G"]
    step: Float[np.ndarray, " G"]  # of the natural gradient, shortened where it was too long

    def at(self, chosen: np.ndarray) -> "Columns":
        """Some of the columns."""
        return Columns(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    def put(self, chosen: np.ndarray, others: "Columns") -> "Columns":
        """These columns with the chosen ones replaced."""
        new = [getattr(self, name).copy() for name in self.__dataclass_fields__]
        for value, name in zip(new, self.__dataclass_fields__, strict=True):
            value[chosen] = getattr(others, name)
        return Columns(*new)

    @property
    def scale(self) -> Float[np.ndarray, " G"]:
        """σ_d, the standard deviation of the column's functions."""
        return np.exp(self.log_scale)


@dataclass(frozen=True)
class Block:
    """Which columns lie side by side: G columns of K levels from column `first` on."""

    first: int
    G: int
    K: int
    ordinal: bool
    place: slice

    @property
    def two(self) -> bool:
        """Whether the columns have two levels, so that one function serves both."""
        return self.K == 2

    @property
    def F(self) -> int:
        """Functions a column: one for two levels, where only the difference matters."""
        return 1 if self.two else self.K


@dataclass(frozen=True)
class Problem:
    """Distinct rows with weights, and their columns' levels; runs of like columns are blocks."""

    codes: Codes
    weights: Float[np.ndarray, " N"]
    levels: Levels
    ordinal: tuple[bool, ...]

    @property
    def total(self) -> float:
        """Weight of all rows together."""
        return float(self.weights.sum())

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Runs of columns with equally many levels of one kind."""
        kinds = [
            (K, ordinal and K > 2)
            for K, ordinal in zip(self.levels.cards, self.ordinal, strict=True)
        ]
        edges = [0, *(d for d in range(1, len(kinds)) if kinds[d] != kinds[d - 1]), len(kinds)]
        return tuple(
            Block(
                first,
                end - first,
                *kinds[first],
                slice(int(self.levels.starts[first]), int(self.levels.starts[end])),
            )
            for first, end in zip(edges, edges[1:], strict=False)
        )

    @cached_property
    def frequency(self) -> Float[np.ndarray, " L"]:
        """Level frequencies with one row of pseudo-counts, spread evenly over each column."""
        counts = self.levels.counts(self.codes, self.weights)
        counts = counts + 1 / self.levels.card[self.levels.column]
        return counts / self.levels.spread(self.levels.sum(counts))


def collapse(
    codes: Codes, weights: Float[np.ndarray, " N"]
) -> tuple[Int[np.ndarray, "U D"], Float[np.ndarray, " U"]]:
    """Distinct rows and the weight of each; rows without weight go."""
    distinct, which = np.unique(codes, axis=0, return_inverse=True)
    mass = np.bincount(which.ravel(), weights, len(distinct))
    return distinct[mass > 0], mass[mass > 0]
