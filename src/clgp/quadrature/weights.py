"""Members' weights in the union: those that make held-back cells likely.

A pull of a few cells to equal weights; members that end with next to nothing are dropped.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from clgp.heldback import Held
from clgp.mixture import Mixture
from clgp.typing import Float

PULL: Final = 5.0  # cells in favour of equal weights
ROUNDS: Final = 300
DROP: Final = 0.05  # weight below which a member goes


def learn_weights(members: Sequence[Mixture], held: Held) -> Float[np.ndarray, " M"]:
    """Weights π of the union Σ_m π_m p_m that make the hidden cells likely.

    Maximises Σ_c log (Σ_m π_m e_m p_mc / Σ_m π_m e_m) + pull/M Σ_m log π_m with e_m the evidence
    of what the row shows and p_mc the member's probability of the cell.
    """
    M = len(members)
    evidence = np.stack([m.log_prob(held.given)[held.row] for m in members], 1)
    cells = -np.stack([held.losses(m) for m in members], 1)
    pull = PULL / max(1, len(held.row))
    log_pi = np.full(M, -np.log(M))
    for _ in range(ROUNDS):
        after = held.weight @ _shares(log_pi + evidence + cells)
        before = held.weight @ _shares(log_pi + evidence)
        slope = after - before + pull * (1 / M - np.exp(log_pi))
        log_pi = log_pi + 2 / (1 + 2 * pull) * slope
        log_pi -= np.log(np.exp(log_pi).sum())
    pi = np.where(np.exp(log_pi) < DROP, 0.0, np.exp(log_pi))
    return pi / pi.sum()


def even(M: int) -> Float[np.ndarray, " M"]:
    """Equal weights."""
    return np.full(M, 1 / M)


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
