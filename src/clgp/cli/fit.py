"""`clgp fit`: a table goes in, a model file and its held-out report come out."""

from typing import TYPE_CHECKING

import click

from clgp.cli import inputs, options, show
from clgp.cli.verbs import DEFAULT_MODEL, MODEL_NAMES

if TYPE_CHECKING:
    from clgp.estimator import Estimator
    from clgp.fitted import Model
    from clgp.tables import Schema, Table

LONGEST = 10_000  # characters of a level


@options.verb("""\
$ clgp fit wisconsin --seed 1 -o wisconsin.clgp""")
@options.table
@options.out("The model file to write.", required=True)
@click.option(
    "--model",
    "name",
    metavar="NAME",
    default=DEFAULT_MODEL,
    help=f"What to fit: {', '.join(MODEL_NAMES)}.",
)
@options.seed()
@click.option("--schema", metavar="FILE", help="What the columns mean, from `clgp inspect -o`.")
@click.option("--weight", metavar="COLUMN", help="How much each row counts; not modelled.")
@options.missing_code
@options.kind
@options.as_json
def command(
    table: str,
    delimiter: str | None,
    output: str,
    name: str,
    seed: int,
    schema: str | None,
    weight: str | None,
    missing_code: tuple[str, ...],
    kind: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Learn a model from TABLE and save it.

    A report on cells that the fit did not see stands beside simple baselines, also where one of
    them wins; then the model is fitted to all rows.
    """
    show.check_streams(output, as_json=as_json)
    show.check_output(output)
    estimator = estimator_of(name, seed)
    read = inputs.read_table(table, delimiter)
    meant = inputs.schema_of(read, path=schema, missing=missing_code, kinds=kind, weight=weight)
    check_columns(meant, read)
    weights = inputs.weights_of(read, weight)
    with show.progress() as progress:
        estimator.fit(read, schema=meant, sample_weight=weights, progress=progress)
    model = estimator.fitted
    model.save(output)
    if as_json:
        show.print_json(about(model) | {"output": output})
    else:
        show.print_text(model, output=output)
        if output != "-":
            show.print_text(f"{output}: the model, fitted in {model.origin['seconds']:.1f} s.")


def estimator_of(name: str, seed: int) -> "Estimator":
    """The estimator that the command line calls so."""
    from clgp.estimator import MODELS
    from clgp.tables import InputError
    from clgp.tables.errors import close

    if name not in MODELS:
        raise InputError(f"There is no model '{name[:40]}': {close(name, MODELS)}.")
    return MODELS[name]().set_params(random_state=seed, verbose=False)


def check_columns(schema: "Schema", table: "Table") -> None:
    """What a file read with the wrong delimiter or an open quote looks like cannot be learnt."""
    from clgp.tables import InputError

    for name in schema.modelled:
        longest = max(map(len, schema[name].levels))
        if longest > LONGEST:
            raise InputError(
                f"Column '{name}' of {table.source} holds a text of {longest:,} characters, which "
                f"is no category; check the file's quotes, or leave it out: --kind {name}=ignored."
            )
    if len(schema.modelled) == 1:
        raise InputError(
            f"Only '{schema.modelled[0]}' of the {len(schema.columns)} columns of {table.source} "
            "can be modelled, and one column has no other to learn from; see `clgp inspect`, or "
            "give --delimiter if the columns were not told apart."
        )


def about(model: "Model") -> dict[str, object]:
    """A model as plain data, but for the schema."""
    return {
        "model": model.name,
        "rows": model.origin["rows"],
        "columns": len(model.schema.modelled),
        "held_out": model.held_out.to_json() if model.held_out else None,
        "notes": list(model.notes),
        "origin": dict(model.origin),
    }
