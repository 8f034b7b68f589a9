"""One order of rows and columns for any order in which a table comes.

Sums in floating point depend on their order, and random numbers are dealt out in order. A fit
therefore works on columns sorted by what they hold, so that permuting a table permutes its
answers and changes nothing else. Like columns come to lie side by side, as the engine wants it.
"""

from typing import Any, Final

import numpy as np

from clgp.forest import ROOT, Forest
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.typing import Codes, Float, Int

ROUNDS: Final = 3  # of telling columns apart by the rows they share
GRAIN: Final = 1 << 20  # of row weights, taken as integers


def stir(x: Any) -> Any:
    """A hash of each 64-bit number (splitmix64); sums of them do not depend on their order."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def column_order(
    codes: Codes, weights: Float[np.ndarray, " N"], levels: Levels, ordinal: tuple[bool, ...]
) -> Int[np.ndarray, " D"]:
    """Columns by number of levels, kind, and contents."""
    mass = np.round(weights * GRAIN).astype(np.uint64)
    cells = stir((codes + 1).astype(np.uint64))
    kind = stir(levels.card.astype(np.uint64) * np.uint64(2) + np.asarray(ordinal, np.uint64))
    name = kind
    for _ in range(ROUNDS):
        rows = stir(stir(cells + name).sum(1, dtype=np.uint64))
        name = stir((stir(rows[:, None] + cells) * mass[:, None]).sum(0, dtype=np.uint64) + kind)
    return np.lexsort((name, np.asarray(ordinal), levels.card))


def reorder(mixture: Mixture, order: Int[np.ndarray, " D"]) -> Mixture:
    """The mixture over columns `order`, in that order."""
    levels, forest = mixture.levels, mixture.forest
    place = np.argsort(order)
    if forest is not None:
        parents = forest.parents[order]
        parents = np.where(parents == ROOT, ROOT, place[parents])
        forest = Forest(parents, tuple(forest.effects[d] for d in order.tolist()))
    cards = tuple(levels.cards[d] for d in order.tolist())
    tables = mixture.log_tables[:, levels.select(order)]
    return Mixture(Levels(cards), mixture.log_weights, tables, forest)
