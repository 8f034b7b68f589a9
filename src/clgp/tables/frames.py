"""Frames of any maker as tables, and tables as frames.

narwhals tells pandas, polars and pyarrow apart and reads their columns; a list of dicts, or one
dict, is a table too. `backends` puts filled cells back into each kind of frame.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from clgp.tables.cells import Cells, Known, Type, type_of
from clgp.tables.errors import InputError, listing
from clgp.tables.table import Table


def as_table(data: Any) -> Table:
    """Any table as a `Table` that remembers what it came from.

    Example:
        >>> as_table([{"sex": "F", "age": 31}, {"sex": None, "age": 40}])
        sex  age
        F    31
        ·    40
        2 rows × 2 columns
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, Mapping):
        return _of_dicts([data], data)
    if isinstance(data, list | tuple):
        return _of_dicts(data, data)
    try:
        frame = nw.from_native(_text_names(data), eager_only=True)
    except TypeError:
        raise InputError(
            f"Expected a table: clgp.read(…), a pandas, polars or pyarrow frame, or a list of "
            f"dicts; got {type(data).__name__}."
        ) from None
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"Column names must differ: {error}.") from None
    if not frame.columns:
        raise InputError("The table has no columns; expected at least one.")
    return Table({name: _of_series(frame[name]) for name in frame.columns}, frame=data)


def _of_dicts(rows: Sequence[Any], data: Any) -> Table:
    wrong = next((n for n, row in enumerate(rows) if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise InputError(
            f"Row {wrong + 1} of the list is of type {type(rows[wrong]).__name__}; expected a dict "
            "of answers by column name."
        )
    names = dict.fromkeys(name for row in rows for name in row)
    if not names:
        raise InputError("The list of rows names no column; expected dicts of answers.")
    cells = {}
    for name in names:
        cells[str(name)] = Cells.typed([row.get(name) for row in rows])
    return Table(cells, frame=data)


def _text_names(data: Any) -> Any:
    """A pandas frame with its column names as texts; other frames as they are."""
    if nw.dependencies.is_pandas_dataframe(data):
        names = [str(name) for name in data.columns]
        repeated = {name for name in names if names.count(name) > 1}
        if repeated:
            raise InputError(
                f"Column names must differ, but {listing(map(repr, sorted(repeated)))} occurs "
                "more than once; rename one."
            )
        if names != list(data.columns):
            return data.set_axis(names, axis=1)
    return data


def _of_series(s: Any) -> Cells:
    dtype = s.dtype
    known = Known(dtype=str(dtype))
    if dtype.is_numeric() and not dtype.is_decimal():
        missing = s.is_null().to_numpy().astype(bool)
        numbers = s.fill_null(0).to_numpy() if missing.any() else s.to_numpy()
        if numbers.dtype.kind == "f":
            missing = missing | np.isnan(numbers)
        kind: Type = "integer" if dtype.is_integer() else "number"
        return Cells.of_numbers(numbers, missing, Known(type=kind, dtype=str(dtype)))
    if dtype == nw.String:
        cells = Cells.of(s.to_list(), known)
        empty = not len(cells.values) and str(getattr(s.to_native(), "dtype", "")) == "object"
        return replace(cells, known=replace(known, type="other")) if empty else cells
    if isinstance(dtype, nw.Enum | nw.Categorical):
        return _of_categories(s, known)
    return Cells.typed(s.to_list(), known)


def _of_categories(s: Any, known: Known) -> Cells:
    """Cells of a categorical column, with the categories it declares and their order."""
    from clgp.tables.text import canonical

    native = s.to_native()
    if s.implementation.is_pandas_like():
        declared, ordered = native.cat.categories.tolist(), bool(native.cat.ordered)
    elif isinstance(s.dtype, nw.Enum):
        declared, ordered = list(s.dtype.categories), True
    elif s.implementation.is_pyarrow():
        declared = native.unify_dictionaries().chunk(0).dictionary.to_pylist() if len(s) else []
        ordered = bool(native.type.ordered)
    else:
        declared, ordered = [], False
    cells = Cells.typed(s.to_list(), known)
    kind = cells.known.type if len(cells.values) else type_of(declared)
    told = replace(known, type=kind, declared=tuple(map(canonical, declared)), ordered=ordered)
    return replace(cells, known=told)


def to_dicts(table: Table) -> list[dict[str, Any]]:
    """Rows as dicts of values, None where missing."""
    columns = [cells.python() for cells in table.cells.values()]
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def to_pandas(table: Table) -> Any:
    """A pandas frame: the table's own, or a new one typed as the file said."""
    import pandas as pd

    frame = table.frame
    if nw.dependencies.is_pandas_dataframe(frame):
        return frame
    if nw.dependencies.is_pyarrow_table(frame) or nw.dependencies.is_polars_dataframe(frame):
        return frame.to_pandas()
    kinds = {"integer": ("int64", "Int64"), "boolean": ("bool", "boolean"),
             "number": ("float64", "float64"), "text": ("str", "str")}  # fmt: skip
    columns = {}
    for name, cells in table.cells.items():
        dtype = kinds.get(cells.known.type, ("object", "object"))[bool((cells.codes < 0).any())]
        columns[name] = pd.Series(cells.python(), dtype=dtype)
    return pd.DataFrame(columns)


def to_polars(table: Table) -> Any:
    """A polars frame: the table's own, or a new one typed as the file said."""
    import polars as pl

    frame = table.frame
    if nw.dependencies.is_polars_dataframe(frame):
        return frame
    if nw.dependencies.is_pandas_dataframe(frame) or nw.dependencies.is_pyarrow_table(frame):
        return pl.DataFrame(frame)
    kinds = {"integer": pl.Int64, "number": pl.Float64, "boolean": pl.Boolean, "text": pl.String}
    return pl.DataFrame({
        name: pl.Series(name, cells.python(), dtype=kinds.get(cells.known.type), strict=False)
        for name, cells in table.cells.items()
    })  # fmt: skip


def to_arrow(table: Table) -> Any:
    """A pyarrow table: the table's own, or a new one typed as the file said."""
    import pyarrow as pa

    frame = table.frame
    if nw.dependencies.is_pyarrow_table(frame):
        return frame
    if nw.dependencies.is_pandas_dataframe(frame):
        return pa.Table.from_pandas(frame)
    if nw.dependencies.is_polars_dataframe(frame):
        return frame.to_arrow()
    kinds = {"integer": pa.int64(), "number": pa.float64(), "boolean": pa.bool_(),
             "text": pa.string()}  # fmt: skip
    return pa.table({
        name: pa.array(cells.python(), type=kinds.get(cells.known.type))
        for name, cells in table.cells.items()
    })  # fmt: skip
