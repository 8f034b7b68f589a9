"""The command `clgp`: one file a verb, listed in `verbs`; `app` finds the verb and meets errors.

The list of verbs is printed without importing anything, so that `clgp --help` is there at once.
"""

import sys


def main(args: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    args = sys.argv[1:] if args is None else args
    try:
        code = _run(args)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("Stopped; no file was left half-written.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return _gone(141)
    except OSError as error:
        import errno

        if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}:
            raise
        print(f"Error: Writing failed: {error.strerror}; make room there.", file=sys.stderr)
        return _gone(1)


def _gone(code: int) -> int:
    """Nobody takes our output any more; without this Python complains when it flushes at exit."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _run(args: list[str]) -> int:
    if args in ([], ["--help"], ["-h"]):
        from clgp.cli.verbs import overview

        print(overview())
        return 0
    if args == ["--version"]:
        from clgp.version import __version__

        print(f"clgp {__version__}")
        return 0
    from clgp.cli.app import run

    return run(args)
