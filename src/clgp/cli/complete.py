"""`clgp complete`: the same file with its holes filled."""

from typing import TYPE_CHECKING

import click

from clgp.cli import inputs, options, show

if TYPE_CHECKING:
    from clgp.fitted import Model
    from clgp.tables import Table


@options.verb("""\
$ clgp complete wisconsin.clgp wisconsin --min-prob 0.9 -o full.csv""")
@options.model
@options.table
@options.out("The table to write; `-` is standard output.", default="-")
@click.option(
    "--min-prob",
    type=float,
    default=0.0,
    metavar="PROBABILITY",
    help="Leave cells empty whose most probable level is less sure than this.",
)
@options.as_json
def command(
    model: str, table: str, delimiter: str | None, output: str, min_prob: float, *, as_json: bool
) -> None:
    """Fill the holes of TABLE with the most probable level of each.

    Rows, columns and their order stay, and known cells byte for byte; so does every column that
    the model does not know.
    """
    show.check_output(output, table=True)
    known = inputs.read_model(model)
    read = inputs.read_table(table, delimiter)
    full = known.complete(read, min_prob=min_prob)
    filled, left = count(known, read, full)
    text = f"{filled:,} holes filled, {left:,} left empty."
    show.finish(full, output, text, as_json=as_json, filled=filled, left=left)


def count(model: "Model", before: "Table", after: "Table") -> tuple[int, int]:
    """How many holes of the modelled columns were filled, and how many are left."""
    from clgp.tables import holes

    there = [d for d, name in enumerate(model.schema.modelled) if name in before.cells]
    left = int(holes(after, model.schema)[:, there].sum())
    return int(holes(before, model.schema)[:, there].sum()) - left, left
