"""Putting filled cells back into the caller's frame: its type, dtypes, index and order stay.

A function a kind of frame, each `(frame, {column's place: (rows, values)}) → new frame`. Values
fit the column's dtype where they can; where they cannot (text into a column of nothing but NaN)
the column takes the type of the values.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

Fills = Mapping[int, tuple[np.ndarray, Sequence[Any]]]


def refill(frame: Any, columns: Sequence[str], fills: Fills) -> Any:
    """The frame with new values in some cells."""
    if not fills:
        return frame
    if isinstance(frame, Mapping):
        return _dicts([frame], columns, fills)[0]
    if isinstance(frame, list | tuple):
        return type(frame)(_dicts(frame, columns, fills))
    if nw.dependencies.is_pandas_dataframe(frame):
        return _pandas(frame, fills)
    if nw.dependencies.is_polars_dataframe(frame):
        return _polars(frame, fills)
    if nw.dependencies.is_pyarrow_table(frame):
        return _arrow(frame, fills)
    return _any(frame, fills)


def _dicts(rows: Sequence[Mapping[Any, Any]], columns: Sequence[str], fills: Fills) -> list[Any]:
    """Rows whose holes, written or left out, are filled."""
    new = [dict(row) for row in rows]
    for d, (at, values) in fills.items():
        for n, value in zip(at.tolist(), values, strict=True):
            key = next((k for k in new[n] if str(k) == columns[d]), columns[d])
            new[n][key] = value
    return new


def _pandas(frame: Any, fills: Fills) -> Any:
    import pandas as pd

    frame = frame.copy()
    for d, (at, values) in fills.items():
        s = frame.iloc[:, d].copy()
        if isinstance(s.dtype, pd.CategoricalDtype):
            new = [v for v in dict.fromkeys(values) if v not in s.cat.categories]
            s = s.cat.add_categories(new) if new else s
        try:
            s.iloc[at] = list(values)
        except (TypeError, ValueError):
            s = s.astype(object)
            s.iloc[at] = list(values)
            s = s.infer_objects()
        frame.isetitem(d, s)
    return frame


def _polars(frame: Any, fills: Fills) -> Any:
    import polars as pl

    for d, (at, values) in fills.items():
        s = frame.to_series(d)
        dtype = s.dtype
        cells = s.to_list()
        for n, value in zip(at.tolist(), values, strict=True):
            cells[n] = value
        if isinstance(dtype, pl.Enum):
            known = dtype.categories.to_list()
            dtype = pl.Enum([*known, *(v for v in dict.fromkeys(values) if v not in set(known))])
        try:
            new = pl.Series(s.name, cells, dtype=None if dtype == pl.Null else dtype)
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            new = pl.Series(s.name, [None if c is None else str(c) for c in cells])
        frame = frame.with_columns(new)
    return frame


def _arrow(frame: Any, fills: Fills) -> Any:
    import pyarrow as pa

    for d, (at, values) in fills.items():
        column, field = frame.column(d), frame.schema.field(d)
        cells = column.to_pylist()
        for n, value in zip(at.tolist(), values, strict=True):
            cells[n] = value
        if pa.types.is_dictionary(field.type):
            new = _dictionary(column, field.type, cells)
        else:
            try:
                new = pa.array(cells, type=None if pa.types.is_null(field.type) else field.type)
            except (pa.ArrowException, TypeError, ValueError, OverflowError):
                new = pa.array([None if c is None else str(c) for c in cells])
        frame = frame.set_column(d, field.with_type(new.type), new)
    return frame


def _dictionary(column: Any, dtype: Any, cells: Sequence[Any]) -> Any:
    """A dictionary column that keeps its dictionary's order, new values last."""
    import pyarrow as pa

    whole = column.unify_dictionaries()
    known = whole.chunk(0).dictionary.to_pylist() if whole.num_chunks else []
    place = {v: k for k, v in enumerate(dict.fromkeys([*known, *cells])) if v is not None}
    codes = pa.array([place.get(c) for c in cells], type=dtype.index_type)
    levels = pa.array(list(place), type=dtype.value_type)
    return pa.DictionaryArray.from_arrays(codes, levels, ordered=dtype.ordered)


def _any(frame: Any, fills: Fills) -> Any:
    """Frames of other makers, through narwhals."""
    whole = nw.from_native(frame, eager_only=True)
    for d, (at, values) in fills.items():
        s = whole[whole.columns[d]]
        whole = whole.with_columns(s.scatter(at.tolist(), list(values)))
    return whole.to_native()
