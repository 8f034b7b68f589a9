"""How long work tells how far it is; who shows it, and how, is the caller's choice."""

from typing import Protocol


class Progress(Protocol):
    """Called now and then during a fit."""

    def __call__(self, share: float, text: str) -> None:
        """Tell the share of the work that is done, and what is being done."""


def silent(share: float, text: str) -> None:
    """Tells nobody."""


def within(progress: Progress, start: float, stop: float) -> Progress:
    """A part of the work as a share of the whole."""

    def part(share: float, text: str) -> None:
        progress(start + (stop - start) * share, text)

    return part
