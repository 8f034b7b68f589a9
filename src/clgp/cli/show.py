"""What goes where: answers to standard output, all else to standard error, JSON alone if asked.

A file is checked before work starts and written whole or not at all.
"""

import json
import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clgp.progress import Progress
    from clgp.tables import Table


def print_json(data: Mapping[str, Any]) -> None:
    """Data as JSON; what JSON cannot say (infinite, not a number) is null."""
    print(json.dumps(_plain(data), indent=2))


def _plain(data: Any) -> Any:
    match data:
        case Mapping():
            return {str(key): _plain(value) for key, value in data.items()}
        case list() | tuple():
            return [_plain(value) for value in data]
        case str() | bool() | int() | None:
            return data
        case float():
            return data if math.isfinite(data) else None
    return _plain(data.item()) if hasattr(data, "item") else str(data)


def print_text(text: object, *, output: str | None = None) -> None:
    """A text for people; on standard error where standard output carries data."""
    stream = sys.stderr if output == "-" else sys.stdout
    encoding = stream.encoding or "utf-8"
    print(str(text).encode(encoding, "replace").decode(encoding), file=stream)


def finish(table: "Table", output: str, text: str, *, as_json: bool, **told: Any) -> None:
    """Write a table that is the answer of a verb, and say so."""
    if as_json and output == "-":
        print_json({**told, "rows": table.to_dicts()})
        return
    table.write(output)
    if as_json:
        print_json({**told, "output": output})
    elif output != "-":
        print_text(f"{output}: {text}")
    elif sys.stderr.isatty():
        print_text(text, output=output)


def check_output(output: str | None, *, table: bool = False) -> None:
    """Complain of a file that cannot be written before any work is done."""
    from clgp.tables.write import checked, writer_of

    if output is not None and output != "-":
        checked(output)
        if table:
            writer_of(output)


def check_streams(output: str | None, *, as_json: bool) -> None:
    """JSON and a file cannot both have standard output."""
    from clgp.tables import InputError

    if as_json and output == "-":
        raise InputError("--json and -o - both want standard output; give -o a file's name.")


@contextmanager
def progress() -> "Iterator[Progress]":
    """A bar with the time left on a terminal; silence elsewhere."""
    if not sys.stderr.isatty():
        from clgp.progress import silent

        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeLeft())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share, text: bar.update(task, completed=share, description=text)
