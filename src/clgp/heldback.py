"""Held-back cells: how every choice between candidate models is made before all rows are used.

A share of the rows is held back; their copies hide one cell or a fifth of them, and what a
candidate says of the hidden cells is its loss. Equal rows come with a weight: of whole weights
single rows are held back, so that doubled rows and weights of two give one answer. Losses of two
candidates on the same cells are compared with the noise of their difference (`gain`).
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from clgp.answers import Answers
from clgp.levels import Levels
from clgp.tables.split import hide
from clgp.typing import Codes, Float, Int

SHARE: Final = 0.1  # of the rows held back
MOST: Final = 2_000  # rows held back of a large table: enough for any choice
CELLS: Final = 600  # hidden cells of each kind aimed at; rows are repeated under other masks
ROWS: Final = 200  # held-back rows aimed at by drawing them again from a small table
FOLDS: Final = 4  # times that this is done at most
KINDS: Final[tuple[float | Literal["one"], ...]] = ("one", 0.2)


@dataclass(frozen=True)
class Held:
    """C hidden cells of H rows with holes; `place` is the true level on the flat axis."""

    given: Codes
    row: Int[np.ndarray, " C"]
    place: Int[np.ndarray, " C"]
    weight: Float[np.ndarray, " C"]  # of a cell: sums to one, each kind of mask the same
    source: Int[np.ndarray, " C"]  # the held-back row of the cell: cells of one row go together

    def losses(self, answers: Answers) -> Float[np.ndarray, " C"]:
        """−log p(true level) of every hidden cell."""
        with np.errstate(divide="ignore"):
            return -np.log(answers.probabilities(self.given)[self.row, self.place])

    def some(self, most: int) -> "Held":
        """At most so many of the rows with holes, evenly spaced."""
        step = max(1, -(-len(self.given) // max(most, 1)))
        kept = self.row % step == 0
        w = self.weight[kept]
        return Held(
            self.given[::step],
            self.row[kept] // step,
            self.place[kept],
            w / max(w.sum(), 1e-300),
            self.source[kept],
        )

    def mean(self, losses: Float[np.ndarray, " C"]) -> float:
        """Nats a cell."""
        return float(self.weight @ losses)

    def gain(
        self, before: Float[np.ndarray, " C"], after: Float[np.ndarray, " C"]
    ) -> tuple[float, float]:
        """What `after` spares in nats a cell, and the standard error of that over rows."""
        each = before - after
        mean = float(self.weight @ each)
        by_row = np.bincount(self.source, self.weight * (each - mean))
        return mean, float(np.sqrt((by_row**2).sum()))


def hold_back(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    share: float = SHARE,
    cells: int = CELLS,
    key: np.random.Generator,
) -> tuple[Float[np.ndarray, " N"], Held]:
    """The weights that stay to be fitted, and the held-back cells.

    A table of one row is its own held-back row.
    """
    held = _share_of(weights, share, key)
    rest = weights - held if np.any(weights > held) else weights
    rows, mass = np.flatnonzero(held), held[held > 0]
    if _whole(weights):
        rows, mass = np.repeat(rows, mass.astype(np.int64)), np.ones(int(mass.sum()))
    return rest, hidden_cells(codes[rows], mass, levels, cells=cells, key=key)


def hold_back_often(
    codes: Codes, weights: Float[np.ndarray, " N"], levels: Levels, *, key: np.random.Generator
) -> list[tuple[Float[np.ndarray, " N"], Held]]:
    """Several draws of `hold_back` where one would hold too few rows for a choice."""
    N = weights.sum() if _whole(weights) else np.count_nonzero(weights)
    times = int(np.clip(np.ceil(ROWS / max(SHARE * N, 1)), 1, FOLDS))
    return [hold_back(codes, weights, levels, key=key) for _ in range(times)]


def hidden_cells(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    cells: int = CELLS,
    key: np.random.Generator,
) -> Held:
    """Copies of the rows with one observed cell hidden, and others with a fifth of them."""
    parts = []
    for kind in KINDS:
        a_copy = max(1, int(hide(codes, share=kind, key=key).sum()))
        copies = min(max(1, -(-cells // a_copy)), max(1, levels.D))
        source = np.tile(np.arange(len(codes)), copies)
        mask = hide(codes[source], share=kind, key=key)
        n, d = np.nonzero(mask)
        w = weights[source[n]]
        place = levels.starts[d] + codes[source[n], d]
        given = np.where(mask, -1, codes[source])
        parts.append((given, n, place, w / max(w.sum(), 1e-300) / len(KINDS), source[n]))
    given, row, place, weight, source = zip(*parts, strict=True)
    below = np.cumsum([0, *(len(g) for g in given[:-1])])
    return Held(
        np.concatenate(given),
        np.concatenate([n + start for n, start in zip(row, below, strict=True)]),
        np.concatenate(place),
        np.concatenate(weight),
        np.concatenate(source),
    )


def _whole(weights: Float[np.ndarray, " N"]) -> bool:
    return bool(np.all(weights == np.floor(weights)))


def _share_of(
    weights: Float[np.ndarray, " N"], share: float, key: np.random.Generator
) -> Float[np.ndarray, " N"]:
    """How much of each row is held back: single rows of whole weights, else rows altogether."""
    units = weights.astype(np.int64) if _whole(weights) else (weights > 0).astype(np.int64)
    total = int(units.sum())
    count = min(max(1, int(share * total + 0.5)), MOST, max(1, total - 1))
    drawn = key.multivariate_hypergeometric(units, min(count, total), method="marginals")
    return drawn.astype(float) if _whole(weights) else np.where(drawn > 0, weights, 0.0)
