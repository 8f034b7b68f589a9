"""Likelihoods p(y_d | f_d) of one column (equation 2), lifted over columns elsewhere.

A likelihood is written for one column: the weights f of K functions at any number of points,
weights first, and the column's values y at those points. `draw` is given uniform numbers, so
that randomness stays an argument. A new one is written here and named in LIKELIHOODS.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import log, pi
from typing import final

import numpy as np

from clgp.linalg import scipy_of
from clgp.model.parameters import positive
from clgp.typing import Array, Float, Int


@dataclass(frozen=True)
class Likelihood(ABC):
    """How a cell follows from its weights."""

    @abstractmethod
    def n_weights(self, card: int) -> int:
        """How many functions a column with `card` levels has."""

    @abstractmethod
    def log_prob(
        self, y: Int[Array, " B"] | Float[Array, " B"], f: Float[Array, "K *T B"]
    ) -> Float[Array, "*T B"]:
        """Log p(y | f) of each cell, for each draw of its weights."""


@final
@dataclass(frozen=True)
class Softmax(Likelihood):
    """Levels 0 … K with f_0 = 0: log p(y = k) = f_k − lse(f), lse(f) = log(1 + Σ exp f_k)."""

    def n_weights(self, card: int) -> int:
        return card - 1

    def lse(self, f: Float[Array, "K *T"]) -> Float[Array, "*T"]:
        """log(1 + Σ_k exp f_k) (equation 2)."""
        zero = f.__array_namespace__().zeros((), f.dtype)
        return f.__array_namespace__().logaddexp(zero, scipy_of(f, "special").logsumexp(f, axis=0))

    def log_prob(
        self, y: Int[Array, " B"] | Float[Array, " B"], f: Float[Array, "K *T B"]
    ) -> Float[Array, "*T B"]:
        xp = f.__array_namespace__()
        k = xp.arange(1, len(f) + 1).reshape(-1, *(1,) * (f.ndim - 1))
        return (f * (y == k)).sum(0) - self.lse(f)

    def probabilities(self, f: Float[Array, "K *T"]) -> Float[Array, "_ *T"]:
        """p(y = k | f) of every level, the first included."""
        xp = f.__array_namespace__()
        return xp.exp(xp.concat([0 * f[:1], f]) - self.lse(f))


@final
@dataclass(frozen=True)
class Gaussian(Likelihood):
    """A continuous column: y = f + noise, log N(y | f, σ²)."""

    noise: Float[Array, ""] = positive()

    def n_weights(self, card: int) -> int:
        return 1

    def log_prob(
        self, y: Int[Array, " B"] | Float[Array, " B"], f: Float[Array, "K *T B"]
    ) -> Float[Array, "*T B"]:
        xp = f.__array_namespace__()
        return -((y - f[0]) ** 2 / self.noise + xp.log(self.noise) + log(2 * pi)) / 2


LIKELIHOODS: dict[str, Callable[[], Likelihood]] = {
    "categorical": Softmax,
    "continuous": lambda: Gaussian(np.asarray(1.0)),
}
"""Each likelihood by the name of the outputs that it describes."""
