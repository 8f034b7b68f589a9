"""How usual a row is, and which of its cells make it unusual."""

import numpy as np

from clgp.answers import Answers
from clgp.levels import MISSING
from clgp.typing import Codes, Float, Int


def surprise(answers: Answers, row: Int[np.ndarray, " D"]) -> Float[np.ndarray, " D"]:
    """−log p(cell | the row's other seen cells) in nats for each seen cell; 0 for missing ones."""
    seen = np.flatnonzero(row >= 0)
    hidden = np.repeat(row[None], len(seen), axis=0)
    hidden[np.arange(len(seen)), seen] = MISSING
    P = answers.probabilities(hidden)
    out = np.zeros(len(row))
    with np.errstate(divide="ignore"):
        p = P[np.arange(len(seen)), answers.levels.starts[seen] + row[seen]]
        out[seen] = -np.log(p)
    return out


def most_unusual(answers: Answers, codes: Codes, *, top: int) -> Int[np.ndarray, " _"]:
    """The rows whose seen cells are least probable for their number, least first."""
    seen = np.maximum((codes >= 0).sum(1), 1)
    return np.argsort(answers.log_prob(codes) / seen, kind="stable")[:top]
