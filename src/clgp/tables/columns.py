"""What each kind of column owes, and the parts that kinds share; `kinds` holds the kinds."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from clgp.tables.cells import Cells, Type
from clgp.tables.errors import InputError, listing
from clgp.tables.text import as_numbers, canonical
from clgp.typing import Int

MISSING, UNSEEN = -1, -2
MANY_LEVELS = 100


class Column(ABC):
    """A column's kind. Owes its levels, the codes of cells, and what a filled cell gets."""

    kind: ClassVar[str]
    ordered: ClassVar[bool] = False
    modelled: ClassVar[bool] = True
    levels: Sequence[Any]
    missing: Sequence[Any]
    labels: Mapping[str, str]
    type: Type
    why: str
    suspects: Sequence[str]

    @abstractmethod
    def lookup(self, cells: Cells) -> Int[np.ndarray, " K"]:
        """The code of each distinct value; −1 for a missing code, −2 where unseen."""

    @property
    @abstractmethod
    def fillings(self) -> tuple[str, ...]:
        """The text that a filled cell gets, for each level."""

    def note(self, name: str) -> list[str]:
        """Sentences a user should read about the column."""
        notes = []
        if len(self.levels) > MANY_LEVELS:
            notes.append(
                f"Column '{name}' has {len(self.levels):,} levels; grouping them would make its "
                "probabilities surer."
            )
        if not self.suspects:
            return notes
        some = listing(map(repr, self.suspects))
        return [
            *notes,
            f"Column '{name}' holds {some}, which may stand for a missing answer; it counts as "
            f"a level unless the schema lists it under missing.",
        ]

    @property
    def names(self) -> tuple[str, ...]:
        """The levels as people call them: value labels where there are any."""
        labels = tuple(self.labels.get(level) or level for level in self.levels)
        return labels if len(set(labels)) == len(labels) else tuple(self.levels)

    def to_json(self) -> dict[str, Any]:
        """The column as plain data, defaults left out."""
        told: dict[str, Any] = {"kind": self.kind}
        for one in fields(self):  # pyright: ignore[reportArgumentType]
            value = getattr(self, one.name)
            if one.init and value not in (one.default, {}, ()):
                told[one.name] = list(value) if isinstance(value, tuple) else value
        return told


def by_level(column: Column, cells: Cells) -> Int[np.ndarray, " K"]:
    """Codes by text first; then, where that is unambiguous, by number, truth value and label."""
    place = dict.fromkeys(column.missing, MISSING) | {t: k for k, t in enumerate(column.levels)}
    texts = cells.texts
    codes = np.array([place.get(t, UNSEEN) for t in texts], dtype=np.int64)
    if not (codes == UNSEEN).any():
        return codes
    words = list(place)
    numbers = as_numbers(words).tolist()
    also: dict[Any, int] = {}
    for key in (
        [None if np.isnan(x) else x for x in numbers],
        [w.casefold() if w.casefold() in {"true", "false"} else None for w in words],
        [column.labels.get(w) for w in words],
    ):
        times = Counter(key)
        for one, code in zip(key, place.values(), strict=True):
            if one is not None and times[one] == 1:
                also.setdefault(one, code)
    for i in np.flatnonzero(codes == UNSEEN):
        keys = (cells.numbers[i], texts[i].strip().casefold(), texts[i])
        codes[i] = next((also[key] for key in keys if key in also), UNSEEN)
    return codes


def plain(column: Any) -> None:
    """Sequences as tuples of texts, labels as a dict."""
    for name in ("missing", "suspects"):
        value = getattr(column, name)
        if isinstance(value, str):
            raise InputError(f"'{name}' must be a list of texts; got the text {value!r}.")
        object.__setattr__(column, name, tuple(map(canonical, value)))
    labels = {canonical(k): str(v) for k, v in column.labels.items()}
    object.__setattr__(column, "labels", labels)


def settle(column: Any) -> None:
    """As `plain`, and levels checked."""
    plain(column)
    if isinstance(column.levels, str):
        raise InputError(f"'levels' must be a list of texts; got the text {column.levels!r}.")
    levels = tuple(map(canonical, column.levels))
    object.__setattr__(column, "levels", levels)
    if "" in levels:
        raise InputError("The empty text cannot be a level: an empty cell is a hole.")
    repeated = sorted({level for level in levels if levels.count(level) > 1})
    if repeated:
        raise InputError(f"Levels must differ, but {listing(map(repr, repeated))} is repeated.")
    if len(levels) < 2:
        raise InputError(
            f"A {column.kind} column needs at least two levels; got "
            f"{listing(map(repr, levels)) or 'none'}. Make it ignored, or list all its levels."
        )
    both = [level for level in levels if level in column.missing]
    if both:
        raise InputError(
            f"{listing(map(repr, both))} is both a level and a missing code; keep one."
        )


def bins(edges: Sequence[float | int], *, whole: bool) -> tuple[str, ...]:
    """Numbers between edges, in words.

    Example:
        >>> bins([1.5, 2.0], whole=False)
        ('below 1.5', '1.5 to <2', '2 or more')
    """
    whole = whole and all(float(x).is_integer() for x in edges)
    words = list(map(canonical, edges))
    middle = [f"{a} to <{b}" for a, b in pairwise(words)]
    if whole:
        middle = [
            f"{a:.0f}" if b - a == 1 else f"{a:.0f} to {b - 1:.0f}" for a, b in pairwise(edges)
        ]
    return (f"below {words[0]}", *middle, f"{words[-1]} or more")
