"""Tiny tables and models, and the bound at given numbers, for the engine's laws."""

from dataclasses import replace

import numpy as np

from clgp.variational.backend import jax
from clgp.variational.bound import noise_size, terms
from clgp.variational.draws import MarginalDraws
from clgp.variational.expect import ByQuadrature
from clgp.variational.fit import cells_of
from clgp.variational.scheme import BETTER, PAPER

CARDS = (2, 3, 2)
SMALL = BETTER.sized(M=6, T=8, iterations=20)
SMALL_PAPER = replace(PAPER.sized(M=6, T=4, iterations=10), rescue=0)
EXACT = replace(BETTER, expectation=ByQuadrature(MarginalDraws(T=2), nodes=8), M=6)
"""Exact over f where a column has one weight; over x where it is observed."""


def table(N=12, *, key, cards=CARDS):
    """Codes with some holes."""
    codes = np.stack([key.integers(card, size=N) for card in cards], axis=1)
    codes[0, 1] = codes[3, 0] = -1
    return codes


def evaluate(model, scheme, params, y, key, *, draws=1):
    """The terms, averaged over that many sets of noise, compiled."""
    cells = cells_of(y)
    one = jax.jit(lambda params, noise: terms(model, scheme, params, cells, len(y), noise))
    size = noise_size(model, replace(scheme, M=len(params.shared.Z)), len(y))
    found = [one(params, scheme.expectation.draws.noise((size,), key)) for _ in range(draws)]
    return type(found[0])(*(np.mean(parts) for parts in zip(*found, strict=True)))
