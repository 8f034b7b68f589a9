"""From cells to codes: the place of each cell's level in its column, −1 where missing.

Columns are matched by name. `fill` goes the other way.
"""

import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from clgp.tables.cells import Cells
from clgp.tables.columns import MISSING, UNSEEN, Column
from clgp.tables.errors import InputError, UnseenLevelWarning, close, listing, shown
from clgp.tables.frames import as_table
from clgp.tables.kinds import Ignored
from clgp.tables.schema import Schema
from clgp.typing import Bool, Codes, Int

NAMED = 5  # unseen levels that a warning names


def encode(data: Any, schema: Schema, *, unseen: Literal["missing", "error"] = "missing") -> Codes:
    """Codes of the schema's modelled columns, (N, D).

    A level that the schema does not know is missing, with one warning; or an error if asked.
    A column that the table lacks is missing in every row, with one warning for frames.

    Example:
        >>> schema = Schema.infer([{"a": "x", "b": 1}, {"a": "y", "b": 2}])
        >>> encode([{"b": 2.0}, {"a": "x", "b": None}], schema)
        array([[-1,  1],
               [ 0, -1]], dtype=int32)
    """
    if unseen not in ("missing", "error"):
        raise InputError(f"unseen must be 'missing' or 'error'; got {unseen!r}.")
    table = as_table(data)
    if not schema.modelled:
        raise InputError(f"No column can be modelled: {' '.join(schema.notes[:3])}")
    if not len(table):
        raise InputError("The table has no rows; expected at least one.")
    lacking = [name for name in schema.modelled if name not in table.cells]
    if lacking and not _is_dicts(data):
        _complain(lacking, table.columns, schema)
    codes = np.full((len(table), len(schema.modelled)), MISSING, np.int32)
    strange: list[str] = []
    for d, name in enumerate(schema.modelled):
        if name not in table.cells:
            continue
        codes[:, d], unknown = encode_column(table.cells[name], schema.columns[name])
        if unknown and unseen == "error":
            raise _unseen(name, table.cells[name], schema.columns[name], unknown[0])
        counts = table.cells[name].counts
        strange += [
            f"column '{name}': '{shown(table.cells[name].texts[k])}' ({_times(counts[k])})"
            for k in unknown
        ]
    if strange:
        warnings.warn(
            f"Levels that the schema does not know count as missing: {'; '.join(strange[:NAMED])}"
            f"{f'; and {len(strange) - NAMED} more' if len(strange) > NAMED else ''}.",
            UnseenLevelWarning,
            stacklevel=2,
        )
    return codes


def encode_column(cells: Cells, column: Column) -> tuple[Int[np.ndarray, " N"], list[int]]:
    """A column's codes, and the places of distinct values that are unseen yet held by a row."""
    lookup = column.lookup(cells)
    unknown = np.flatnonzero((lookup == UNSEEN) & (cells.counts > 0)).tolist()
    lookup = np.append(np.where(lookup == UNSEEN, MISSING, lookup), MISSING).astype(np.int32)
    return lookup[cells.codes], unknown


def holes(data: Any, schema: Schema) -> Bool[np.ndarray, "N D"]:
    """The cells that are empty or hold a missing code; an unseen level is not a hole.

    These alone may be filled: what a person answered is never overwritten.
    """
    table = as_table(data)
    empty = np.ones((len(table), len(schema.modelled)), dtype=bool)
    for d, name in enumerate(schema.modelled):
        if name in table.cells:
            cells = table.cells[name]
            empty[:, d] = np.append(schema.columns[name].lookup(cells) == MISSING, True)[
                cells.codes
            ]
    return empty


def encode_case(case: Mapping[str, Any], schema: Schema) -> Codes:
    """One person's answers so far as codes, (1, D).

    Example:
        >>> schema = Schema.infer([{"a": "x", "b": 1}, {"a": "y", "b": 2}])
        >>> encode_case({"b": 2}, schema)
        array([[-1,  1]], dtype=int32)
    """
    codes = np.full((1, len(schema.modelled)), MISSING, np.int32)
    for name, value in case.items():
        if name not in schema.columns:
            raise InputError(f"No column '{shown(name)}': {close(name, schema.modelled)}.")
        column = schema.columns[name]
        if isinstance(column, Ignored):
            raise InputError(f"Column '{name}' is left unmodelled ({column.why}); leave it out.")
        cells = as_table({name: value}).cells[name]
        found, unknown = encode_column(cells, column)
        if unknown:
            raise InputError(
                f"Column '{name}': no level '{shown(cells.texts[0])}'; "
                f"use one of {listing(column.names, most=30)}."
            )
        codes[0, schema.modelled.index(name)] = found[0]
    return codes


def _is_dicts(data: Any) -> bool:
    return isinstance(data, Mapping | list | tuple)


def _times(count: Any) -> str:
    return "1 cell" if count == 1 else f"{count:,} cells"


def _complain(lacking: list[str], there: tuple[str, ...], schema: Schema) -> None:
    """Warn of columns that the table lacks; an error if it has none of them."""
    if len(lacking) == len(schema.modelled):
        raise InputError(
            f"None of the schema's columns is in the table: expected {listing(schema.modelled)}; "
            f"found {listing(there)}."
        )
    warnings.warn(
        f"The table lacks {listing(map(repr, lacking))}; these count as missing in every row.",
        stacklevel=3,
    )


def _unseen(name: str, cells: Cells, column: Column, k: int) -> InputError:
    row = int(np.flatnonzero(cells.codes == k)[0]) + 1
    return InputError(
        f"Column '{name}', row {row}: level '{shown(cells.texts[k])}' is not in the schema "
        f"(levels: {listing(column.names, most=12)}). Add it to the schema or list it as missing."
    )
