"""`clgp sample`: new rows from the model."""

import click

from clgp.cli import inputs, options, show


@options.verb("""\
$ clgp sample wisconsin.clgp -n 100 --given class=malignant --seed 1 -o new.csv""")
@options.model
@click.option("-n", "rows", type=int, default=1, metavar="NUMBER", help="How many rows.")
@options.given
@options.seed()
@options.out("The table to write; `-` is standard output.", default="-")
@options.as_json
def command(
    model: str, rows: int, given: tuple[str, ...], seed: int, output: str, *, as_json: bool
) -> None:
    """Draw new rows; with --given, only rows that have these answers."""
    show.check_output(output, table=True)
    known = inputs.read_model(model)
    drawn = known.sample(rows, given=inputs.case_of(given, known), random_state=seed)
    show.finish(drawn, output, f"{rows:,} new rows.", as_json=as_json)
