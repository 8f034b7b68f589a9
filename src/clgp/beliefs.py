"""The pass down the forest: what each unseen cell is, given the seen ones.

ρ_d[n, k, t] = p(component t, y_d = k | seen). At a root, or below a seen parent at level v, it is
R · exp(W_d[v, k]) B_d / Z; below an unseen parent
ρ_d[k, t] = B_d[k, t] Σ_v exp(W_d[v, k]) ρ_pa[v, t] / S_d[v, t], S_d the message that went up.
Draws take the same way down with one component and one level a row.
"""

from dataclasses import dataclass, replace

import numpy as np

from clgp.factor import Factor
from clgp.forest import ROOT
from clgp.passes import Evidence, effect, level_above
from clgp.typing import Codes, Float, Int


@dataclass(frozen=True)
class _Joint:
    """ρ of one column in those rows where a cell below needs it."""

    rows: Int[np.ndarray, " S"]
    rho: Float[np.ndarray, "S K T"]

    @classmethod
    def empty(cls, rows: Int[np.ndarray, " S"], K: int, T: int) -> "_Joint":
        return cls(rows, np.empty((len(rows), K, T)))

    def put(self, rows: Int[np.ndarray, " P"], rho: Float[np.ndarray, "P K T"]) -> None:
        self.rho[np.searchsorted(self.rows, rows)] = rho

    def get(self, rows: Int[np.ndarray, " P"]) -> Float[np.ndarray, "P K T"]:
        return self.rho[np.searchsorted(self.rows, rows)]


def beliefs(evidence: Evidence, R: Float[np.ndarray, "N T"]) -> Float[np.ndarray, "N L"]:
    """Probability of every level of every cell under responsibilities R; seen cells are certain."""
    levels, forest, codes = evidence.tables.levels, evidence.tables.forest, evidence.codes
    P = levels.one_hot(codes)
    _independent(evidence, R, P)
    joint: dict[int, _Joint] = {}
    for d in forest.order:
        if not forest.joined[d]:
            continue
        passes_on = (codes[:, d] < 0) & np.any(codes[:, forest.children[d]] < 0, axis=1)
        joint[d] = _Joint.empty(np.flatnonzero(passes_on), levels.cards[d], R.shape[1])
        for rows, B in _unseen(evidence, d):
            v, W = level_above(forest, codes, d)[rows], np.exp(effect(forest, d))
            top, free = np.flatnonzero(v >= 0), np.flatnonzero(v < 0)
            if len(top):
                below = B.take(top)
                below = replace(below, tilt=below.tilt * W[v[top]])
                Q = R[rows[top]] / _total(evidence, d, rows[top], v[top])
                P[rows[top], levels.at(d)] = below.sum_components(Q)
                on = np.flatnonzero(passes_on[rows[top]])
                if len(on):
                    each = np.repeat(Q[on][:, None, :], W.shape[1], axis=1)
                    joint[d].put(rows[top[on]], below.take(on).times(each))
            if len(free):
                rho = joint[int(forest.parents[d])].get(rows[free])
                rho /= _sent_up(evidence, d, rows[free])
                rho = B.take(free).times(W.T @ rho)
                P[rows[free], levels.at(d)] = rho.sum(2)
                on = passes_on[rows[free]]
                joint[d].put(rows[free[on]], rho[on])
    return P


def _independent(
    evidence: Evidence, R: Float[np.ndarray, "N T"], P: Float[np.ndarray, "N L"]
) -> None:
    """Fills in the unseen cells of columns without an edge: one product, R exp ℓᵀ."""
    tables, codes = evidence.tables, evidence.codes
    columns = np.flatnonzero(~tables.forest.joined)
    missing = codes[:, columns] < 0
    if not missing.any():
        return
    at = tables.levels.select(columns)
    prob = tables.prob if len(at) == tables.levels.L else tables.prob[at]
    P[:, at] += np.repeat(missing, tables.levels.card[columns], axis=1) * (R @ prob.T)


def _unseen(evidence: Evidence, d: int) -> list[tuple[Int[np.ndarray, " R"], Factor]]:
    """The rows in which d is unseen, and B there: with evidence below, and without (B = exp ℓ)."""
    tables = evidence.tables
    hidden = evidence.codes[:, d] < 0
    found = []
    if d in evidence.unseen:
        found.append((evidence.unseen[d].rows, evidence.unseen[d].B))
    rows = np.flatnonzero(hidden & ~evidence.live[:, d])
    if len(rows):
        prob = tables.prob[None, tables.levels.at(d)]
        found.append(
            (rows, Factor(np.ones((len(rows), prob.shape[1])), prob, np.zeros(len(rows), np.int64)))
        )
    return found


def _total(
    evidence: Evidence, d: int, rows: Int[np.ndarray, " R"], v: Int[np.ndarray, " R"]
) -> Float[np.ndarray, "R T"] | float:
    """Z_d = Σ_k exp(W_d[v, k]) B_d[k] at a root or below a seen parent at level v."""
    if d in evidence.unseen and evidence.live[rows[0], d]:
        cell = evidence.unseen[d]
        return cell.Z[np.searchsorted(cell.rows, rows)]
    if evidence.tables.forest.parents[d] == ROOT:
        return 1.0
    return np.exp(evidence.tables.normaliser[d])[v]


def _sent_up(
    evidence: Evidence, d: int, rows: Int[np.ndarray, " F"]
) -> Float[np.ndarray, "F V T"] | Float[np.ndarray, "1 V T"]:
    """S_d: the message of d to its unseen parent; exp Λ_d where nothing below is seen."""
    if d in evidence.unseen and evidence.live[rows[0], d]:
        return evidence.unseen[d].to_parent(rows)
    return np.exp(evidence.tables.normaliser[d])[None]


def draw_cells(
    evidence: Evidence,
    rows: Int[np.ndarray, " S"],
    t: Int[np.ndarray, " S"],
    uniform: Float[np.ndarray, "S D"],
) -> Codes:
    """A joint draw of all unseen cells of `rows`, each given its component: roots first.

    Cell d falls where its uniform number lies on the scale of p(y_d | the level above, below).
    """
    tables, forest = evidence.tables, evidence.tables.forest
    out = evidence.codes[rows]
    for d in forest.order:
        open_ = np.flatnonzero(out[:, d] < 0)
        if not len(open_):
            continue
        p = np.empty((len(open_), tables.levels.cards[d]))
        for mine, B in _unseen(evidence, d):
            here = np.isin(rows[open_], mine)
            at = np.searchsorted(mine, rows[open_[here]])
            p[here] = B.at(at, t[open_[here]])
        if forest.parents[d] != ROOT:
            p *= np.exp(effect(forest, d))[level_above(forest, out, d)[open_]]
        scale = np.cumsum(p, axis=1)
        u = uniform[open_, d] * scale[:, -1]
        out[open_, d] = (u[:, None] >= scale[:, :-1]).sum(1)
    return out
