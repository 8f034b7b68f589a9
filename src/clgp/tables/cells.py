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

BOOLEANS = {bool, np.bool_}
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
        types = set(map(type, values))
        mixed = types & BOOLEANS and types - BOOLEANS - {str, type(None)}  # True == 1 in a dict
        try:
            index = values if mixed else dict.fromkeys(values)
        except TypeError:  # a list cannot be a key
            index = values
        place: dict[str, int] = {}
        kept: list[Any] = []
        codes_of = []
        for value in index:
            key = canonical(value) if not is_missing(value) else None
            if key is not None and key not in place:
                place[key] = len(kept)
                kept.append(value)
            codes_of.append(-1 if key is None else place[key])
        if not isinstance(index, dict):
            return cls(np.array(codes_of, np.int32), objects(kept), known or Known())
        code = dict(zip(index, codes_of, strict=True))
        codes = np.fromiter(map(code.__getitem__, values), np.int32, len(values))
        return cls(codes, objects(kept), known or Known())

    @classmethod
    def typed(cls, values: Sequence[Any], known: Known | None = None) -> "Cells":
        """Cells from Python values, with the type that these show."""
        cells = cls.of(values, known)
        return replace(cells, known=replace(cells.known, type=type_of(cells.values.tolist())))

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
