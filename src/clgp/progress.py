"""How long work tells how far it is; who shows it, and how, is the caller's choice."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[float, str], object]
"""Called now and then with the share of the work that is done and what is being done."""


def silent(share: float, text: str) -> None:
    """Tells nobody."""


def within(progress: Progress, start: float, stop: float) -> Progress:
    """A part of the work as a share of the whole."""
    return lambda share, text: progress(start + (stop - start) * share, text)
