"""A table: named columns of cells, and what the file or frame they came from must get back.

`read` and `frames.as_table` make tables; `schema` says what the columns mean; `fill` puts
answers into the holes. A table never changes: every function returns a new one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clgp.tables.cells import Cells
from clgp.tables.errors import InputError, close, shown
from clgp.tables.layout import Layout

PREVIEW_ROWS = 8
PREVIEW_WIDTH = 100


@dataclass(frozen=True, repr=False)
class Table:
    """Named columns of texts, None where missing.

    Example:
        >>> Table.of({"sex": ["F", None], "pain": ["none", "mild"]})
        sex  pain
        F    none
        ·    mild
        2 rows × 2 columns
    """

    cells: Mapping[str, Cells]
    frame: Any = None
    """The caller's frame, or the file's: filled cells go back into it."""
    layout: Layout | None = None
    """The delimited text the table was read from, to be written back as it was."""
    as_read: Mapping[str, Cells] | None = None
    """The cells as that text holds them."""
    source: str = "the table"

    @classmethod
    def of(cls, columns: Mapping[str, Any]) -> "Table":
        """A table from lists of values by column name."""
        cells = {name: Cells.typed(list(values)) for name, values in columns.items()}
        lengths = {name: len(column) for name, column in cells.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"Columns must be equally long; these are not: {lengths}.")
        return cls(cells)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(self.cells)

    def __len__(self) -> int:
        return len(next(iter(self.cells.values()), ()))

    def __getitem__(self, column: str) -> Cells:
        if column not in self.cells:
            raise InputError(
                f"No column '{shown(column)}' in {self.source}: {close(column, self.columns)}."
            )
        return self.cells[column]

    def rows(self, at: Any) -> "Table":
        """Some rows, as a table of its own."""
        cells = {name: column.rows(at) for name, column in self.cells.items()}
        return replace(self, cells=cells, frame=None, as_read=None)

    def row(self, n: int) -> dict[str, str | None]:
        """One row as texts by column name."""
        picked = self.rows(np.array([n]))
        return {name: column.text()[0] for name, column in picked.cells.items()}

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        from clgp.tables.frames import to_pandas

        return to_pandas(self)

    def to_polars(self) -> Any:
        """The table as a polars DataFrame."""
        from clgp.tables.frames import to_polars

        return to_polars(self)

    def to_arrow(self) -> Any:
        """The table as a pyarrow Table."""
        from clgp.tables.frames import to_arrow

        return to_arrow(self)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The table as a list of rows, each a dict."""
        from clgp.tables.frames import to_dicts

        return to_dicts(self)

    def write(self, path: Any) -> None:
        """Write the table; the name's ending says the format, `-` is standard output as CSV."""
        from clgp.tables.write import write

        write(self, path)

    def __repr__(self) -> str:
        names, width = [], 0
        grid = self.rows(slice(0, PREVIEW_ROWS))
        columns = []
        for name in self.columns:
            texts = ["·" if t is None else shown(t, 24) for t in grid.cells[name].text()]
            wide = max(map(len, [shown(name, 24), *texts])) + 2
            if names and width + wide > PREVIEW_WIDTH:
                break
            names.append(name)
            width += wide
            columns.append([shown(name, 24).ljust(wide), *(t.ljust(wide) for t in texts)])
        lines = ["".join(line).rstrip() for line in zip(*columns, strict=True)]
        if len(self) > PREVIEW_ROWS:
            lines.append("…")
        hidden = len(self.columns) - len(names)
        more = f" ({hidden} not shown)" if hidden else ""
        rows = f"{len(self):,} row{'s' * (len(self) != 1)}"
        size = f"{rows} × {len(self.columns)} column{'s' * (len(self.columns) != 1)}"
        return "\n".join([*lines, f"{size}{more}"])
