"""What a user is told when a table, a schema or a path is not as it should be.

`InputError` is the one exception for bad input: one or two sentences saying what, where, what was
expected and what to do. The command line turns it into exit code 2.
"""

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """Something the user gave cannot be used; the message says what, where and what to do."""


class UnseenLevelWarning(UserWarning):
    """A cell holds a level that the schema does not know, and counts as missing."""


def listing(names: Iterable[str], most: int = 8) -> str:
    """Names in a sentence, cut when there are many.

    Example:
        >>> listing(["a", "b", "c"], most=2)
        'a, b, … (3 in all)'
    """
    names = [shown(name) for name in names]
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])}, … ({len(names)} in all)"


def shown(text: str, most: int = 40) -> str:
    """A text from a cell, cut and on one line, fit for a sentence."""
    text = " ".join(str(text).split()) if str(text).strip() else str(text)
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def close(name: str, names: Iterable[str]) -> str:
    """A hint at names that look alike, or at what there is.

    Example:
        >>> close("Age", ["age", "sex"])
        "did you mean 'age'?"
    """
    names = list(names)
    folded = {known.casefold(): known for known in names}
    near = difflib.get_close_matches(name.casefold(), list(folded), n=2)
    if near:
        return f"did you mean {' or '.join(repr(folded[key]) for key in near)}?"
    return f"there is {listing(names)}" if names else "there is none"
