"""Reading delimited text: every cell as text, an empty cell as missing, nothing else.

Uses the csv module of the standard library; `layout` finds the dialect and writes files back.
"""

import csv
import gzip
import sys
import zlib
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from clgp.tables.cells import Cells, objects
from clgp.tables.errors import InputError, listing, shown
from clgp.tables.layout import FIELD_LIMIT, Layout
from clgp.tables.table import Table

BLOCK = 20_000
GZIP = b"\x1f\x8b"


def read_delimited(path: str | Path, *, delimiter: str | None = None) -> Table:
    """A table from a CSV or TSV file, `-` being standard input."""
    source = "standard input" if str(path) == "-" else Path(path).name
    raw = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    return parse_delimited(raw, source, delimiter=delimiter)


def parse_delimited(raw: bytes, source: str, *, delimiter: str | None = None) -> Table:
    """A table from the bytes of a CSV or TSV file."""
    gzipped = raw.startswith(GZIP)
    if gzipped:
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error):
            raise InputError(f"{source} is a damaged gzip file; compress it again.") from None
    if not raw.strip():
        raise InputError(f"{source} is empty; expected a header line and at least one row.")
    layout = Layout.of(raw, source, delimiter=delimiter, gzipped=gzipped)
    header = checked_header(next((row for _, row in layout.records()), []), source)
    cells = read_cells(layout, header, source)
    if not len(next(iter(cells.values()))):
        raise InputError(f"{source} has a header but no rows; expected at least one row below it.")
    return Table(cells, layout=layout, source=source)


def checked_header(names: Sequence[str], source: str) -> list[str]:
    """Column names, which must be there and differ."""
    empty = [d + 1 for d, name in enumerate(names) if not name.strip()]
    if empty:
        raise InputError(
            f"{source}, line 1: column {empty[0]} of {len(names)} has no name; "
            "give every column a name in the header."
        )
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InputError(
            f"{source}, line 1: column names must differ, but {listing(map(repr, repeated))} "
            f"{'occurs' if len(repeated) == 1 else 'occur'} more than once; rename one."
        )
    return list(names)


def read_cells(layout: Layout, header: Sequence[str], source: str) -> dict[str, Cells]:
    """Every column's cells, in one pass over blocks of records."""
    D = len(header)
    places: list[dict[str, int]] = [{} for _ in header]
    blocks: list[list[np.ndarray]] = [[] for _ in header]
    csv.field_size_limit(FIELD_LIMIT)
    reader = csv.reader(layout.lines(), delimiter=layout.delimiter)
    try:
        next(row for row in reader if row)
        while block := list(islice(reader, BLOCK)):
            if D == 1:
                block = [row or [""] for row in block]
            if any(n != D for n in map(len, block)):
                block = [row for row in block if row]
                if any(n != D for n in map(len, block)):
                    raise ragged(layout, header, source)
            for d, column in enumerate(zip(*block, strict=True)):
                place = places[d]
                for text in dict.fromkeys(column):
                    if text and text not in place:
                        place[text] = len(place)
                codes = map(place.get, column, [-1] * len(column))
                blocks[d].append(np.fromiter(codes, np.int32, len(column)))
    except csv.Error as error:
        raise InputError(f"{source}, line {reader.line_num}: {error}; save it again.") from None
    none = np.zeros(0, np.int32)
    return {
        name: Cells(np.concatenate([none, *blocks[d]]), objects(places[d]))
        for d, name in enumerate(header)
    }


def ragged(layout: Layout, header: Sequence[str], source: str) -> InputError:
    """The complaint about the first record that is too short or too long."""
    before = 0
    for end, row in layout.records():
        if len(row) != len(header):
            where = f"line {before + 1}" if end == before + 1 else f"lines {before + 1} to {end}"
            found = f"{len(row)} field" + "s" * (len(row) != 1)
            return InputError(
                f"{source}, {where}: expected {len(header)} fields as in the header, found {found} "
                f"(first: '{shown(row[0])}'); check the quotes and delimiters of that line."
            )
        before = end
    return InputError(f"{source}: some line has not {len(header)} fields.")


def changed_texts(table: Table, original: Table) -> Mapping[int, Mapping[int, str]]:
    """The cells in which a table differs from the file it was read from, by row and column."""
    changes: dict[int, dict[int, str]] = {}
    for d, (now, then) in enumerate(zip(table.cells.values(), original.cells.values(),
                                        strict=True)):  # fmt: skip
        if now is then:
            continue
        place = {text: k for k, text in enumerate(then.texts)}
        to = np.array([*(place.get(text, -2) for text in now.texts), -1])
        for n in np.flatnonzero(to[now.codes] != then.codes).tolist():
            k = int(now.codes[n])
            changes.setdefault(n, {})[d] = now.texts[k] if k >= 0 else ""
    return changes
