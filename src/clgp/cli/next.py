"""`clgp next`: which question would tell most, given what is known."""

import click

from clgp.cli import inputs, options, show


@options.verb("""\
$ clgp next wisconsin.clgp --given clump_thickness=5 --target class --cost mitoses=4 -k 3""")
@options.model
@options.given
@click.option("--target", metavar="COLUMN", help="The column to learn about.  [all others]")
@options.named("--cost", "What it costs to ask; 1 if not told.", metavar="COLUMN=NUMBER")
@click.option("--exclude", multiple=True, metavar="COLUMN", help="A column that cannot be asked.")
@click.option("-k", type=click.IntRange(1), metavar="NUMBER", help="Show the first only.  [all]")
@options.as_json
def command(
    model: str,
    given: tuple[str, ...],
    target: str | None,
    cost: tuple[str, ...],
    exclude: tuple[str, ...],
    k: int | None,
    *,
    as_json: bool,
) -> None:
    """Rank the columns to ask for next.

    The first tells most about the target for its cost, in bits; the target's probabilities as
    things stand come before the list. Without a target: most about all other unknown columns.
    """
    known = inputs.read_model(model)
    case, costs = inputs.case_of(given, known), inputs.costs_of(cost, known)
    ranking = known.rank_next(case, target=target, cost=costs, exclude=exclude, k=k)
    if not as_json:
        show.print_text(ranking)
        return
    questions = [
        {"column": q.column, "bits": q.bits, "cost": q.cost, "bits_per_cost": q.bits / q.cost}
        for q in ranking.questions
    ]
    show.print_json(
        {"target": target, "given": case, "belief": ranking.belief, "questions": questions}
    )
