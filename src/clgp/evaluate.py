"""Held-out truth: hide cells that are known, predict them, and say how well that went.

Loss in nats is the mean of −log p(true level); bits and perplexity are the same figure in other
units. Standard errors take rows, not cells, as independent.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from clgp.answers import Answers
from clgp.ask.complete import best_levels
from clgp.levels import MISSING
from clgp.tables import InputError, hide
from clgp.typing import Bool, Codes, Float, Int

BINS = 15
RESAMPLES = 200
FIGURES = ("nats", "bits", "perplexity", "accuracy", "ece")
Hide = float | Literal["one"]


@dataclass(frozen=True)
class Figure:
    """A number with its standard error."""

    value: float
    se: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.se:.3f}"


@dataclass(frozen=True)
class Bin:
    """Cells of like confidence: how sure the model was, how often it was right."""

    low: float
    high: float
    cells: int
    confidence: float
    right: float
    se: float


@dataclass(frozen=True, repr=False)
class Scores:
    """How well hidden cells were predicted."""

    nats: Figure
    bits: Figure
    perplexity: Figure
    accuracy: Figure
    ece: Figure
    cells: int
    rows: int
    reliability: tuple[Bin, ...]

    def __repr__(self) -> str:
        lines = [f"{self.cells:,} hidden cells of {self.rows:,} rows"]
        for name in FIGURES:
            lines.append(f"{name:<11}{getattr(self, name)!s:>18}")
        lines.append(f"\n{'confidence':<13}{'cells':>7}{'mean':>8}{'right':>17}")
        for b in self.reliability:
            span = f"{b.low:.2f}–{b.high:.2f}"
            right = str(Figure(b.right, b.se))
            lines.append(f"{span:<13}{b.cells:>7,}{b.confidence:>8.3f}{right:>17}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Plain data: the figures by name, their errors under `se`."""
        figures: dict[str, Figure] = {name: getattr(self, name) for name in FIGURES}
        return {
            **{name: figure.value for name, figure in figures.items()},
            "se": {name: figure.se for name, figure in figures.items()},
            "cells": self.cells,
            "rows": self.rows,
            "reliability": [asdict(one) for one in self.reliability],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Scores":
        """The scores that `to_json` told."""
        figures = {name: Figure(data[name], data["se"][name]) for name in FIGURES}
        bins = tuple(Bin(**one) for one in data["reliability"])
        return cls(**figures, cells=data["cells"], rows=data["rows"], reliability=bins)


def evaluate(
    answers: Answers, codes: Codes, *, share: Hide = 0.2, key: np.random.Generator
) -> Scores:
    """Hide a share of each row's seen cells (or one), predict them and score that."""
    hidden = hide(codes, share=share, key=key)
    return score(answers, codes, hidden)


def score(answers: Answers, codes: Codes, hidden: Bool[np.ndarray, "N D"]) -> Scores:
    """Scores of the predictions for hidden cells."""
    if not hidden.any():
        raise InputError("There is no observed cell to hide; expected at least one.")
    P = answers.probabilities(np.where(hidden, MISSING, codes))
    best, top = best_levels(answers.levels, P)
    n, d = np.nonzero(hidden)
    p = P[n, answers.levels.starts[d] + codes[n, d]]
    _, row = np.unique(n, return_inverse=True)
    with np.errstate(divide="ignore"):
        return summarise(-np.log(p), top[n, d], best[n, d] == codes[n, d], row)


def summarise(
    loss: Float[np.ndarray, " C"],
    confidence: Float[np.ndarray, " C"],
    right: Bool[np.ndarray, " C"],
    row: Int[np.ndarray, " C"],
) -> Scores:
    """Scores of hidden cells from each cell's loss, top probability, success and row."""
    nats = _mean(loss, row)
    perplexity = math.exp(nats.value) if nats.value < 700 else math.inf
    return Scores(
        nats=nats,
        bits=Figure(nats.value / math.log(2), nats.se / math.log(2)),
        perplexity=Figure(perplexity, perplexity * nats.se),
        accuracy=_mean(right.astype(float), row),
        ece=_calibration(confidence, right, row),
        cells=len(loss),
        rows=int(row.max()) + 1,
        reliability=_reliability(confidence, right, row),
    )


def _mean(x: Float[np.ndarray, " C"], row: Int[np.ndarray, " C"]) -> Figure:
    """The mean over cells, with the error of a ratio of sums over rows."""
    mean = float(x.mean())
    rows = int(row.max()) + 1
    if not math.isfinite(mean) or rows < 2:
        return Figure(mean, math.nan)
    gap = np.bincount(row, x - mean, rows)
    return Figure(mean, float(math.sqrt((gap**2).sum() * rows / (rows - 1)) / len(x)))


def _bin(confidence: Float[np.ndarray, " C"]) -> Int[np.ndarray, " C"]:
    return np.minimum((confidence * BINS).astype(np.int64), BINS - 1)


def _calibration(
    confidence: Float[np.ndarray, " C"],
    right: Bool[np.ndarray, " C"],
    row: Int[np.ndarray, " C"],
) -> Figure:
    """Mean gap between confidence and success over bins of confidence; error by resampled rows."""
    rows = int(row.max()) + 1
    gap = np.zeros((rows, BINS))
    np.add.at(gap, (row, _bin(confidence)), right - confidence)
    cells = np.bincount(row, minlength=rows).astype(float)
    value = float(np.abs(gap.sum(0)).sum() / cells.sum())
    if rows < 2:
        return Figure(value, math.nan)
    times = np.random.default_rng(0).multinomial(rows, np.full(rows, 1 / rows), RESAMPLES)
    again = np.abs(times @ gap).sum(1) / (times @ cells)
    return Figure(value, float(again.std(ddof=1)))


def _reliability(
    confidence: Float[np.ndarray, " C"],
    right: Bool[np.ndarray, " C"],
    row: Int[np.ndarray, " C"],
) -> tuple[Bin, ...]:
    place, bins = _bin(confidence), []
    for b in np.unique(place):
        at = place == b
        share = _mean(right[at].astype(float), np.unique(row[at], return_inverse=True)[1])
        mean = float(confidence[at].mean())
        low, high = float(b / BINS), float((b + 1) / BINS)
        bins.append(Bin(low, high, int(at.sum()), mean, share.value, share.se))
    return tuple(bins)
