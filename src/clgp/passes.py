"""The pass up the forest: log p_t(seen cells), for a block of rows and all components at once.

Sums run over unseen cells that have seen cells below them; one without drops out. Notation:
ℓ (L, T) the log-tables, W_d the effect along d's edge, Λ_d[v, t] = log Σ_k exp(ℓ_dkt + W_d[v, k]).
An unseen cell with evidence below carries B[n, k, t] = exp(ℓ_dkt) Π_children (their message at k).
B is a `factor`; the pass down, from here to beliefs and draws, is in `beliefs`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clgp.factor import Factor
from clgp.forest import ROOT, Forest
from clgp.levels import Levels
from clgp.typing import Bool, Codes, Float, Int

STEEP = 300.0  # where the children can pull further, products could underflow: logarithms there


@dataclass(frozen=True)
class Tables:
    """ℓ of T components and the forest that they share, with what all rows need of them."""

    levels: Levels
    forest: Forest
    log: Float[np.ndarray, "L T"]

    @cached_property
    def prob(self) -> Float[np.ndarray, "L T"]:
        """Exp ℓ."""
        return np.exp(self.log)

    @cached_property
    def normaliser(self) -> dict[int, Float[np.ndarray, "_ T"]]:
        """Λ_d of every edge: the log-normaliser of d for each level of its parent."""
        found = {}
        for d in self.forest.edges:
            F, W = self.log[self.levels.at(d)], self.forest.effects[d]
            top, high = F.max(0), W.max(1, keepdims=True)
            found[d] = np.log(np.exp(W - high) @ np.exp(F - top)) + high + top
        return found

    @cached_property
    def below(self) -> dict[int, Float[np.ndarray, "C _ T"]]:
        """Λ of the columns that hang on each column."""
        return {
            d: np.stack([self.normaliser[c] for c in children.tolist()])
            for d, children in enumerate(self.forest.children)
            if len(children)
        }

    @cached_property
    def stacked(self) -> Float[np.ndarray, "_ T"]:
        """ℓ above −Λ of all edges: one product with [Y, A] serves every seen cell."""
        return np.concatenate([self.log, *(-self.normaliser[d] for d in self.forest.edges)])


@dataclass(frozen=True)
class Unseen:
    """One column in those rows of the block where it is unseen with seen cells below it."""

    rows: Int[np.ndarray, " R"]
    B: Factor
    Z: Float[np.ndarray, "R T"]  # Σ_k exp(W_d[v, k]) B[n, k, t] where the parent is at v, else 1
    free: Int[np.ndarray, " F"]  # of these, those whose parent is unseen too
    message: Float[np.ndarray, "F V T"]  # to it: Σ_k exp(W_d[v, k]) B[n, k, t]

    def to_parent(self, rows: Int[np.ndarray, " S"]) -> Float[np.ndarray, "S V T"]:
        """The messages in some rows of the block."""
        return self.message[np.searchsorted(self.free, rows)]


@dataclass(frozen=True)
class Evidence:
    """What the pass up leaves: log p_t(seen) and the state for the pass down."""

    tables: Tables
    codes: Codes
    live: Bool[np.ndarray, "N D"]
    log_prob: Float[np.ndarray, "N T"]
    unseen: dict[int, Unseen]


def live_cells(forest: Forest, codes: Codes) -> Bool[np.ndarray, "N D"]:
    """Cells that are seen or have a seen cell below them."""
    live = codes >= 0
    for d in reversed(forest.edges):
        live[:, forest.parents[d]] |= live[:, d]
    return live


def level_above(forest: Forest, codes: Codes, d: int) -> Int[np.ndarray, " N"]:
    """The level of d's parent in each row: −1 where unseen, 0 throughout where d is a root."""
    parent = forest.parents[d]
    return np.zeros(len(codes), np.int64) if parent == ROOT else codes[:, parent]


def effect(forest: Forest, d: int) -> Float[np.ndarray, "V K"]:
    """W_d; one row of zeros for a root."""
    W = forest.effects[d]
    return W if len(W) else np.zeros((1, W.shape[1]))


def up(tables: Tables, codes: Codes) -> Evidence:
    """Log p_t(seen cells of a row) = Y ℓ − A Λ + Σ W + Σ log Z over sums of unseen cells."""
    forest = tables.forest
    live = live_cells(forest, codes)
    log_prob = _seen(tables, codes, live)
    unseen: dict[int, Unseen] = {}
    for d in reversed(forest.order):
        rows = np.flatnonzero(live[:, d] & (codes[:, d] < 0))
        if len(rows):
            v, W = level_above(forest, codes, d), effect(forest, d)
            B, scale = _gather(tables, codes, live, unseen, d, rows)
            log_prob[rows] += scale
            top, free = np.flatnonzero(v[rows] >= 0), np.flatnonzero(v[rows] < 0)
            Z = np.ones((len(rows), log_prob.shape[1]))
            Z[top] = B.take(top).sum_levels(np.exp(W)[v[rows[top]], None, :])[:, 0, :]
            log_prob[rows] += np.log(Z)
            message = B.take(free).sum_levels(np.broadcast_to(np.exp(W), (len(free), *W.shape)))
            unseen[d] = Unseen(rows, B, Z, rows[free], message)
    return Evidence(tables, codes, live, log_prob, unseen)


def _seen(tables: Tables, codes: Codes, live: Bool[np.ndarray, "N D"]) -> Float[np.ndarray, "N T"]:
    """Y ℓ − A Λ + Σ W: A tells the seen parents' levels, edge by edge, above live cells."""
    levels, forest = tables.levels, tables.forest
    Y = levels.one_hot(codes)
    if not forest.edges:
        return Y @ tables.log
    W_seen = np.zeros(len(codes))
    A = []
    for d in forest.edges:
        v, W = level_above(forest, codes, d), forest.effects[d]
        A.append((v[:, None] == np.arange(len(W))) & live[:, d, None])
        both = (v >= 0) & (codes[:, d] >= 0)
        W_seen[both] += W[v[both], codes[both, d]]
    log_prob = np.concatenate([Y, *A], axis=1) @ tables.stacked
    log_prob += W_seen[:, None]
    return log_prob


def _distinct(
    bits: Bool[np.ndarray, "R C"],
) -> tuple[Float[np.ndarray, "U C"], Int[np.ndarray, " R"]]:
    """The different rows, and which of them each row is."""
    packed = np.ascontiguousarray(np.packbits(bits, axis=1))
    whole = packed.view(f"V{packed.shape[1]}")[:, 0]
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    return bits[first].astype(float), which.reshape(-1)


def _gather(
    tables: Tables,
    codes: Codes,
    live: Bool[np.ndarray, "N D"],
    unseen: dict[int, Unseen],
    d: int,
    rows: Int[np.ndarray, " R"],
) -> tuple[Factor, Float[np.ndarray, "R T"]]:
    """B of column d from its children, at most 1, and the logarithm that was taken out."""
    forest, children = tables.forest, tables.forest.children[d]
    below, lives = codes[np.ix_(rows, children)], live[np.ix_(rows, children)]
    summed = lives & (below < 0)
    omega = np.zeros((len(rows), tables.levels.cards[d]))
    reach = np.zeros(len(rows))  # how far the children can pull B's levels apart
    for i, c in enumerate(children):
        W, seen = forest.effects[c], below[:, i] >= 0
        omega[seen] += W.T[below[seen, i]]
        reach += lives[:, i] * (W.max() - W.min())
    highest = omega.max(1, keepdims=True)
    omega -= highest
    steep = reach > STEEP
    own = np.flatnonzero(summed.any(1) | steep)

    kinds, pattern = _distinct(lives)
    shared = tables.log[tables.levels.at(d)] - np.tensordot(kinds, tables.below[d], 1)
    scale = shared.max(1)[pattern] + highest
    G = np.empty((len(shared) + len(own), *shared.shape[1:]))
    np.exp(shared - shared.max(1, keepdims=True), out=G[: len(shared)])
    if len(own):
        mine = G[len(shared) :]
        mine[:] = 1.0
        for i, c in enumerate(children):
            at = np.flatnonzero(summed[own, i])
            if len(at):
                mine[at] *= unseen[c].to_parent(rows[own[at]])
        for run, shape in Factor(omega[own], G, pattern[own]).runs():
            mine[run] *= shape
        for j in np.flatnonzero(steep[own]):
            n = own[j]
            F = shared[pattern[n]] - shared[pattern[n]].max(0) + omega[n][:, None]
            for i in np.flatnonzero(summed[n]):
                F = F + np.log(unseen[children[i]].to_parent(rows[n : n + 1])[0])
            scale[n] += F.max(0)
            mine[j] = np.exp(F - F.max(0))
            omega[n] = 0
        top = mine.max(1)
        mine /= top[:, None, :]
        scale[own] += np.log(top)
        pattern[own] = len(shared) + np.arange(len(own))
    return Factor(np.exp(omega), G, pattern), scale
