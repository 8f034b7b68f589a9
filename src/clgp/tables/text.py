"""One text for one level, whatever frame it came from.

The integer 1, the float 1.0 of a column with holes and the text "1" are the same level; so are
True and "True". Texts of a file that says nothing of types stay as they are.
"""

import datetime
import decimal
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from clgp.typing import Bool, Float

NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}([ ].*)?")


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, NaT, pandas' NA or the empty text."""
    if value is None or (isinstance(value, str) and value == ""):
        return True
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return type(value).__name__ in {"NAType", "NaTType"}


def canonical(value: Any) -> str:
    """The text that stands for a value.

    Example:
        >>> [canonical(v) for v in (1, 1.0, "1", 0.5, True)]
        ['1', '1', '1', '0.5', 'True']
    """
    match value:
        case str():
            return str(value)
        case bool() | np.bool_():
            return str(bool(value))
        case int() | np.integer():
            return str(int(value))
        case float() | np.floating():
            whole = np.isfinite(value) and float(value).is_integer() and abs(value) < 1e16
            return str(int(value)) if whole else str(value)
        case decimal.Decimal():
            return str(int(value)) if value == value.to_integral_value() else str(value)
        case datetime.datetime() if value.time() == datetime.time() and value.tzinfo is None:
            return value.date().isoformat()
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case bytes():
            return value.decode("utf-8", "replace")
    return str(value)


def as_numbers(texts: Iterable[str]) -> Float[np.ndarray, " K"]:
    """The numbers that texts write, NaN where a text is not a number."""
    match_ = NUMBER.fullmatch
    return np.array([float(t) if match_(t) else np.nan for t in texts], dtype=np.float64)


def are_whole(numbers: Float[np.ndarray, " K"]) -> Bool[np.ndarray, " K"]:
    """Which numbers are whole; NaN is not."""
    return np.isfinite(numbers) & (numbers == np.round(numbers))


def natural_order(texts: Iterable[str]) -> list[str]:
    """Levels as a reader expects them: by number if all are numbers, else by text.

    Example:
        >>> natural_order(["10", "9", "1"]), natural_order(["b", "10", "9"])
        (['1', '9', '10'], ['10', '9', 'b'])
    """
    texts = list(texts)
    numbers = as_numbers(texts)
    if np.isnan(numbers).any():
        return sorted(texts)
    return [t for _, t in sorted(zip(numbers.tolist(), texts, strict=True))]
