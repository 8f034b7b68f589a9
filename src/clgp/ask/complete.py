"""Filling holes: the most probable level of each missing cell, or joint draws of all of them."""

import numpy as np

from clgp.answers import Answers
from clgp.levels import MISSING, Levels
from clgp.typing import Codes, Float, Int


def best_levels(
    levels: Levels, P: Float[np.ndarray, "N L"]
) -> tuple[Int[np.ndarray, "N D"], Float[np.ndarray, "N D"]]:
    """The most probable level of every cell and its probability; ties go to the first."""
    top = levels.max(P)
    first = np.where(levels.spread(top) == P, np.arange(levels.L), levels.L)
    place = -levels.max(-first)
    return place - levels.starts[:-1], top


def complete(answers: Answers, codes: Codes, *, min_prob: float = 0.0) -> Codes:
    """The rows with each missing cell at its most probable level, where that is sure enough."""
    best, top = best_levels(answers.levels, answers.probabilities(codes))
    return np.where(codes >= 0, codes, np.where(top >= min_prob, best, MISSING))


def impute(
    answers: Answers, codes: Codes, *, m: int, key: np.random.Generator
) -> Int[np.ndarray, "m N D"]:
    """Complete tables, m times: all missing cells of a row drawn jointly, given its seen ones."""
    drawn = answers.draw(np.tile(codes, (m, 1)), key)
    return drawn.reshape(m, *codes.shape)
