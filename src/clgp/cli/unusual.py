"""`clgp unusual`: the rows that the model finds least probable, and which cells are to blame."""

from dataclasses import asdict

import click

from clgp.cli import inputs, options, show


@options.verb("""\
$ clgp unusual wisconsin.clgp wisconsin --top 3""")
@options.model
@options.table
@click.option("--top", type=click.IntRange(1), default=10, metavar="NUMBER", help="How many rows.")
@options.as_json
def command(model: str, table: str, delimiter: str | None, top: int, *, as_json: bool) -> None:
    """The least probable rows of TABLE for the number of their known cells.

    Each comes with the cells to blame: how probable its level was, all other cells known. The
    percentile is that among the rows that the model was fitted to.
    """
    known = inputs.read_model(model)
    found = known.unusual(inputs.read_table(table, delimiter), top=top)
    if as_json:
        show.print_json({"rows": [asdict(one) | {"row": one.row + 1} for one in found]})
        return
    for one in found:
        blame = ", ".join(f"{b.column} = {b.level} ({b.prob:.2%})" for b in one.blame)
        show.print_text(
            f"row {one.row + 1}: {one.log_prob:.2f} nats, "
            f"percentile {one.percentile:.0f}; {blame or 'no cell stands out'}"
        )
