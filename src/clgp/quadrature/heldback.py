"""Cells held back from the fits, and what they say about members.

A tenth of the rows is kept apart; of each some cells are hidden, several times over with other
cells, and a mixture is judged by the probability that it gives them. The members' weights in the
union are those that make these cells likely, with a pull of a few cells to equal weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from clgp.mixture import Mixture
from clgp.quadrature.columns import Problem
from clgp.typing import Codes, Float, Int

SHARE: Final = 0.1  # of the rows
CELLS: Final = 600  # hidden cells aimed at; rows are repeated until then
HIDDEN: Final = 0.2  # of a row's cells in every second repeat; one cell in the others
MOST: Final = 30  # repeats
PULL: Final = 5.0  # cells in favour of equal weights
ROUNDS: Final = 300
DROP: Final = 0.01  # weight below which a member goes
FLOOR: Final = 1e-9


@dataclass(frozen=True)
class HeldBack:
    """Rows with cells hidden, and the hidden levels: row, place on the flat axis, weight."""

    given: Codes
    row: Int[np.ndarray, " cells"]
    place: Int[np.ndarray, " cells"]
    weight: Float[np.ndarray, " cells"]


def divide(problem: Problem, key: np.random.Generator) -> tuple[Problem, Problem]:
    """Nine tenths and one tenth of the rows; a row of weight 2 counts as two rows."""
    whole = np.floor(problem.weights)
    rest = problem.weights - whole
    apart = key.binomial(whole.astype(np.int64), SHARE) + rest * (key.random(len(rest)) < SHARE)
    return _weighted(problem, problem.weights - apart), _weighted(problem, apart)


def _weighted(problem: Problem, weights: Float[np.ndarray, " N"]) -> Problem:
    some = weights > 0
    return replace(problem, codes=problem.codes[some], weights=weights[some])


def hide(apart: Problem, key: np.random.Generator) -> HeldBack:
    """Hides one cell and a fifth of the cells in turn, until enough cells are hidden."""
    seen = apart.codes >= 0
    many = np.maximum(1, np.floor(HIDDEN * seen.sum(1) + 0.5))
    given, rows, places, weights, base = [], [], [], [], 0
    for repeat in range(MOST):
        count = (many if repeat % 2 else 1) * (seen.any(1) > 0)
        order = np.argsort(np.where(seen, key.random(seen.shape), 2.0), axis=1)
        rank = np.argsort(order, axis=1)
        hidden = seen & (rank < np.broadcast_to(count, len(seen))[:, None])
        n, d = np.nonzero(hidden)
        given.append(np.where(hidden, -1, apart.codes))
        rows.append(base + n)
        places.append(apart.levels.starts[d] + apart.codes[n, d])
        weights.append(apart.weights[n])
        base += len(seen)
        if repeat % 2 and sum(map(len, rows)) >= CELLS:
            break
    return HeldBack(*(np.concatenate(part) for part in (given, rows, places, weights)))


def cell_log_prob(mixture: Mixture, held: HeldBack) -> Float[np.ndarray, " cells"]:
    """Log-probability of every hidden cell given what its row shows."""
    P = mixture.probabilities(held.given)[held.row, held.place]
    return np.log(np.maximum(P, FLOOR))


def loss(mixture: Mixture, held: HeldBack) -> float:
    """Mean nats per hidden cell."""
    return -float(np.average(cell_log_prob(mixture, held), weights=held.weight))


def learn_weights(members: Sequence[Mixture], held: HeldBack) -> Float[np.ndarray, " M"]:
    """Weights π of the union Σ_m π_m p_m that make the hidden cells likely.

    Maximises Σ_c log (Σ_m π_m e_m p_mc / Σ_m π_m e_m) + pull/M Σ_m log π_m with e_m the evidence
    of what the row shows and p_mc the member's probability of the cell.
    """
    M = len(members)
    evidence = np.stack([m.log_prob(held.given)[held.row] for m in members], 1)
    cells = np.stack([cell_log_prob(m, held) for m in members], 1)
    log_pi = np.full(M, -np.log(M))
    rate = 1 / (held.weight.sum() / 2 + PULL)
    for _ in range(ROUNDS):
        after = held.weight @ _shares(log_pi + evidence + cells)
        before = held.weight @ _shares(log_pi + evidence)
        log_pi = log_pi + rate * (after - before + PULL / M - PULL * np.exp(log_pi))
        log_pi -= np.log(np.exp(log_pi).sum())
    pi = np.where(np.exp(log_pi) < DROP, 0.0, np.exp(log_pi))
    return pi / pi.sum()


def _shares(a: Float[np.ndarray, "C M"]) -> Float[np.ndarray, "C M"]:
    e = np.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def union(members: Sequence[Mixture], weights: Float[np.ndarray, " M"]) -> Mixture:
    """Σ_m π_m p_m: members' components side by side; those without weight left out."""
    kept = [(m, pi) for m, pi in zip(members, weights.tolist(), strict=True) if pi > 0]
    return Mixture(
        kept[0][0].levels,
        np.concatenate([m.log_weights + np.log(pi) for m, pi in kept]),
        np.concatenate([m.log_tables for m, _ in kept]),
    )
