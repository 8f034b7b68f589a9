"""Small tables for the tests of the default engine."""

import numpy as np

from clgp.levels import Levels
from clgp.quadrature.columns import Problem, collapse


def classes(N, cards, key, *, missing=0.1, n_classes=3):
    """Rows of a few latent classes with holes."""
    tables = [key.dirichlet(np.full(K, 0.5), n_classes) for K in cards]
    z = key.integers(0, n_classes, N)
    codes = np.stack([(key.random((N, 1)) > t[z].cumsum(1)[:, :-1]).sum(1) for t in tables], 1)
    return np.where(key.random(codes.shape) < missing, -1, codes)


def problem(codes, cards, ordinal=None, weights=None):
    """The problem of such rows."""
    weights = np.ones(len(codes)) if weights is None else weights
    ordinal = (False,) * len(cards) if ordinal is None else ordinal
    return Problem(*collapse(codes, weights), Levels(cards), ordinal)
