"""Covariance functions k(x, x′) of the latent space (section 3 of the paper).

A kernel is a final class with two formulas in the array namespace of its arguments:
`cross(X, Z)` and `diagonal(X)`. It serves both engines. `+` and `*` build sums and products.
A new one is written here and named in KERNELS; see `docs/add-a-part.md`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from math import pi, sqrt
from operator import add
from typing import final

import numpy as np

from clgp.model.parameters import positive
from clgp.typing import Array, Float


def squared_distance(X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
    """|x − z|² of all pairs; differences, not products, so that it is exactly 0 at x = z.

    One dimension after the other: an array of all pairs and dimensions costs three times as much.
    """
    return reduce(add, ((X[:, None, q] - Z[None, :, q]) ** 2 for q in range(X.shape[1])))


def distance(X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
    """|x − z|; its gradient at x = z is 0 where that of the plain root would not be finite."""
    xp = X.__array_namespace__()
    r2 = squared_distance(X, Z)
    apart = r2 > 0
    return xp.where(apart, xp.sqrt(xp.where(apart, r2, 1.0)), 0.0)


@dataclass(frozen=True)
class Kernel(ABC):
    """A covariance function."""

    @abstractmethod
    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        """K_XZ: the covariances of f at all pairs of rows of X and Z."""

    @abstractmethod
    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        """k(x, x) at each row of X."""

    def __add__(self, other: "Kernel") -> "Sum":
        return Sum(self, other)

    def __mul__(self, other: "Kernel") -> "Product":
        return Product(self, other)


def _constant_diagonal(variance: Array, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
    return variance + 0 * X[:, 0]


@final
@dataclass(frozen=True)
class RBF(Kernel):
    """Smooth functions: k = σ² exp(−½ Σ_q (x_q − z_q)² / l_q²), one length a dimension (ARD)."""

    variance: Float[Array, ""] = positive()
    lengths: Float[Array, " Q"] = positive()

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        xp = X.__array_namespace__()
        return self.variance * xp.exp(-squared_distance(X / self.lengths, Z / self.lengths) / 2)

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return _constant_diagonal(self.variance, X)


@final
@dataclass(frozen=True)
class Linear(Kernel):
    """Straight lines: k = Σ_q σ_q² x_q z_q; the paper's x·x′ at σ_q = 1."""

    variances: Float[Array, " Q"] = positive()

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        return (X * self.variances) @ Z.T

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return (X * X * self.variances).sum(-1)


@final
@dataclass(frozen=True)
class Additive(Kernel):
    """A smooth curve a dimension, summed: k = Σ_q σ_q² exp(−½ (x_q − z_q)² / l_q²)."""

    variances: Float[Array, " Q"] = positive()
    lengths: Float[Array, " Q"] = positive()

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        xp = X.__array_namespace__()
        apart = (X / self.lengths)[:, None, :] - (Z / self.lengths)[None, :, :]
        return xp.exp(-(apart**2) / 2) @ self.variances

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return _constant_diagonal(self.variances.sum(), X)


@final
@dataclass(frozen=True)
class Matern32(Kernel):
    """Functions differentiable once: k = σ² (1 + √3 r) exp(−√3 r), r scaled by the lengths."""

    variance: Float[Array, ""] = positive()
    lengths: Float[Array, " Q"] = positive()

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        xp = X.__array_namespace__()
        r = sqrt(3) * distance(X / self.lengths, Z / self.lengths)
        return self.variance * (1 + r) * xp.exp(-r)

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return _constant_diagonal(self.variance, X)


@final
@dataclass(frozen=True)
class Matern52(Kernel):
    """Functions differentiable twice: k = σ² (1 + √5 r + 5r²/3) exp(−√5 r)."""

    variance: Float[Array, ""] = positive()
    lengths: Float[Array, " Q"] = positive()

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        xp = X.__array_namespace__()
        r = sqrt(5) * distance(X / self.lengths, Z / self.lengths)
        return self.variance * (1 + r + r**2 / 3) * xp.exp(-r)

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return _constant_diagonal(self.variance, X)


@final
@dataclass(frozen=True)
class Periodic(Kernel):
    """Functions that repeat: k = σ² exp(−2 Σ_q sin²(π (x_q − z_q) / p_q) / l_q²)."""

    variance: Float[Array, ""] = positive()
    lengths: Float[Array, " Q"] = positive()
    periods: Float[Array, " Q"] = positive()

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        xp = X.__array_namespace__()
        apart = (X[:, None, :] - Z[None, :, :]) / self.periods
        return self.variance * xp.exp(-2 * ((xp.sin(pi * apart) / self.lengths) ** 2).sum(-1))

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return _constant_diagonal(self.variance, X)


@final
@dataclass(frozen=True)
class Constant(Kernel):
    """One unknown value everywhere: k = σ²."""

    variance: Float[Array, ""] = positive()

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        return self.variance + 0 * X[:, :1] @ Z[:, :1].T

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return _constant_diagonal(self.variance, X)


@final
@dataclass(frozen=True)
class White(Kernel):
    """Independent noise at every distinct point: k = σ² [x = z]."""

    variance: Float[Array, ""] = positive()

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        return self.variance * (squared_distance(X, Z) == 0)

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return _constant_diagonal(self.variance, X)


@final
@dataclass(frozen=True)
class Sum(Kernel):
    """f = g + h with g and h independent: k = k_left + k_right."""

    left: Kernel
    right: Kernel

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        return self.left.cross(X, Z) + self.right.cross(X, Z)

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return self.left.diagonal(X) + self.right.diagonal(X)


@final
@dataclass(frozen=True)
class Product(Kernel):
    """Covariance alike in both senses: k = k_left · k_right."""

    left: Kernel
    right: Kernel

    def cross(self, X: Float[Array, "S Q"], Z: Float[Array, "M Q"]) -> Float[Array, "S M"]:
        return self.left.cross(X, Z) * self.right.cross(X, Z)

    def diagonal(self, X: Float[Array, "S Q"]) -> Float[Array, " S"]:
        return self.left.diagonal(X) * self.right.diagonal(X)


KERNELS: dict[str, Callable[[int], Kernel]] = {
    "rbf": lambda Q: RBF(np.asarray(1.0), np.ones(Q)),
    "linear": lambda Q: Linear(np.ones(Q)),
    "additive": lambda Q: Additive(np.full(Q, 1 / Q), np.ones(Q)),
    "matern32": lambda Q: Matern32(np.asarray(1.0), np.ones(Q)),
    "matern52": lambda Q: Matern52(np.asarray(1.0), np.ones(Q)),
    "periodic": lambda Q: Periodic(np.asarray(1.0), np.ones(Q), np.full(Q, 4.0)),
    "constant": lambda Q: Constant(np.asarray(1.0)),
    "white": lambda Q: White(np.asarray(1.0)),
}
"""Each kernel by name, built for Q dimensions."""
