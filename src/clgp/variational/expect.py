"""E_q[log p(y | f)] of one column's cells: by the draws of f, or by quadrature for one weight."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import pi, sqrt
from typing import final

import numpy as np

from clgp.typing import Array, Float
from clgp.variational.backend import jnp
from clgp.variational.column import Column
from clgp.variational.draws import Draws, marginal


@dataclass(frozen=True)
class Expectation(ABC):
    """How the expectation over f is taken, given draws of x."""

    draws: Draws

    @abstractmethod
    def log_prob(
        self, column: Column, y: Float[Array, " B"], noise: Float[Array, " n"]
    ) -> Float[Array, "T B"]:
        """Each cell's expected log-probability, for each draw of x."""


@final
@dataclass(frozen=True)
class ByDraws(Expectation):
    """One draw of f for each of x: the paper's estimate of L_s^nd."""

    def log_prob(
        self, column: Column, y: Float[Array, " B"], noise: Float[Array, " n"]
    ) -> Float[Array, "T B"]:
        return by_draws(self.draws, column, y, noise)


@final
@dataclass(frozen=True)
class ByQuadrature(Expectation):
    """Gauss–Hermite over f where a column has one weight (two levels), draws where it has more."""

    nodes: int

    def log_prob(
        self, column: Column, y: Float[Array, " B"], noise: Float[Array, " n"]
    ) -> Float[Array, "T B"]:
        if column.factor.shape != (1, 1):
            return by_draws(self.draws, column, y, noise)
        e, w = np.polynomial.hermite_e.hermegauss(self.nodes)
        mean, variance = (a.reshape(self.draws.T, -1) for a in marginal(column.at, column.q))
        g = mean + jnp.sqrt(variance) * jnp.asarray(e, mean.dtype)[:, None, None]
        log_p = column.likelihood.log_prob(y, column.weights(g[None]))
        return jnp.tensordot(jnp.asarray(w / sqrt(2 * pi), mean.dtype), log_p, axes=1)


def by_draws(
    draws: Draws, column: Column, y: Float[Array, " B"], noise: Float[Array, " n"]
) -> Float[Array, "T B"]:
    """Log p(y | f) at draws of f."""
    g = draws.functions(column.at, column.q, noise)
    return column.likelihood.log_prob(y, column.weights(g))
