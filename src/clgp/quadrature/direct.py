"""Direct effects between columns: which pairs have one, and the axis on which they are fitted.

What a pair shares beyond the union: N · KL between its observed table and the union's own joint
with the margins of the observed one (iterative proportional fitting), less a price of one nat a
parameter, (K_i − 1)(K_j − 1) of them. The forest of the best pairs hangs each column on one other
at most. `Pairs` lays p_t(k | v) of all columns side by side; `settle` fits it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from clgp.forest import ROOT, Forest
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.pairs import pair_counts, spanning_forest, sum_pairs
from clgp.typing import Bool, Codes, Float, Int

ROUNDS: Final = 30  # of proportional fitting
TINY: Final = 1e-300


@dataclass(frozen=True)
class Edge:
    """What two columns share beyond the union."""

    parent: int
    child: int
    nats: float  # a row


def own_joint(mixture: Mixture) -> Float[np.ndarray, "L L"]:
    """Σ_t w_t p_t p_tᵀ of a mixture without edges: its joint table of every pair of columns."""
    w = np.exp(mixture.log_weights - np.logaddexp.reduce(mixture.log_weights))
    P = mixture.levels.softmax(mixture.log_tables)
    return (P * w[:, None]).T @ P


def fit_margins(
    M: Float[np.ndarray, "L L"], N: Float[np.ndarray, "L L"], levels: Levels
) -> Float[np.ndarray, "L L"]:
    """M scaled, pair by pair, until its margins are those of N."""

    def rows(M: Float[np.ndarray, "L L"], N: Float[np.ndarray, "L L"]) -> Float[np.ndarray, "L L"]:
        return M * levels.spread(levels.sum(N) / np.maximum(levels.sum(M), TINY))

    for _ in range(ROUNDS):
        M = rows(rows(M, N).T, N.T).T
    return M


def beyond(
    mixture: Mixture, codes: Codes, weights: Float[np.ndarray, " N"]
) -> tuple[Float[np.ndarray, "D D"], Float[np.ndarray, "D D"]]:
    """N · KL of every pair of columns, and N: the rows in which both were seen."""
    levels = mixture.levels
    N = pair_counts(codes, weights, levels)
    M = fit_margins(own_joint(mixture), N, levels)
    ratio = np.divide(N, np.maximum(M, TINY), out=np.ones_like(N), where=N > 0)
    return sum_pairs(N * np.log(ratio), levels), sum_pairs(N, levels)


def find_edges(
    mixture: Mixture, codes: Codes, weights: Float[np.ndarray, " N"], *, price: float = 1.0
) -> tuple[Edge, ...]:
    """The maximum spanning forest of what the pairs share beyond the union, less the price."""
    shared, n = beyond(mixture, codes, weights)
    free = mixture.levels.card - 1.0
    edges = spanning_forest(shared - price * np.outer(free, free))
    return tuple(Edge(i, j, float(shared[i, j] / max(n[i, j], TINY))) for i, j in edges)


@dataclass(frozen=True)
class Pairs:
    """The axis of P = Σ_d V_d K_d entries (v, k): a level of the parent, a level of the column.

    A root has one v. Entries run k fastest, so that a *fibre*, all k of one v, lies together.
    """

    levels: Levels
    parents: Int[np.ndarray, " D"]

    @cached_property
    def above(self) -> Int[np.ndarray, " D"]:
        """V_d."""
        return np.where(self.parents == ROOT, 1, self.levels.card[self.parents])

    @cached_property
    def joint(self) -> Levels:
        """Columns with V_d K_d levels."""
        return Levels(tuple((self.above * self.levels.card).tolist()))

    @cached_property
    def fibre(self) -> Levels:
        """V_d columns of K_d levels for each d."""
        return Levels(tuple(np.repeat(self.levels.card, self.above).tolist()))

    @cached_property
    def child(self) -> Int[np.ndarray, " P"]:
        """The place of k on the flat axis of levels."""
        d = np.repeat(np.arange(self.levels.D), self.above)
        k = np.arange(self.fibre.L) - self.fibre.starts[:-1][self.fibre.column]
        return self.levels.starts[:-1][d][self.fibre.column] + k

    @cached_property
    def tied(self) -> Bool[np.ndarray, " P"]:
        """Entries of columns that hang on another."""
        return (self.parents != ROOT)[self.levels.column[self.child]]

    @cached_property
    def _strips(self) -> tuple[Int[np.ndarray, " P"], Levels]:
        """The entries in the order of `child`, and how many v each level has."""
        order = np.argsort(self.child, kind="stable")
        return order, Levels(tuple(np.repeat(self.above, self.levels.card).tolist()))

    def over_parent(self, X: Float[np.ndarray, "T P"]) -> Float[np.ndarray, "T L"]:
        """Σ_v of every level k."""
        order, strips = self._strips
        return strips.sum(X[:, order])

    def codes(self, codes: Codes) -> Codes:
        """The entry (v, k) of every cell; −1 where it or its parent is missing."""
        v = np.where(self.parents == ROOT, 0, codes[:, self.parents])
        return np.where((v >= 0) & (codes >= 0), v * self.levels.card + codes, -1)

    def broken(self, codes: Codes) -> Bool[np.ndarray, " N"]:
        """Rows with a seen cell whose parent is missing: their sums run over its levels."""
        return np.any((codes >= 0) & (self.codes(codes) < 0), axis=1)

    def flat(self, forest: Forest) -> Float[np.ndarray, " P"]:
        """W of all columns on the axis; zero at the roots."""
        W = np.zeros(self.fibre.L)
        W[self.tied] = np.concatenate([np.zeros(0), *(w.ravel() for w in forest.effects)])
        return W

    def forest(self, W: Float[np.ndarray, " P"]) -> Forest:
        """The forest with effects W."""
        at = [self.joint.at(d) for d in range(self.levels.D)]
        effects = tuple(
            W[at[d]].reshape(-1, K) if self.parents[d] != ROOT else np.zeros((0, K))
            for d, K in enumerate(self.levels.cards)
        )
        return Forest(self.parents, effects)
