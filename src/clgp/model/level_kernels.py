"""Covariance over the levels of an ordinal column: neighbouring levels move together.

Cov(f_dk(x), f_dj(x′)) = k_x(x, x′) · k_level(k, j). With B = `level_factor(kernel, K)`, the lower
factor of k_level, and columns V of independent functions in whitened form, f = A V Bᵀ: one small
product more. Nominal columns have B = I. The quadrature engine keeps one function a level and
takes `level_factor`; with the paper's f_0 = 0 the functions are f_k − f_0: `weight_factor`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from clgp.model.parameters import positive
from clgp.typing import Array, Float


@dataclass(frozen=True)
class LevelKernel(ABC):
    """A covariance function of the levels' ranks."""

    @abstractmethod
    def covariance(self, ranks: Float[Array, " K"]) -> Float[Array, "K K"]:
        """k_level of all pairs of ranks."""


@final
@dataclass(frozen=True)
class Nominal(LevelKernel):
    """Levels without order: independent functions, k_level = I."""

    def covariance(self, ranks: Float[Array, " K"]) -> Float[Array, "K K"]:
        return ranks.__array_namespace__().eye(len(ranks), dtype=ranks.dtype)


@final
@dataclass(frozen=True)
class Ordinal(LevelKernel):
    """RBF plus nugget, of variance one: (exp(−½ (k − j)² / l²) + ν [k = j]) / (1 + ν).

    ν is above zero, so that log ν is the logit of the nugget's share ν / (1 + ν).
    """

    length: Float[Array, ""] = positive()
    nugget: Float[Array, ""] = positive()

    def covariance(self, ranks: Float[Array, " K"]) -> Float[Array, "K K"]:
        xp = ranks.__array_namespace__()
        near = xp.exp(-(((ranks[:, None] - ranks[None, :]) / self.length) ** 2) / 2)
        return (near + self.nugget * xp.eye(len(ranks), dtype=ranks.dtype)) / (1 + self.nugget)


def ordinal() -> Ordinal:
    """Starting values: a length of e^0.4 levels, a nugget's share of e^−2 / (1 + e^−2)."""
    return Ordinal(np.exp(np.asarray(0.4)), np.exp(np.asarray(-2.0)))


def level_factor(kernel: LevelKernel, ranks: Float[Array, " K"]) -> Float[Array, "K K"]:
    """B with B Bᵀ = k_level: one function a level.

    Example:
        >>> level_factor(Nominal(), np.arange(2.0))
        array([[1., 0.],
               [0., 1.]])
    """
    return ranks.__array_namespace__().linalg.cholesky(kernel.covariance(ranks))


def weight_factor(kernel: LevelKernel, ranks: Float[Array, " _"]) -> Float[Array, "K K"]:
    """B with B Bᵀ = Cov(f_k − f_0) / 2: the weights left when softmax pins f_0 = 0.

    Halved, so that a weight's variance is that of a free function of a nominal column's.
    """
    C = kernel.covariance(ranks)
    pinned = (C[1:, 1:] - C[1:, :1] - C[:1, 1:] + C[0, 0]) / 2
    return ranks.__array_namespace__().linalg.cholesky(pinned)
