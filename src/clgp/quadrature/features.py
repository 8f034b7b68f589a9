"""Whitened features of a kernel: f(x) = A(x) v + ε, v ~ N(0, I), ε ~ N(0, b(x)).

A = k(X, Z) L⁻ᵀ with L the Cholesky factor of k(Z, Z), and b = k(x, x) − Σ A² what is left of
the variance (equations 6 and 7 of the paper, whitened). Kernels that are sums of simpler ones
give their features side by side; a linear kernel's features are its inputs. Their derivatives
are in `slopes`.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from clgp.linalg import cholesky
from clgp.model.kernels import RBF, Additive, Constant, Kernel, Linear, Sum, White
from clgp.quadrature.points import quantiles
from clgp.typing import Float

Features = tuple[Float[np.ndarray, "S M"], Float[np.ndarray, " S"]]


def whitener(K_ZZ: Float[np.ndarray, "*batch M M"]) -> Float[np.ndarray, "*batch M M"]:
    """L⁻¹; with the jitter it is tame enough to be used as a plain factor."""
    return np.linalg.inv(cholesky(K_ZZ))


def project(K_XZ: Any, K_ZZ: Any, variance: Any) -> Features:
    """A = K_XZ L⁻ᵀ and b = k(x, x) − Σ A² (not below 0 where x sits on an inducing point)."""
    A = K_XZ @ whitener(K_ZZ).T
    return A, np.maximum(variance - (A**2).sum(1), 0.0)


@singledispatch
def cross(kernel: Kernel, X: Float[np.ndarray, "S Q"], Z: Float[np.ndarray, "Z Q"]) -> Any:
    """K_XZ; a kernel may have a faster form here than its plain formula."""
    return kernel.cross(X, Z)


@cross.register
def _(kernel: RBF, X: Any, Z: Any) -> Any:
    X, Z = X / kernel.lengths, Z / kernel.lengths
    exponent = X @ Z.T - (Z**2).sum(1) / 2 - (X**2).sum(1)[:, None] / 2
    return kernel.variance * np.exp(np.minimum(exponent, 0.0))


@singledispatch
def features(kernel: Kernel, X: Float[np.ndarray, "S Q"], Z: Float[np.ndarray, "Z Q"]) -> Features:
    """A (S × M) and b (S): any kernel, through the inducing points Z."""
    return project(cross(kernel, X, Z), cross(kernel, Z, Z), kernel.diagonal(X))


@features.register
def _(kernel: Linear, X: Any, Z: Any) -> Features:
    return X * np.sqrt(kernel.variances), np.zeros(len(X))


@features.register
def _(kernel: Constant, X: Any, Z: Any) -> Features:
    return np.full((len(X), 1), np.sqrt(kernel.variance)), np.zeros(len(X))


@features.register
def _(kernel: White, X: Any, Z: Any) -> Features:
    return np.zeros((len(X), 0)), kernel.diagonal(X)


@features.register
def _(kernel: Sum, X: Any, Z: Any) -> Features:
    A, b = features(kernel.left, X, Z)
    A_right, b_right = features(kernel.right, X, Z)
    return np.concatenate([A, A_right], axis=1), b + b_right


@features.register
def _(kernel: Additive, X: Any, Z: Any) -> Features:
    nodes = curve_nodes(len(Z), X.shape[1])
    parts = [
        project(variance * near(x, nodes, length), variance * near(nodes, nodes, length), variance)
        for x, variance, length in zip(X.T, kernel.variances, kernel.lengths, strict=True)
    ]
    return np.concatenate([A for A, _ in parts], axis=1), np.sum([b for _, b in parts], axis=0)


def curve_nodes(M: int, Q: int) -> Float[np.ndarray, " nodes"]:
    """The inducing points of one curve: M features are shared by Q dimensions."""
    return quantiles(max(4, M // Q))


def near(x: Any, z: Any, length: Any) -> Any:
    """exp(−½ (x − z)² / l²) of all pairs."""
    return np.exp(-((x[:, None] - z) ** 2) / (2 * length**2))
