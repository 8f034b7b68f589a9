"""Hiding cells to be predicted, holding rows back, and counting equal rows once."""

import math
from typing import Literal

import numpy as np

from clgp.typing import Bool, Codes, Float, Int


def hide(
    codes: Codes, *, share: float | Literal["one"] = 0.2, key: np.random.Generator
) -> Bool[np.ndarray, "N D"]:
    """Which observed cells to hide: in each row ⌊share · observed + ½⌋, at least one; or one.

    A row with no observed cell hides none.

    Example:
        >>> codes = np.array([[0, 1, -1], [-1, -1, -1]])
        >>> hide(codes, share="one", key=np.random.default_rng(0)).sum(axis=1)
        array([1, 0])
    """
    observed = codes >= 0
    n = observed.sum(axis=1)
    if share == "one":
        count = np.minimum(n, 1)
    else:
        count = np.minimum(n, np.maximum(1, np.floor(share * n + 0.5).astype(n.dtype)))
    lot = np.where(observed, key.random(codes.shape), np.inf)
    place = np.argsort(np.argsort(lot, axis=1), axis=1)
    return place < count[:, None]


def held_back(N: int, *, share: float = 0.1, key: np.random.Generator) -> Bool[np.ndarray, " N"]:
    """Which rows to hold back: ⌊share · N + ½⌋ of them, at least one, never all.

    Example:
        >>> held_back(10, share=0.2, key=np.random.default_rng(0)).sum()
        np.int64(2)
    """
    count = min(max(1, math.floor(share * N + 0.5)), N - 1)
    mask = np.zeros(N, dtype=bool)
    mask[key.permutation(N)[:count]] = True
    return mask


def collapse(
    codes: Codes, weights: Float[np.ndarray, " N"] | None = None
) -> tuple[Int[np.ndarray, "U D"], Float[np.ndarray, " U"], Int[np.ndarray, " N"]]:
    """Distinct rows, their summed weights, and which of them each row is.

    Example:
        >>> collapse(np.array([[1, 0], [0, 0], [1, 0]]))[1]
        array([1., 2.])
    """
    w = np.ones(len(codes)) if weights is None else weights
    unique, inverse = np.unique(codes, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    return unique, np.bincount(inverse, w, len(unique)).astype(float), inverse
