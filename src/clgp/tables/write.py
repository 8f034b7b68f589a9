"""Writing files so that a failure never harms what was there: write beside, then rename.

`atomic` serves everyone who writes a file (tables, models, reports); `write` picks the format of
a table by the name's ending.
"""

import gzip
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from clgp.tables.delimited import changed_texts
from clgp.tables.errors import InputError, listing
from clgp.tables.layout import Layout
from clgp.tables.table import Table


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """A path to write to; it takes the place of `path` only if the block ends well.

    `-` is standard output.

    Example:
        >>> import tempfile
        >>> target = Path(tempfile.mkdtemp()) / "notes.txt"
        >>> with atomic(target) as beside:
        ...     _ = beside.write_text("whole or not at all")
        >>> target.read_text()
        'whole or not at all'
    """
    if str(path) == "-":
        yield from _through(Path(os.devnull), sys.stdout.buffer)
        return
    target = checked(path).resolve()
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        with target.open("wb") as device:
            yield from _through(target, device)
        return
    beside = target.with_name(f".{target.stem[:80]}-{os.getpid()}{target.suffix}")
    try:
        beside.touch()
    except OSError as error:
        raise InputError(
            f"Cannot write '{path}': {error.strerror or error}; choose another folder or name."
        ) from None
    try:
        yield beside
        if target.exists():
            shutil.copymode(target, beside)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def checked(path: str | Path) -> Path:
    """The path, if a file can stand there."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"Cannot write '{path}': it is a folder; give a file's name in it.")
    if not path.parent.is_dir():
        raise InputError(
            f"Cannot write '{path}': there is no folder '{path.parent}'; make it first."
        )
    if not path.exists() and not os.access(path.parent, os.W_OK):
        raise InputError(
            f"Cannot write '{path}': its folder may not be written to; choose another folder."
        )
    return path


def _through(path: Path, stream: Any) -> Iterator[Path]:
    """A temporary file, copied into a stream at the end."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        beside = Path(folder) / (path.name or "out")
        yield beside
        with beside.open("rb") as written:
            shutil.copyfileobj(written, stream)
        stream.flush()


def write(table: Table, path: str | Path) -> None:
    """Write a table in the format that the name's ending says."""
    write_one = writer_of(path)
    with atomic(path) as beside:
        write_one(table, beside)


def writer_of(path: str | Path) -> Callable[[Table, Path], None]:
    """How to write the format that the name's ending says."""
    name = Path(path).name.lower()
    ending = ".csv" if str(path) == "-" else name[name.index(".") :] if "." in name else ""
    write_one = next((w for end, w in WRITERS.items() if ending.endswith(end)), None)
    if write_one is None:
        checked(path)
        raise InputError(
            f"Cannot write '{path}': the ending '{ending}' is not known; "
            f"use one of {listing(WRITERS, most=20)}."
        )
    return write_one


def delimited_bytes(table: Table, delimiter: str | None = None) -> bytes:
    """The table as delimited text: as it was read, where it was, with only new cells changed."""
    layout = table.layout or Layout("", delimiter or ",")
    if table.as_read is not None and delimiter in (None, layout.delimiter):
        return layout.rewrite(changed_texts(table.cells, table.as_read))
    plain = replace(layout, delimiter=delimiter or layout.delimiter)
    columns = [["" if t is None else t for t in cells.text()] for cells in table.cells.values()]
    rows = map(list, zip(*columns, strict=True))
    return plain.fresh(iter([list(table.columns), *rows]))


def _write_csv(table: Table, path: Path) -> None:
    path.write_bytes(delimited_bytes(table))


def _write_tsv(table: Table, path: Path) -> None:
    path.write_bytes(delimited_bytes(table, "\t"))


def _write_gz(table: Table, path: Path) -> None:
    path.write_bytes(gzip.compress(delimited_bytes(table), mtime=0))


def _write_arrow(table: Table, path: Path) -> None:
    from clgp.tables.arrow_file import write_arrow

    write_arrow(table, path)


def _write_parquet(table: Table, path: Path) -> None:
    from clgp.tables.arrow_file import write_parquet

    write_parquet(table, path)


def _write_excel(table: Table, path: Path) -> None:
    from clgp.tables.excel import write_excel

    write_excel(table, path)


def _write_sav(table: Table, path: Path) -> None:
    from clgp.tables.survey_file import write_sav

    write_sav(table, path)


def _write_dta(table: Table, path: Path) -> None:
    from clgp.tables.survey_file import write_dta

    write_dta(table, path)


WRITERS: dict[str, Callable[[Table, Path], None]] = {
    ".csv": _write_csv,
    ".txt": _write_csv,
    ".tsv": _write_tsv,
    ".tab": _write_tsv,
    ".csv.gz": _write_gz,
    ".parquet": _write_parquet,
    ".arrow": _write_arrow,
    ".feather": _write_arrow,
    ".xlsx": _write_excel,
    ".sav": _write_sav,
    ".zsav": _write_sav,
    ".dta": _write_dta,
}
