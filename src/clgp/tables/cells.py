"""One column of a table: the distinct values, and for each row which of them it holds.

`Known` is what the file or frame said about the column besides its values. Tables are made of
these in `table`; `frames` and the readers build them with `Cells.of` and `Cells.of_numbers`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from clgp.tables.text import as_numbers, canonical, is_missing
from clgp.typing import Bool, Float, Int

Type = Literal["text", "integer", "number", "boolean", "date", "other"]

PYTHON_TYPES: tuple[tuple[tuple[type, ...], Type], ...] = (
    ((bool, np.bool_), "boolean"),
    ((int, np.integer), "integer"),
    ((int, np.integer, float, np.floating), "number"),
    ((str,), "text"),
)


@dataclass(frozen=True)
class Known:
    """What a file or frame knew about a column."""

    type: Type = "text"
    dtype: str = ""
    question: str = ""
    measure: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    declared: tuple[str, ...] = ()
    ordered: bool = False
    absent: Mapping[str, str] = field(default_factory=dict)
    """User-missing codes with the reason each stands for."""
    ranges: tuple[tuple[Any, Any], ...] = ()
    """The user-missing ranges of an SPSS file."""
    format: str = ""


@dataclass(frozen=True)
class Cells:
    """The cells of one column."""

    codes: Int[np.ndarray, " N"]
    values: np.ndarray
    known: Known = field(default_factory=Known)
    reasons: Int[np.ndarray, " N"] | None = None
    """Which user-missing code each row holds, as a place in `known.absent`; −1 for none."""

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, values: Sequence[Any], known: Known | None = None) -> "Cells":
        """Cells from a sequence of Python values; equal texts are one level."""
        known = known or Known()
        if known.type != "text":
            return cls._of_mixed(values, known)
        try:
            index = dict.fromkeys(values)
        except TypeError:
            return cls._of_mixed(values, known)
        plain = all(type(v) is str or is_missing(v) for v in index)
        if not plain:
            return cls._of_mixed(values, known)
        kept = [v for v in index if not is_missing(v)]
        place = dict.fromkeys(index, -1) | {v: k for k, v in enumerate(kept)}
        codes = np.fromiter(map(place.__getitem__, values), np.int32, len(values))
        return cls(codes, objects(kept), known)

    @classmethod
    def typed(cls, values: Sequence[Any], known: Known | None = None) -> "Cells":
        """Cells from Python values, with the type that these show."""
        cells = cls._of_mixed(values, known or Known())
        return replace(cells, known=replace(cells.known, type=type_of(cells.values.tolist())))

    @classmethod
    def _of_mixed(cls, values: Sequence[Any], known: Known) -> "Cells":
        """As `of`, for values that are not texts: True and 1 must not fall together."""
        place: dict[str, int] = {}
        kept: list[Any] = []
        codes = np.full(len(values), -1, np.int32)
        for n, value in enumerate(values):
            if is_missing(value):
                continue
            key = canonical(value)
            k = place.setdefault(key, len(kept))
            if k == len(kept):
                kept.append(value)
            codes[n] = k
        return cls(codes, objects(kept), known)

    @classmethod
    def of_numbers(
        cls, numbers: np.ndarray, missing: Bool[np.ndarray, " N"], known: Known
    ) -> "Cells":
        """Cells from an array of numbers and a mask of those that are missing."""
        codes = np.full(len(numbers), -1, np.int32)
        values, inverse = np.unique(numbers[~missing], return_inverse=True)
        codes[~missing] = inverse
        return cls(codes, values, known)

    @cached_property
    def texts(self) -> list[str]:
        """The distinct values as texts."""
        return [canonical(v) for v in self.values]

    @cached_property
    def numbers(self) -> Float[np.ndarray, " K"]:
        """The distinct values as numbers, NaN where one is not a number."""
        if self.values.dtype.kind in "iuf":
            return self.values.astype(np.float64)
        return as_numbers(self.texts)

    @cached_property
    def counts(self) -> Int[np.ndarray, " K"]:
        """How many rows hold each distinct value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @property
    def observed(self) -> Bool[np.ndarray, " N"]:
        """Rows in which the cell is not missing."""
        return self.codes >= 0

    def text(self) -> list[str | None]:
        """Each row's text, None where missing."""
        return take(objects(self.texts), self.codes).tolist()

    def python(self) -> list[Any]:
        """Each row's value as a Python object, None where missing."""
        return take(objects(self.values.tolist()), self.codes).tolist()

    def rows(self, at: Any) -> "Cells":
        """The cells of some rows."""
        reasons = None if self.reasons is None else self.reasons[at]
        return replace(self, codes=self.codes[at], reasons=reasons)

    def put(
        self, at: Int[np.ndarray, " B"], which: Int[np.ndarray, " B"], values: Sequence[Any]
    ) -> "Cells":
        """The same cells with `values[which]` at some rows."""
        place = {text: k for k, text in enumerate(self.texts)}
        kept = self.values.tolist()
        to = np.empty(len(values), np.int32)
        for i, value in enumerate(values):
            to[i] = place.setdefault(canonical(value), len(kept))
            if to[i] == len(kept):
                kept.append(value)
        codes = self.codes.copy()
        codes[at] = to[which]
        reasons = self.reasons
        if reasons is not None:
            reasons = reasons.copy()
            reasons[at] = -1
        return Cells(codes, objects(kept), self.known, reasons)


def type_of(values: Sequence[Any]) -> Type:
    """The type that all values have; `other` where they differ or there is none."""
    if values and all(hasattr(v, "isoformat") for v in values):
        return "date"
    for kind, name in PYTHON_TYPES:
        if values and all(isinstance(v, kind) for v in values):
            return name
    return "other"


def objects(values: Iterable[Any]) -> np.ndarray:
    """A flat array of Python objects, whatever they are."""
    return np.fromiter(values, dtype=object)


def take(values: np.ndarray, codes: Int[np.ndarray, " N"]) -> np.ndarray:
    """The value at each code, None at −1."""
    return np.concatenate([values, objects([None])])[codes]
