"""The Chow–Liu tree: p(y) = Π_d p(y_d | y_pa(d)), a Mixture of one component with a forest.

Edges are the maximum spanning forest of the mutual information less a price; conditionals are
shrunk to the column's marginal by s rows. Pairs with a missing cell are left out of the counts.
"""

from typing import Final

import numpy as np

from clgp.baselines.frequency import shares
from clgp.forest import Forest
from clgp.heldback import hold_back
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.pairs import mutual_information, pair_counts, spanning_forest, sum_pairs
from clgp.tables.split import collapse
from clgp.typing import Codes, Float

HALF: Final = 0.5  # added to every level's count before anything is shrunk to the marginal
CANDIDATES: Final = tuple((s, price) for price in (1.0, 0.0) for s in (8.0, 2.0, 0.5))


def fit_tree(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    key: np.random.Generator,
) -> Mixture:
    """The tree whose shrinkage and price predict held-back cells best, fitted to all rows."""
    codes, weights, _ = collapse(codes, weights)
    rest, held = hold_back(codes, weights, levels, key=key)
    N = pair_counts(codes, rest, levels)
    marginal = shares(codes, rest, levels, alpha=HALF)
    loss = [
        held.mean(held.losses(tree(N, marginal, levels, s=s, price=price)))
        for s, price in CANDIDATES
    ]
    s, price = CANDIDATES[int(np.argmin(loss))]
    N += pair_counts(codes, weights - rest, levels)
    return tree(N, shares(codes, weights, levels, alpha=HALF), levels, s=s, price=price)


def tree(
    N: Float[np.ndarray, "L L"],
    marginal: Float[np.ndarray, " L"],
    levels: Levels,
    *,
    s: float,
    price: float,
) -> Mixture:
    """From pair counts: p(k | v) = (N_vk + s m_k) / (Σ_k N_vk + s), m = (n_k + s p̂_k) / (n + s).

    Gain of an edge: mutual information − price (K_i − 1)(K_j − 1) / 2n.
    """
    n = np.diag(N)
    m = (n + s * marginal) / (levels.spread(levels.sum(n)) + s)
    free = levels.card - 1.0
    paid = price * np.outer(free, free) / (2 * np.maximum(sum_pairs(N, levels), 1.0))
    edges = []
    for parent, child in spanning_forest(mutual_information(N, levels) - paid):
        own = levels.at(child)
        J = N[levels.at(parent), own] + s * m[own]
        edges.append((parent, child, np.log(J / J.sum(1, keepdims=True)) - np.log(m[own])))
    return Mixture(levels, np.zeros(1), np.log(m)[None], Forest.of(levels, edges))
