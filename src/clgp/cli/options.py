"""What verbs share: the help page that ends with an example, and options of the same name."""

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Verb(click.Command):
    """A verb, whose help page ends with an example that runs on a bundled table."""

    def __init__(self, *args: Any, example: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Example"):
            for line in self.example.splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


def verb(example: str) -> Callable[[Callable[..., Any]], Verb]:
    """Make a function a verb."""
    settings = {"help_option_names": ["-h", "--help"], "show_default": True}
    return click.command(cls=Verb, example=example, context_settings=settings)


def out(text: str, **kwargs: Any) -> Decorator:
    """-o, the file to write."""
    return click.option("-o", "--output", metavar="FILE", help=text, **kwargs)


def seed(text: str = "Same seed, same answer.") -> Decorator:
    """--seed, the start of all chance."""
    return click.option("--seed", type=click.IntRange(0), default=0, metavar="NUMBER", help=text)


def named(flag: str, text: str, *, metavar: str = "COLUMN=VALUE") -> Decorator:
    """An option that says something of a column, given as often as needed."""
    return click.option(flag, multiple=True, metavar=metavar, help=text)


as_json = click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
model = click.argument("model", metavar="MODEL")
given = named("--given", "An answer that is known; as often as needed.")
missing_code = named(
    "--missing-code",
    "A code that stands for a missing answer, in a column or in all.",
    metavar="CODE|COLUMN=CODE",
)
kind = named(
    "--kind",
    "What a column is: nominal, ordinal, binary, numeric or ignored.",
    metavar="COLUMN=KIND",
)
_table = click.argument("table", metavar="TABLE")
_delimiter = click.option(
    "--delimiter", metavar="CHARACTER", help="What separates fields of a text file.  [found]"
)


def table(function: Callable[..., Any]) -> Callable[..., Any]:
    """The table to read, and how."""
    return _table(_delimiter(function))
