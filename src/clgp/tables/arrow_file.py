"""Parquet and Arrow (Feather) files, with every type as it was."""

from pathlib import Path
from typing import Any

from clgp.tables.delimited import checked_header
from clgp.tables.errors import InputError
from clgp.tables.extra import needed
from clgp.tables.frames import as_table, to_arrow
from clgp.tables.table import Table


def read_parquet(path: Path) -> Table:
    """A table from a Parquet file."""
    parquet = needed("pyarrow.parquet", "Reading a Parquet file")
    return _read(path, "Parquet", parquet.read_table)


def read_arrow(path: Path) -> Table:
    """A table from an Arrow file, also called Feather."""
    feather = needed("pyarrow.feather", "Reading an Arrow file")
    return _read(path, "Arrow", feather.read_table)


def _read(path: Path, name: str, read_table: Any) -> Table:
    pa = needed("pyarrow", f"Reading a {name} file")
    try:
        frame = read_table(path)
    except (pa.ArrowException, ValueError, OSError) as error:
        first = str(error).splitlines()[0].rstrip(".")
        raise InputError(
            f"{path.name} is not a whole {name} file ({first}); write or copy it again."
        ) from None
    checked_header(frame.column_names, path.name)
    if not frame.num_rows:
        raise InputError(f"{path.name} has columns but no rows; expected at least one row.")
    table = as_table(frame)
    return Table(table.cells, frame=frame, source=path.name)


def write_parquet(table: Table, path: Path) -> None:
    """Write a table as Parquet."""
    needed("pyarrow.parquet", "Writing a Parquet file").write_table(to_arrow(table), path)


def write_arrow(table: Table, path: Path) -> None:
    """Write a table as an Arrow file."""
    needed("pyarrow.feather", "Writing an Arrow file").write_feather(to_arrow(table), str(path))
