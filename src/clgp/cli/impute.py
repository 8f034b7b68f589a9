"""`clgp impute`: the table many times over, its holes filled with joint draws, in one long file."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from clgp.cli import inputs, options, show

if TYPE_CHECKING:
    from clgp.tables import Table


@options.verb("""\
$ clgp impute wisconsin.clgp wisconsin -m 5 --seed 1 -o imputed.csv""")
@options.model
@options.table
@click.option("-m", "times", type=int, default=20, metavar="NUMBER", help="How many draws.")
@options.out("The long table to write; `-` is standard output.", default="-")
@options.seed()
@options.as_json
def command(
    model: str,
    table: str,
    delimiter: str | None,
    times: int,
    output: str,
    seed: int,
    *,
    as_json: bool,
) -> None:
    """Fill the holes of TABLE many times, all holes of a row drawn jointly.

    The answer is one long table with a column .imp (0 is the table as it came, then 1 to m) and a
    column .id (the row, from 1) before the others, as mice (as.mids) and Stata (mi import flong)
    read it.
    """
    show.check_output(output, table=True)
    known = inputs.read_model(model)
    read = inputs.read_table(table, delimiter)
    drawn = known.impute(read, m=times, random_state=seed)
    text = f"{len(read):,} rows as they came and {times} times with their holes filled."
    show.finish(long([read, *drawn]), output, text, as_json=as_json, m=times)


def long(tables: "Sequence[Table]") -> "Table":
    """Tables of the same rows one below the other, with their number and that of the row."""
    from clgp.tables import InputError, Table

    first = tables[0]
    for name in (".imp", ".id"):
        if name in first.cells:
            raise InputError(f"{first.source} has a column '{name}' already; rename it first.")
    rows = range(1, len(first) + 1)
    columns = {name: [x for t in tables for x in t.cells[name].python()] for name in first.columns}
    numbers = {
        ".imp": [i for i in range(len(tables)) for _ in rows],
        ".id": [n for _ in tables for n in rows],
    }
    return Table.of(numbers | columns)
