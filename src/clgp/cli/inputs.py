"""From what stands on the command line to tables, schemas, weights and cases, checked at the door.

numpy and all that needs it are imported inside the functions: a help page does without.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from clgp.evaluate import Hide
    from clgp.fitted import Model
    from clgp.tables import Schema, Table
    from clgp.typing import Float


def read_table(path: str, delimiter: str | None = None) -> "Table":
    """A table from a file, from standard input, or a bundled one where no such file is."""
    from clgp import data
    from clgp.tables import InputError, read

    delimiter = {"tab": "\t", r"\t": "\t"}.get(delimiter or "", delimiter)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"--delimiter must be one character or 'tab'; got {delimiter!r}.")
    bundled = path in data.TABLES and not Path(path).exists()
    return read(data.path(path) if bundled else path, delimiter=delimiter)


def read_model(path: str) -> "Model":
    """The model in a file, `-` for standard input."""
    from clgp.fitted import load

    return load(path)


def pairs(flag: str, texts: Iterable[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Values by column from COLUMN=VALUE; a column's name may hold '=' itself."""
    from clgp.tables import InputError
    from clgp.tables.errors import close, shown

    found: dict[str, list[str]] = {}
    for text in texts:
        parts = text.split("=")
        cuts = [("=".join(parts[:i]), "=".join(parts[i:])) for i in range(1, len(parts))]
        if not cuts:
            raise InputError(f"{flag} {shown(text)}: expected COLUMN=VALUE, without blanks at '='.")
        known = [cut for cut in cuts if cut[0] in names]
        if not known:
            name = cuts[0][0]
            raise InputError(f"{flag}: no column '{shown(name)}': {close(name, names)}.")
        name, value = known[0]
        if value == "":
            raise InputError(f"{flag} {name}=: expected a value after '='.")
        found.setdefault(name, []).append(value)
    return found


def single(flag: str, texts: Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """As `pairs`, each column once."""
    from clgp.tables import InputError

    found = pairs(flag, texts, names)
    for name, values in found.items():
        if len(values) > 1:
            raise InputError(f"{flag} names '{name}' twice: {' and '.join(values)}; keep one.")
    return {name: values[0] for name, values in found.items()}


def case_of(given: Iterable[str], model: "Model") -> dict[str, str]:
    """The answers that are known, from --given."""
    return single("--given", given, list(model.schema.columns))


def costs_of(cost: Iterable[str], model: "Model") -> dict[str, float]:
    """The price of columns, from --cost."""
    told = single("--cost", cost, model.schema.modelled)
    return {name: _number(f"--cost {name}", value) for name, value in told.items()}


def share_or_one(text: str) -> "Hide":
    """What --hide says."""
    return "one" if text == "one" else _number("--hide", text)


def schema_of(
    table: "Table",
    *,
    path: str | None = None,
    missing: Iterable[str] = (),
    kinds: Iterable[str] = (),
    weight: str | None = None,
) -> "Schema":
    """The schema of a table: from a file or guessed, with missing codes and kinds as told."""
    from clgp.tables import Schema

    if weight is not None:
        table[weight]  # an unknown column is met here
    codes = _codes(missing, table)
    told = single("--kind", kinds, table.columns)
    if weight is not None:
        told[weight] = "ignored"
    if path is None:
        return Schema.infer(table, missing=codes, kinds=told)
    schema = Schema.from_toml(path)
    for name in schema.columns:
        if name in codes or name in told:
            old = schema[name].missing
            more = [*old, *(code for code in codes.get(name, ()) if code not in old)]
            schema = schema.set(name, kind=told.get(name), missing=more)
    return schema


def _codes(missing: Iterable[str], table: "Table") -> dict[str, list[str]]:
    """Missing codes by column; a code without a column is one of every column."""
    codes: dict[str, list[str]] = {}
    for text in missing:
        if "=" in text:
            told = pairs("--missing-code", [text], table.columns)
        else:
            told = {name: [text] for name in table.columns}
        for name, more in told.items():
            codes.setdefault(name, []).extend(code for code in more if code not in codes[name])
    return codes


def weights_of(table: "Table", column: str | None) -> "Float[np.ndarray, ' N'] | None":
    """How much each row counts, from a column of numbers."""
    import numpy as np

    from clgp.tables import InputError

    if column is None:
        return None
    cells = table[column]
    bad = ~np.isfinite(np.append(cells.numbers, np.nan))[cells.codes]
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"--weight {column}, row {row + 1}: expected a number; "
            f"got '{table.row(row)[column] or ''}'."
        )
    return cells.numbers[cells.codes]


def _number(what: str, text: str) -> float:
    from math import isfinite

    from clgp.tables import InputError
    from clgp.tables.errors import shown

    parse: Callable[[str], float] = float
    try:
        value = parse(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InputError(f"{what}: expected a number; got '{shown(text)}'.")
    return value
