"""SPSS and Stata files: value labels, question texts, measures, and why a cell is missing.

User-missing codes (SPSS ranges, Stata's .a to .z) become holes that remember their reason, in
`Cells.reasons`; a hole that is not filled is written back with its code.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clgp.tables.cells import Cells, Known, Type
from clgp.tables.delimited import checked_header
from clgp.tables.errors import InputError
from clgp.tables.extra import needed
from clgp.tables.table import Table
from clgp.tables.text import canonical


def read_sav(path: Path) -> Table:
    """A table from an SPSS file."""
    return _read(path, "read_sav", "an SPSS")


def read_dta(path: Path) -> Table:
    """A table from a Stata file."""
    return _read(path, "read_dta", "a Stata")


def _read(path: Path, reader: str, kind: str) -> Table:
    pyreadstat = needed("pyreadstat", f"Reading {kind} file")
    try:
        columns, meta = getattr(pyreadstat, reader)(path, user_missing=True, output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OSError) as error:
        raise InputError(
            f"{path.name} is not a whole {kind.split()[1]} file ({str(error).rstrip('.')}); "
            "write or copy it again."
        ) from None
    checked_header(list(columns), path.name)
    cells = {name: _cells(name, list(values), meta) for name, values in columns.items()}
    table = Table(cells, source=path.name)
    if not len(table):
        raise InputError(f"{path.name} has columns but no rows; expected at least one row.")
    return table


def _cells(name: str, values: Sequence[Any], meta: Any) -> Cells:
    storage = meta.readstat_variable_types.get(name, "double")
    labels = meta.variable_value_labels.get(name, {})
    ranges = tuple((r["lo"], r["hi"]) for r in meta.missing_ranges.get(name, []))
    letters = set(meta.missing_user_values.get(name, [])) if storage != "string" else set()

    def absent(value: Any) -> bool:
        if isinstance(value, str) and storage != "string":
            return value in letters
        inside = (lo <= value <= hi for lo, hi in ranges if isinstance(lo, str) is
                  isinstance(value, str))  # fmt: skip
        return any(inside)

    held = Cells.of([None if v == "" else v for v in values], Known(type="other"))
    gone = [k for k, v in enumerate(held.values) if absent(v)]
    texts = held.texts
    named = {canonical(k): str(label) for k, label in labels.items()}
    also = [canonical(k) for k in labels if absent(k) and canonical(k) not in texts]
    codes = {t: named.get(t, "") for t in [*(texts[k] for k in gone), *also]}
    keep = np.setdiff1d(np.arange(len(texts)), gone)
    to = np.full(len(texts) + 1, -1, np.int32)
    to[keep] = np.arange(len(keep))
    why = np.full(len(texts) + 1, -1, np.int32)
    why[gone] = np.arange(len(gone))
    known = Known(
        type=_type(storage, held.values[keep]),
        dtype=storage,
        question=meta.column_names_to_labels.get(name) or "",
        measure=_measure(meta.variable_measure.get(name)),
        labels=named,
        absent=codes,
        ranges=ranges,
        format=meta.original_variable_types.get(name) or "",
    )
    kept = held.values[keep]
    if known.type in {"integer", "number"} and len(kept):
        kept = kept.astype(np.float64 if known.type == "number" else np.int64)
    return Cells(to[held.codes], kept, known, why[held.codes] if gone else None)


def _type(storage: str, values: np.ndarray) -> Type:
    if any(hasattr(v, "isoformat") for v in values):
        return "date"
    if storage == "string":
        return "text"
    return "integer" if storage.startswith("int") else "number"


def _measure(measure: str | None) -> str:
    return measure if measure in {"nominal", "ordinal", "scale"} else ""


def write_sav(table: Table, path: Path) -> None:
    """Write a table as an SPSS file, with labels, measures and missing codes."""
    known = {name: cells.known for name, cells in table.cells.items()}
    more = {
        "missing_ranges": {n: _ranges(k) for n, k in known.items() if _ranges(k)},
        "variable_measure": {n: k.measure for n, k in known.items() if k.measure},
        "compress": path.suffix.lower() == ".zsav",
    }
    _write("write_sav", "an SPSS", table, path, more, _fits_sav)


def write_dta(table: Table, path: Path) -> None:
    """Write a table as a Stata file, with labels and extended missing values."""
    letters = {
        name: [code for code in cells.known.absent if _fits_dta(code, cells.known)]
        for name, cells in table.cells.items()
    }
    more = {"missing_user_values": {name: codes for name, codes in letters.items() if codes}}
    _write("write_dta", "a Stata", table, path, more, _fits_dta)


def _is_numeric(known: Known) -> bool:
    return known.type in {"integer", "number"}


def _fits_sav(code: str, known: Known) -> bool:
    """Whether an SPSS column can hold a code: Stata's letters it cannot."""
    return not _is_numeric(known) or not code.isalpha()


def _fits_dta(code: str, known: Known) -> bool:
    """Whether a Stata column can mark a code as missing: letters alone, among numbers."""
    return _is_numeric(known) and len(code) == 1 and "a" <= code <= "z"


def _write(
    writer: str,
    kind: str,
    table: Table,
    path: Path,
    more: Mapping[str, Any],
    fits: Callable[[str, Known], bool],
) -> None:
    pyreadstat = needed("pyreadstat", f"Writing {kind} file")
    pd = needed("pandas", f"Writing {kind} file")
    columns = {name: _column(cells, fits) for name, cells in table.cells.items()}
    frame = pd.DataFrame({name: pd.Series(v, dtype=t) for name, (v, t) in columns.items()})
    known = {name: cells.known for name, cells in table.cells.items()}
    formats = {
        name: k.format
        for name, k in known.items()
        if k.format and k.type != "date" and k.format.startswith("%") == (kind == "a Stata")
    }
    try:
        getattr(pyreadstat, writer)(
            frame,
            str(path),
            column_labels=[k.question for k in known.values()],
            variable_value_labels={n: _labels(k, fits) for n, k in known.items() if k.labels},
            variable_format=formats,
            **more,
        )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        raise InputError(
            f"{kind[0].upper()}{kind[1:]} file cannot hold this table: {str(error).rstrip('.')}."
        ) from None


def _column(cells: Cells, fits: Callable[[str, Known], bool]) -> tuple[list[Any], str]:
    """The column's values for pyreadstat, missing codes where the file can hold the reason."""
    values, known = cells.python(), cells.known
    letters = False
    if cells.reasons is not None:
        codes = list(known.absent)
        for n in np.flatnonzero(cells.reasons >= 0).tolist():
            code = codes[cells.reasons[n]]
            if fits(code, known):
                values[n] = _value(code, known)
                letters = letters or isinstance(values[n], str)
    if known.type == "boolean":
        return [None if v is None else float(v) for v in values], "float64"
    if _is_numeric(known) and not letters:
        # Stata's whole numbers have 32 bits; larger ones are exact as doubles up to 2⁵³
        whole = known.type == "integer" and bool((np.abs(cells.numbers) < 2**31 - 200).all())
        return values, "Int32" if whole else "float64"
    return values, "object"


def _labels(known: Known, fits: Callable[[str, Known], bool]) -> dict[Any, str]:
    """Value labels keyed as the column's values are."""
    shown = {
        code: label
        for code, label in known.labels.items()
        if code not in known.absent or fits(code, known)
    }
    return {_value(code, known): label for code, label in shown.items()}


def _ranges(known: Known) -> list[Any]:
    """User-missing codes and ranges as pyreadstat wants them."""
    if known.ranges:
        return [lo if lo == hi else {"lo": lo, "hi": hi} for lo, hi in known.ranges]
    return [_value(code, known) for code in known.absent if _fits_sav(code, known)]


def _value(code: str, known: Known) -> Any:
    if not _is_numeric(known) or code.isalpha():
        return code
    return int(code) if known.type == "integer" else float(code)
