"""What a column means: its kind, its levels in order, its missing codes, and how to code cells.

A new kind is a final class here with `levels`, `lookup` and `fillings`, and a line in `KINDS`;
`tests/tables/test_columns.py` holds the laws that each kind then has to keep.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from clgp.tables.cells import Cells, Type
from clgp.tables.errors import InputError, listing
from clgp.tables.text import are_whole, as_numbers, canonical
from clgp.typing import Bool, Float, Int

MISSING, UNSEEN = -1, -2


class Column(ABC):
    """A column's kind. Owes its levels, the codes of cells, and what a filled cell gets."""

    kind: ClassVar[str]
    ordered: ClassVar[bool] = False
    modelled: ClassVar[bool] = True
    missing: tuple[str, ...]
    type: Type
    why: str
    suspects: tuple[str, ...]
    labels: Mapping[str, str]
    levels: tuple[str, ...]

    @abstractmethod
    def lookup(self, cells: Cells) -> Int[np.ndarray, " K"]:
        """The code of each distinct value; −1 for a missing code, −2 where unseen."""

    @property
    @abstractmethod
    def fillings(self) -> tuple[str, ...]:
        """The text that a filled cell gets, for each level."""

    def note(self, name: str) -> list[str]:
        """Sentences a user should read about the column."""
        if not self.suspects:
            return []
        some = listing(map(repr, self.suspects))
        return [
            f"Column '{name}' holds {some}, which may stand for a missing answer; it counts as "
            f"a level unless the schema lists it under missing."
        ]

    @property
    def names(self) -> tuple[str, ...]:
        """The levels as people call them: value labels where there are any."""
        labels = tuple(self.labels.get(level) or level for level in self.levels)
        return labels if len(set(labels)) == len(labels) else self.levels

    def to_json(self) -> dict[str, Any]:
        """The column as plain data, defaults left out."""
        defaults = {f.name: f.default for f in fields(self)}  # pyright: ignore[reportArgumentType]
        told = asdict(self)  # pyright: ignore[reportArgumentType]
        kept = {k: v for k, v in told.items() if v not in (defaults[k], {}, ())}
        return {"kind": self.kind} | {
            k: list(v) if isinstance(v, tuple) else v for k, v in kept.items()
        }


@dataclass(frozen=True)
class Nominal(Column):
    """Levels without an order.

    Example:
        >>> Nominal(["F", "M"]).levels
        ('F', 'M')
    """

    levels: Sequence[str]  # pyright: ignore[reportIncompatibleVariableOverride]
    missing: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "text"
    why: str = "given"
    suspects: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    kind: ClassVar[str] = "nominal"

    def __post_init__(self) -> None:
        _settle(self)

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

    levels: Sequence[str]  # pyright: ignore[reportIncompatibleVariableOverride]
    missing: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "text"
    why: str = "given"
    suspects: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    kind: ClassVar[str] = "ordinal"
    ordered: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _settle(self)

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

    levels: Sequence[str]  # pyright: ignore[reportIncompatibleVariableOverride]
    missing: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "text"
    why: str = "given"
    suspects: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    kind: ClassVar[str] = "binary"

    def __post_init__(self) -> None:
        _settle(self)
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

    edges: Sequence[float]
    values: Sequence[str]
    missing: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "number"
    why: str = "given"
    suspects: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    distinct: int = 0
    kind: ClassVar[str] = "numeric"
    ordered: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _plain(self)
        edges = [float(e) for e in self.edges]
        object.__setattr__(self, "edges", tuple(edges))
        object.__setattr__(self, "values", tuple(map(canonical, self.values)))
        if not edges or not np.isfinite(edges).all() or np.any(np.diff(edges) <= 0):
            raise InputError(f"Edges must be finite numbers that rise; got {list(self.edges)}.")
        if len(self.values) != len(edges) + 1:
            raise InputError(
                f"A numeric column with {len(edges)} edges has {len(edges) + 1} levels and needs a "
                f"value for each; got {len(self.values)}."
            )

    @property
    def levels(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The bins in words."""
        e = self.edges
        if all(float(x).is_integer() for x in e) and self.type == "integer":
            middle = [
                f"{a:.0f}" if b - a == 1 else f"{a:.0f} to {b - 1:.0f}"
                for a, b in zip(e, e[1:], strict=False)
            ]
        else:
            middle = [f"{canonical(a)} to <{canonical(b)}" for a, b in zip(e, e[1:], strict=False)]
        return (f"below {canonical(e[0])}", *middle, f"{canonical(e[-1])} or more")

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
    missing: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    labels: Mapping[str, str] = field(default_factory=dict)
    type: Type = "text"
    suspects: Sequence[str] = ()  # pyright: ignore[reportIncompatibleVariableOverride]
    kind: ClassVar[str] = "ignored"
    modelled: ClassVar[bool] = False
    levels: ClassVar[tuple[str, ...]] = ()  # pyright: ignore[reportIncompatibleVariableOverride]

    def __post_init__(self) -> None:
        _plain(self)

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
        for one, code in zip(key, place.values(), strict=True):
            if one is not None and key.count(one) == 1:
                also.setdefault(one, code)
    for i in np.flatnonzero(codes == UNSEEN):
        keys = (cells.numbers[i], texts[i].strip().casefold(), texts[i])
        codes[i] = next((also[key] for key in keys if key in also), UNSEEN)
    return codes


def _plain(column: Any) -> None:
    """Sequences as tuples of texts, labels as a dict."""
    for name in ("missing", "suspects"):
        value = getattr(column, name)
        if isinstance(value, str):
            raise InputError(f"'{name}' must be a list of texts; got the text {value!r}.")
        object.__setattr__(column, name, tuple(map(canonical, value)))
    labels = {canonical(k): str(v) for k, v in column.labels.items()}
    object.__setattr__(column, "labels", labels)


def _settle(column: Any) -> None:
    """As `_plain`, and levels checked."""
    _plain(column)
    if isinstance(column.levels, str):
        raise InputError(f"'levels' must be a list of texts; got the text {column.levels!r}.")
    levels = tuple(map(canonical, column.levels))
    object.__setattr__(column, "levels", levels)
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


def numbers_are_whole(x: Float[np.ndarray, " K"]) -> bool:
    """Whether all numbers are whole."""
    whole: Bool[np.ndarray, " K"] = are_whole(x)
    return bool(whole.all())
