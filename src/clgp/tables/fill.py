"""From codes to cells: levels put into the holes of a table, and new tables from codes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from clgp.tables.backends import refill
from clgp.tables.cells import Cells, Known, Type, objects
from clgp.tables.codec import holes
from clgp.tables.columns import Column
from clgp.tables.errors import InputError
from clgp.tables.frames import as_table
from clgp.tables.schema import Schema
from clgp.tables.table import Table
from clgp.typing import Bool, Codes

Kind = Literal["pandas", "polars", "arrow", "table", "dicts"]


def fill(original: Any, schema: Schema, codes: Codes, where: Bool[np.ndarray, "N D"]) -> Any:
    """The caller's table, its type and all else kept, with levels put into its holes.

    Only holes are filled, whatever `where` says: an answer is never overwritten. A dict gains
    the keys it lacked; a frame gains no column.

    Example:
        >>> schema = Schema.infer([{"a": "x", "b": 1}, {"a": "y", "b": 2}])
        >>> fill([{"a": "x", "b": None}], schema, np.array([[0, 1]]), np.array([[True, True]]))
        [{'a': 'x', 'b': 2}]
    """
    table = as_table(original)
    where = where & holes(table, schema) & (codes >= 0)
    cells = dict(table.cells)
    dicts = isinstance(table.frame, dict | list | tuple)
    names = list(table.columns)
    fills = {}
    for d, name in enumerate(schema.modelled):
        at = np.flatnonzero(where[:, d])
        if not len(at) or (name not in cells and not dicts):
            continue
        old = cells.get(name) or Cells.of([None] * len(table), Known(type="other"))
        if name not in cells:
            names.append(name)
        values = fillings(schema.columns[name], old)
        which = codes[at, d]
        cells[name] = old.put(at, which, values)
        fills[names.index(name)] = (at, [values[k] for k in which.tolist()])
    frame = None if table.frame is None else refill(table.frame, names, fills)
    if isinstance(original, Table):
        return replace(table, cells=cells, frame=frame)
    return frame


def rows(schema: Schema, codes: Codes, kind: Kind = "pandas") -> Any:
    """A new table from codes, −1 becoming a hole.

    Example:
        >>> schema = Schema.infer([{"a": "x", "b": 1}, {"a": "y", "b": 2}])
        >>> rows(schema, np.array([[1, 0], [0, -1]]), kind="dicts")
        [{'a': 'y', 'b': 1}, {'a': 'x', 'b': None}]
    """
    cells = {}
    for d, name in enumerate(schema.modelled):
        column = schema.columns[name]
        values = typed(column.fillings, column.type)
        known = Known(type="text" if column.type in {"date", "other"} else column.type)
        cells[name] = Cells(codes[:, d].astype(np.int32), objects(values), known)
    table = Table(cells)
    makers = {"pandas": Table.to_pandas, "polars": Table.to_polars, "arrow": Table.to_arrow,
              "dicts": Table.to_dicts, "table": lambda t: t}  # fmt: skip
    if kind not in makers:
        raise InputError(f"Unknown kind of frame {kind!r}; use one of {', '.join(makers)}.")
    return makers[kind](table)


def fillings(column: Column, cells: Cells) -> list[Any]:
    """For each level the value to put into a column: as others there write it, where they do."""
    lookup = column.lookup(cells)
    kind = cells.known.type if cells.known.type != "other" else column.type
    values = typed(column.fillings, kind, column.type)
    declared = set(cells.known.declared)
    if declared and not declared & set(column.levels):
        values = [name if name in declared else v
                  for v, name in zip(values, column.names, strict=True)]  # fmt: skip
    seen = dict(zip(cells.texts, cells.values.tolist(), strict=True)) if len(lookup) else {}
    for k, text in enumerate(column.fillings):
        if text in seen:
            values[k] = seen[text]
        elif column.kind != "numeric" and (same := np.flatnonzero(lookup == k)).size:
            values[k] = cells.values[same[0]]
    return values


def typed(texts: Sequence[str], *kinds: Type) -> list[Any]:
    """Texts as values of the first type that takes them all."""
    for kind in kinds:
        try:
            match kind:
                case "integer":
                    return [int(t) if t.lstrip("+-").isdigit() else _whole(t) for t in texts]
                case "number":
                    return [float(t) for t in texts]
                case "boolean":
                    return [{"true": True, "false": False}[t.lower()] for t in texts]
                case "text":
                    return list(texts)
        except (ValueError, KeyError):
            continue
    return list(texts)


def _whole(text: str) -> int:
    if not float(text).is_integer():
        raise ValueError(text)
    return int(float(text))
