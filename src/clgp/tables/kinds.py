"""The kinds of columns: nominal, ordinal, binary, numeric, ignored.

A new kind is a final class here with `levels`, `lookup` and `fillings`, and a line in `KINDS`;
`tests/tables/test_kinds.py` holds the laws that each kind then has to keep. `columns` says what
a kind owes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from clgp.tables.cells import Cells, Type
from clgp.tables.columns import MISSING, UNSEEN, Column, bins, by_level, plain, settle
from clgp.tables.errors import InputError, listing
from clgp.tables.text import as_numbers, canonical
from clgp.typing import Int


@dataclass(frozen=True)
class Nominal(Column):
    """Levels without an order.

    Example:
        >>> Nominal(["F", "M"]).levels
        ('F', 'M')
    """

    levels: Sequence[Any]
    missing: Sequence[Any] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "text"
    why: str = "given"
    suspects: Sequence[str] = ()
    kind: ClassVar[str] = "nominal"

    def __post_init__(self) -> None:
        settle(self)

    @property
    def fillings(self) -> tuple[str, ...]:
        """The levels themselves."""
        return tuple(self.levels)

    def lookup(self, cells: Cells) -> Int[np.ndarray, " K"]:
        """Levels by text, else by number, truth value or label."""
        return by_level(self, cells)


@dataclass(frozen=True)
class Ordinal(Column):
    """Levels from lowest to highest.

    Example:
        >>> Ordinal(["none", "mild", "severe"]).ordered
        True
    """

    levels: Sequence[Any]
    missing: Sequence[Any] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "text"
    why: str = "given"
    suspects: Sequence[str] = ()
    kind: ClassVar[str] = "ordinal"
    ordered: ClassVar[bool] = True

    def __post_init__(self) -> None:
        settle(self)

    @property
    def fillings(self) -> tuple[str, ...]:
        """The levels themselves."""
        return tuple(self.levels)

    def lookup(self, cells: Cells) -> Int[np.ndarray, " K"]:
        """Levels by text, else by number, truth value or label."""
        return by_level(self, cells)


@dataclass(frozen=True)
class Binary(Column):
    """Two levels.

    Example:
        >>> Binary(["no", "yes"]).kind
        'binary'
    """

    levels: Sequence[Any]
    missing: Sequence[Any] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "text"
    why: str = "given"
    suspects: Sequence[str] = ()
    kind: ClassVar[str] = "binary"

    def __post_init__(self) -> None:
        settle(self)
        if len(self.levels) != 2:
            raise InputError(f"A binary column has two levels; got {listing(self.levels)}.")

    @property
    def fillings(self) -> tuple[str, ...]:
        """The levels themselves."""
        return tuple(self.levels)

    def lookup(self, cells: Cells) -> Int[np.ndarray, " K"]:
        """Levels by text, else by number, truth value or label."""
        return by_level(self, cells)


@dataclass(frozen=True)
class Numeric(Column):
    """Numbers cut at edges e_1 < … < e_{K−1}; level k holds e_k ≤ x < e_{k+1}.

    A filled cell gets `values[k]`, a middle value of the training rows in that level.

    Example:
        >>> Numeric([30, 50], values=["24", "41", "66"], type="integer").levels
        ('below 30', '30 to 49', '50 or more')
    """

    edges: Sequence[float | int]
    values: Sequence[Any]
    missing: Sequence[Any] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "number"
    why: str = "given"
    suspects: Sequence[str] = ()
    distinct: int = 0
    levels: Sequence[Any] = field(init=False, compare=False)
    kind: ClassVar[str] = "numeric"
    ordered: ClassVar[bool] = True

    def __post_init__(self) -> None:
        plain(self)
        edges = [float(e) for e in self.edges]
        object.__setattr__(self, "edges", tuple(edges))
        object.__setattr__(self, "values", tuple(map(canonical, self.values)))
        if not edges or not np.isfinite(edges).all() or np.any(np.diff(edges) <= 0):
            raise InputError(f"Edges must be finite numbers that rise; got {list(self.edges)}.")
        object.__setattr__(self, "levels", bins(edges, whole=self.type == "integer"))
        if len(self.values) != len(edges) + 1:
            raise InputError(
                f"A numeric column with {len(edges)} edges has {len(edges) + 1} levels and needs a "
                f"value for each; got {len(self.values)}."
            )

    @property
    def fillings(self) -> tuple[str, ...]:
        """A middle training value of each level."""
        return tuple(self.values)

    def lookup(self, cells: Cells) -> Int[np.ndarray, " K"]:
        """The bin of each number; a level's own name counts too."""
        x = cells.numbers
        number = ~np.isnan(x)
        codes = np.full(len(x), UNSEEN)
        codes[number] = np.searchsorted(np.asarray(self.edges), x[number], side="right")
        if self.missing:
            codes[np.isin(x, [m for m in as_numbers(self.missing) if not np.isnan(m)])] = MISSING
        place = dict.fromkeys(self.missing, MISSING) | {t: k for k, t in enumerate(self.levels)}
        for i in np.flatnonzero(~number):
            codes[i] = place.get(canonical(cells.values[i]), UNSEEN)
        return codes

    def note(self, name: str) -> list[str]:
        """That the numbers became levels, and suspects."""
        many = f"has {self.distinct:,} distinct numbers and " if self.distinct else ""
        return [
            f"Column '{name}' {many}is modelled as {len(self.values)} ordered levels cut at "
            f"{listing(map(canonical, self.edges), most=20)}; a filled cell gets its level's "
            "middle value.",
            *super().note(name),
        ]


@dataclass(frozen=True)
class Ignored(Column):
    """A column left unmodelled; it stays in every completed table as it is.

    Example:
        >>> Ignored("identifies rows").modelled
        False
    """

    why: str = "given"
    missing: Sequence[Any] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "text"
    suspects: Sequence[str] = ()
    levels: Sequence[Any] = field(init=False, default=())
    kind: ClassVar[str] = "ignored"
    modelled: ClassVar[bool] = False

    def __post_init__(self) -> None:
        plain(self)

    @property
    def fillings(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def lookup(self, cells: Cells) -> Int[np.ndarray, " K"]:
        """Nothing is a level here."""
        return np.full(len(cells.values), UNSEEN)

    def note(self, name: str) -> list[str]:
        """That the column is left out, and why."""
        return [f"Column '{name}' is left unmodelled: {self.why}.", *super().note(name)]


KINDS: dict[str, Any] = {c.kind: c for c in (Nominal, Ordinal, Binary, Numeric, Ignored)}
