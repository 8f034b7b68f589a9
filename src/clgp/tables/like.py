"""New tables of the caller's own kind: what an answer comes back in."""

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np

from clgp.tables.table import Table


def like(original: Any, columns: Mapping[str, np.ndarray]) -> Any:
    """A table of these columns, of the kind that `original` is.

    A pandas frame as long as the original keeps its index.

    Example:
        >>> like([{"a": 1}], {"b": np.array([2.0])})
        [{'b': 2.0}]
    """
    if isinstance(original, Table):
        return Table.of({name: values.tolist() for name, values in columns.items()})
    if isinstance(original, Mapping | list | tuple):
        values = [column.tolist() for column in columns.values()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]
    frame = nw.from_native(original, eager_only=True)
    plain = {name: c.tolist() if c.dtype == object else c for name, c in columns.items()}
    made = nw.from_dict(plain, backend=frame.implementation).to_native()
    same = nw.dependencies.is_pandas_dataframe(original) and len(made) == len(original)
    return made.set_index(original.index) if same else made


def row_names(original: Any, n: int) -> np.ndarray:
    """What the caller calls the rows: a pandas index, or their places from 0."""
    if nw.dependencies.is_pandas_dataframe(original):
        return original.index.to_numpy()
    return np.arange(n)
