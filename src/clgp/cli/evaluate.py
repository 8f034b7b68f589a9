"""`clgp evaluate`: held-out truth on a table that the model need not have seen."""

import click

from clgp.cli import inputs, options, show


@options.verb("""\
$ clgp evaluate wisconsin.clgp wisconsin --hide 0.2 --seed 1""")
@options.model
@options.table
@click.option(
    "--hide", default="0.2", metavar="SHARE|one", help="The share of each row's cells, or one."
)
@options.seed()
@options.as_json
def command(
    model: str, table: str, delimiter: str | None, hide: str, seed: int, *, as_json: bool
) -> None:
    """Hide known cells of TABLE, predict them from the others, and say how well that went.

    Honest only on rows that the model was not fitted to. Each figure comes with its standard
    error; ece is the calibration error: how far confidence and success lie apart.
    """
    share = inputs.share_or_one(hide)
    known = inputs.read_model(model)
    read = inputs.read_table(table, delimiter)
    scores = known.evaluate(read, hide=share, random_state=seed)
    if as_json:
        show.print_json({"model": known.name, "hide": share, "seed": seed, **scores.to_json()})
    else:
        show.print_text(scores)
