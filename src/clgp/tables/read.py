"""Reading a table from a file; the name's ending says the format.

Plain text needs nothing but the plain install (`delimited`); the other formats need the extra
`clgp[files]` (`arrow_file`, `excel`, `survey_file`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from clgp.tables.delimited import read_delimited
from clgp.tables.errors import InputError, listing
from clgp.tables.table import Table


def read(path: str | Path, *, delimiter: str | None = None) -> Table:
    r"""Read a table; `-` is delimited text from standard input.

    Args:
        path: A file ending in .csv, .tsv, .txt, .csv.gz, .parquet, .arrow, .feather, .xlsx,
            .sav, .zsav or .dta.
        delimiter: What separates fields of a text file; found when not given.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "pain.csv"
        >>> _ = file.write_text("sex,pain\nF,none\n,mild\n")
        >>> read(file)
        sex  pain
        F    none
        ·    mild
        2 rows × 2 columns
    """
    if str(path) == "-":
        return read_delimited("-", delimiter=delimiter)
    path = Path(path)
    if path.is_dir():
        raise InputError(f"'{path}' is a folder; give the path of a file in it.")
    if not path.exists():
        raise InputError(f"There is no file '{path}'{_beside(path)}.")
    ending = next((end for end in READERS if path.name.lower().endswith(end)), None)
    if ending is None:
        raise InputError(
            f"Cannot read '{path}': the ending '{path.suffix}' is not known; "
            f"use one of {listing(READERS, most=20)}."
        )
    try:
        if ending in TEXT:
            return read_delimited(path, delimiter=delimiter)
        if path.stat().st_size == 0:
            raise InputError(f"{path.name} is empty; expected a table in {ending} format.")
        return READERS[ending](path)
    except OSError as error:
        raise InputError(
            f"Cannot read '{path}': {error.strerror or error}; check the file and its rights."
        ) from None


def _beside(path: Path) -> str:
    """A hint at a file of a similar name."""
    import difflib

    try:
        names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else None
    except OSError:
        return "; check its rights"
    if names is None:
        return f", nor a folder '{path.parent}'; check the path"
    near = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean '{near[0]}'?" if near else "; check the path"


def _parquet(path: Path) -> Table:
    from clgp.tables.arrow_file import read_parquet

    return read_parquet(path)


def _arrow(path: Path) -> Table:
    from clgp.tables.arrow_file import read_arrow

    return read_arrow(path)


def _excel(path: Path) -> Table:
    from clgp.tables.excel import read_excel

    return read_excel(path)


def _sav(path: Path) -> Table:
    from clgp.tables.survey_file import read_sav

    return read_sav(path)


def _dta(path: Path) -> Table:
    from clgp.tables.survey_file import read_dta

    return read_dta(path)


TEXT = (".csv", ".tsv", ".txt", ".tab", ".csv.gz", ".tsv.gz")
READERS: dict[str, Callable[[Any], Table]] = {
    **dict.fromkeys(TEXT, read_delimited),
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".xlsx": _excel,
    ".sav": _sav,
    ".zsav": _sav,
    ".dta": _dta,
}
