"""`clgp demo`: the whole way on the bundled Wisconsin table, with files to look at afterwards."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clgp.cli import options, show
from clgp.cli.fit import about, estimator_of
from clgp.cli.verbs import DEFAULT_MODEL

if TYPE_CHECKING:
    from clgp.fitted import Model
    from clgp.tables import Table

CASE = {"clump_thickness": "5", "bland_chromatin": "3"}
TARGET = "class"


@options.verb("""\
$ clgp demo tour""")
@click.argument("folder", metavar="[FOLDER]", default="demo")
@options.as_json
def command(folder: str, *, as_json: bool) -> None:
    """Fit a model to a bundled table, check it, fill holes, ask what to ask next, and save it.

    The table is of 699 breast cancer cases. Files go to FOLDER (./demo if not given).
    """
    from clgp import data
    from clgp.tables import read

    place = made(folder)
    table = read(data.path("wisconsin"))
    say = (lambda text: None) if as_json else show.print_text
    say(f"1. Fit {DEFAULT_MODEL} to {len(table)} cases × {len(table.columns)} columns.\n")
    with show.progress() as progress:
        model = estimator_of(DEFAULT_MODEL, 0).fit(table, progress=progress).fitted
    say(f"{model}\n\n2. Fill the holes: each gets its most probable level.\n")
    full = model.complete(table)
    say("\n".join(filled(model, table, full)))
    ranking = model.rank_next(CASE, target=TARGET, k=4)
    known = " and ".join(f"{name} = {value}" for name, value in CASE.items())
    say(f"\n3. Of a new case {known} is known. What to ask next, to learn the class?\n\n{ranking}")
    table.write(place / "wisconsin.csv")
    full.write(place / "completed.csv")
    model.save(place / "wisconsin.clgp")
    if as_json:
        told = {"column": ranking.questions[0].column, "bits": ranking.questions[0].bits}
        show.print_json(about(model) | {"folder": str(place), "next": told})
    say(f"\n4. In {place.resolve()}:\n\n{FILES}\n\nTry next:\n\n{_commands(place)}")


FILES = """\
   wisconsin.csv   the table
   completed.csv   the same with its holes filled
   wisconsin.clgp  the model"""


def _commands(place: Path) -> str:
    clgp = "clgp" if shutil.which("clgp") else shlex.quote(sys.argv[0])
    name = shlex.quote(str(place))
    return "\n".join(
        [
            f"   {clgp} next {name}/wisconsin.clgp --given bare_nuclei=10 --target class",
            f"   {clgp} unusual {name}/wisconsin.clgp {name}/wisconsin.csv --top 3",
            f"   {clgp} fit YOUR.csv -o your.clgp",
        ]
    )


def made(folder: str) -> Path:
    """The folder, made if it is not there."""
    from clgp.tables import InputError

    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"Cannot make the folder '{folder}': {error.strerror}; give another name."
        ) from None
    return place


def filled(model: "Model", before: "Table", after: "Table", most: int = 5) -> list[str]:
    """The first holes that were filled, with how sure the model is."""
    P = model.answers.probabilities(model.codes(before))
    lines, count = [], 0
    for d, name in enumerate(model.schema.modelled):
        texts = after.cells[name].text()
        for n in (~before.cells[name].observed).nonzero()[0]:
            count += 1
            sure = P[n, model.schema.levels.at(d)].max()
            lines.append(f"   row {n + 1}: {name} = {texts[n]} ({sure:.0%})")
    return [*lines[:most], f"   … {count} holes in all"]
