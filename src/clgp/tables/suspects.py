"""Values that often stand for a missing answer: named to the user, never taken for missing."""

from typing import Final

import numpy as np

from clgp.tables.cells import Cells

WORDS: Final = {
    "?", "??", ".", "-", "--", "*", "na", "n/a", "n.a.", "#n/a", "nan", "null", "none", "nil",
    "missing", "unknown", "not known", "don't know", "dont know", "do not know", "dk", "refused",
    "refusal", "no answer", "not answered", "no response", "not applicable", "inapplicable",
    "not asked", "prefer not to say", "unsure",
}  # fmt: skip
NUMBERS: Final = (-1, -7, -8, -9, -88, -97, -98, -99, -999, -9999,
                  7, 8, 9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 9999, 99999)  # fmt: skip
FEW: Final = 1_000  # distinct texts up to which words are looked for


def suspects(cells: Cells) -> tuple[str, ...]:
    """Values that may be missing codes: telling words, labels, and numbers far from the rest."""
    found: list[str] = []
    if cells.values.dtype.kind not in "iuf" or len(cells.values) <= FEW:
        for text in cells.texts:
            label = cells.known.labels.get(text, "x")
            if {_word(text), _word(label)} & WORDS or not text.strip():
                found.append(text)
    return tuple(dict.fromkeys([*found, *_far_numbers(cells)]))


def _word(text: str) -> str:
    return text.strip().casefold().replace("\u2019", "'")


def _far_numbers(cells: Cells) -> list[str]:
    """Typical codes such as 99 or −9 that lie apart from all other numbers."""
    x = cells.numbers[~np.isnan(cells.numbers)]
    candidate = np.isin(x, NUMBERS)
    rest = x[~candidate]
    if len(rest) < 2 or not candidate.any():
        return []
    low, high = rest.min(), rest.max()
    gap = np.maximum(1.0, (high - low) / np.where(np.abs(x) < 10, 2, 4))
    far = candidate & ((x < low - gap) | (x > high + gap))
    return [str(int(v)) for v in np.sort(x[far])]
