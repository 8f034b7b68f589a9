"""Pairs of columns: how often two levels were seen together, and the best forest over columns.

Both halves of every model with edges: `baselines.tree` and the forest of `quadrature.settle`.
"""

from typing import Final

import numpy as np

from clgp.levels import Levels
from clgp.typing import Bool, Codes, Float

BLOCK: Final = 4_000_000  # numbers of one block of one-hot rows


def pair_counts(
    codes: Codes, weights: Float[np.ndarray, " N"], levels: Levels
) -> Float[np.ndarray, "L L"]:
    """Yᵀ diag(w) Y: weight of the rows in which both levels were seen."""
    N = np.zeros((levels.L, levels.L))
    rows = max(1, BLOCK // levels.L)
    for first in range(0, len(codes), rows):
        Y = levels.one_hot(codes[first : first + rows])
        N += Y.T @ (weights[first : first + rows, None] * Y)
    return N


def sum_pairs(N: Float[np.ndarray, "L L"], levels: Levels) -> Float[np.ndarray, "D D"]:
    """Sums over the levels of both columns."""
    return levels.sum(levels.sum(N).T).T


def mutual_information(N: Float[np.ndarray, "L L"], levels: Levels) -> Float[np.ndarray, "D D"]:
    """Σ p_jk log p_jk / (p_j· p_·k) of every pair of columns, from rows in which both were seen."""
    total = np.maximum(sum_pairs(N, levels), 1e-300)
    P = N / levels.spread(levels.spread(total).T).T
    rows = levels.spread(levels.sum(P))
    ratio = np.divide(P, rows * rows.T, out=np.ones_like(P), where=P > 0)
    return sum_pairs(P * np.log(ratio), levels)


def spanning_forest(gain: Float[np.ndarray, "D D"]) -> list[tuple[int, int]]:
    """Edges (parent, child) of the maximum spanning forest of the positive gains, by Prim.

    Each tree hangs on its column with the largest sum of positive gains.
    """
    D = len(gain)
    gain = np.where(np.eye(D, dtype=bool), -np.inf, gain)
    worth = np.maximum(gain, 0).sum(1)
    inside: Bool[np.ndarray, " D"] = np.zeros(D, bool)
    best, source = np.zeros(D), np.full(D, -1)
    edges = []
    for _ in range(D):
        reach = np.where(inside, -np.inf, best)
        d = int(np.argmax(reach)) if D and reach.max() > 0 else -1
        if d < 0:
            d = int(np.argmax(np.where(inside, -np.inf, worth)))
        else:
            edges.append((int(source[d]), d))
        inside[d] = True
        closer = ~inside & (gain[d] > best)
        best[closer], source[closer] = gain[d][closer], d
    return edges
