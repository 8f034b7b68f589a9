"""Mixtures small enough to write out: every row of the table space with its probability."""

from itertools import product

import numpy as np

from clgp.forest import Forest
from clgp.levels import Levels
from clgp.mixture import Mixture


def parents(kind: str, D: int, key: np.random.Generator) -> np.ndarray:
    """Which column each hangs on, for a forest of one kind, under random column names."""
    hang = np.full(D, -1)
    if kind == "chain":
        hang[1:] = np.arange(D - 1)
    elif kind == "star":
        hang[1:] = 0
    elif kind == "some":
        for d in range(1, D):
            hang[d] = key.integers(-1, d)
    name = key.permutation(D)
    out = np.full(D, -1)
    out[name] = np.where(hang < 0, -1, name[hang])
    return out


def mixture(
    cards: tuple[int, ...], T: int, kind: str, key: np.random.Generator, strength: float = 1.5
) -> Mixture:
    """A random mixture with a random forest."""
    levels = Levels(cards)
    pa = parents(kind, len(cards), key)
    edges = [
        (int(p), d, strength * key.normal(size=(cards[p], cards[d])))
        for d, p in enumerate(pa)
        if p >= 0
    ]
    w = key.dirichlet(np.ones(T))
    return Mixture(
        levels, np.log(w), 1.5 * key.normal(size=(T, levels.L)), Forest.of(levels, edges)
    )


def enumerate_rows(m: Mixture) -> tuple[np.ndarray, np.ndarray]:
    """All rows, and the probability of each by the definition, cell by cell."""
    rows = np.array(list(product(*(range(K) for K in m.levels.cards))))
    total = np.zeros(len(rows))
    for t in range(m.T):
        p = np.full(len(rows), np.exp(m.log_weights[t]))
        for d in range(m.levels.D):
            ell = m.log_tables[t, m.levels.at(d)]
            pa = m.edges.parents[d]
            for n, y in enumerate(rows):
                f = ell if pa < 0 else ell + m.edges.effects[d][y[pa]]
                e = np.exp(f - f.max())
                p[n] *= e[y[d]] / e.sum()
        total += p
    return rows, total


def holes(codes: np.ndarray, share: float, key: np.random.Generator) -> np.ndarray:
    """The rows with some cells missing at random."""
    return np.where(key.random(codes.shape) < share, -1, codes)


def agrees(rows: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Which of all rows have the seen cells of one row."""
    return ((rows == given) | (given < 0)).all(1)
