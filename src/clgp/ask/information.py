"""How much one column would tell about another, given what is known of a row.

I(i; j | case) = Σ_k p(y_j = k) KL( p(y_i | y_j = k) ‖ p(y_i) ): j is clamped to each of its levels
in turn, which tells the information of every column about j at once.
"""

from dataclasses import dataclass

import numpy as np

from clgp.answers import Answers
from clgp.levels import Levels
from clgp.typing import Float, Int


def information_about(
    answers: Answers, case: Int[np.ndarray, "1 D"], j: int
) -> Float[np.ndarray, " D"]:
    """I(i; j | the seen cells of the case) in nats for every column i; 0 where i is seen."""
    clamped = np.repeat(case, answers.levels.cards[j], axis=0)
    clamped[:, j] = np.arange(len(clamped))
    p = answers.probabilities(case)[0, answers.levels.at(j)]
    return _information(answers.levels, p, answers.probabilities(clamped))


def mutual_information(answers: Answers, case: Int[np.ndarray, "1 D"]) -> Float[np.ndarray, "D D"]:
    """I(i; j | the seen cells of the case) in nats for all pairs; the entropies on the diagonal."""
    levels = answers.levels
    now = answers.probabilities(case)[0]
    clamped = np.repeat(case, levels.L, axis=0)
    clamped[np.arange(levels.L), levels.column] = np.arange(levels.L) - levels.starts[levels.column]
    P = answers.probabilities(clamped)
    told = [_information(levels, now[levels.at(j)], P[levels.at(j)]) for j in range(levels.D)]
    both = np.stack(told) * (case < 0) * (case < 0).T
    return (both + both.T) / 2


def _information(
    levels: Levels, p: Float[np.ndarray, " K"], P: Float[np.ndarray, "K L"]
) -> Float[np.ndarray, " D"]:
    """Σ_k p_k KL(P_k ‖ Σ_k p_k P_k), column by column."""
    mean = p @ P
    there = (P > 0) & (mean > 0)
    gain = P * np.log(np.where(there, P, 1.0) / np.where(there, mean, 1.0))
    return np.maximum(levels.sum(p @ gain), 0.0)


@dataclass(frozen=True)
class Ranking:
    """Which unseen cells to ask for next, the most telling first."""

    columns: Int[np.ndarray, " C"]
    nats: Float[np.ndarray, " C"]
    cost: Float[np.ndarray, " C"]


def rank_next(
    answers: Answers,
    case: Int[np.ndarray, "1 D"],
    *,
    target: int | None,
    cost: Float[np.ndarray, " D"],
    exclude: Int[np.ndarray, " _"],
) -> Ranking:
    """Unseen columns by what they tell about the target a unit of cost.

    Without a target: by what they tell about all other unseen columns together.
    """
    if target is None:
        pairs = mutual_information(answers, case)
        nats = pairs.sum(1) - pairs.diagonal()
    else:
        nats = information_about(answers, case, target)
    open_ = case[0] < 0
    open_[exclude] = False
    if target is not None:
        open_[target] = False
    columns = np.flatnonzero(open_)
    order = np.argsort(-nats[columns] / cost[columns], kind="stable")
    columns = columns[order]
    return Ranking(columns, nats[columns], cost[columns])
