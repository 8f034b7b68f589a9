"""Finds the verb, runs it, and turns what may go wrong into one line and an exit code.

0 done · 2 bad input · 130 stopped by Ctrl-C. Anything else that is raised is a bug and shows its
traceback.
"""

import difflib
import sys
import warnings
from importlib import import_module
from typing import Any

import click

from clgp.cli.verbs import VERBS, overview


class Verbs(click.Group):
    """The verbs, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return import_module(VERBS[cmd_name][0]).command if cmd_name in VERBS else None

    def get_help(self, ctx: click.Context) -> str:
        return overview()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in VERBS:
            near = difflib.get_close_matches(args[0], VERBS, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"use one of {', '.join(VERBS)}."
            raise click.UsageError(f"There is no verb '{args[0][:40]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)


def run(args: list[str]) -> int:
    """The exit code of a command line."""
    app = Verbs("clgp", context_settings={"help_option_names": ["-h", "--help"]})
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _warn
        try:
            app.main(args, prog_name="clgp", standalone_mode=False)
            return 0
        except click.Abort:
            raise KeyboardInterrupt from None
        except click.ClickException as error:
            return _complain(_usage(error))
        except MemoryError:
            return _complain("This needs more memory than there is; ask for fewer rows.")
        except _input_error() as error:
            return _complain(str(error))


def _input_error() -> type[Exception]:
    """Asked for only once something was raised: the tables need numpy, a help page does not."""
    from clgp.tables.errors import InputError

    return InputError


def _usage(error: click.ClickException) -> str:
    text = " ".join(error.format_message().split())
    text = text if text.endswith((".", "?")) else f"{text}."
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    return f"{text} See {ctx.command_path} --help." if ctx else text


def _complain(text: str) -> int:
    print(f"Error: {text}", file=sys.stderr)
    return 2


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"Warning: {message}", file=sys.stderr)
