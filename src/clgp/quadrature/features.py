"""Whitened features of a kernel: f(x) = A(x) v + ε, v ~ N(0, I), ε ~ N(0, b(x)).

A = k(X, Z) L⁻ᵀ with L the Cholesky factor of k(Z, Z), and b = k(x, x) − Σ A² what is left of
the variance (equations 6 and 7 of the paper, whitened). Kernels that are sums of simpler ones
give their features side by side; a linear kernel's features are its inputs.
"""

from functools import singledispatch
from typing import Any, Final

import numpy as np
from scipy.linalg import solve_triangular

from clgp.linalg import cholesky
from clgp.model.kernels import Additive, Constant, Kernel, Linear, Sum, White
from clgp.model.parameters import bind, free
from clgp.quadrature.points import quantiles
from clgp.typing import Float

Features = tuple[Float[np.ndarray, "S M"], Float[np.ndarray, " S"]]
STEP: Final = 1e-4  # of the finite differences; A is smooth in the log of each number


def project(K_XZ: Any, K_ZZ: Any, variance: Any) -> Features:
    """A = K_XZ L⁻ᵀ and b = k(x, x) − Σ A² (not below 0 where x sits on an inducing point)."""
    A = solve_triangular(cholesky(K_ZZ), K_XZ.T, lower=True, check_finite=False).T
    return A, np.maximum(variance - (A**2).sum(1), 0.0)


@singledispatch
def features(kernel: Kernel, X: Float[np.ndarray, "S Q"], Z: Float[np.ndarray, "Z Q"]) -> Features:
    """A (S × M) and b (S): any kernel, through the inducing points Z."""
    return project(kernel.cross(X, Z), kernel.cross(Z, Z), kernel.diagonal(X))


@features.register
def _linear(kernel: Linear, X: Any, Z: Any) -> Features:
    return X * np.sqrt(kernel.variances), np.zeros(len(X))


@features.register
def _constant(kernel: Constant, X: Any, Z: Any) -> Features:
    return np.full((len(X), 1), np.sqrt(kernel.variance)), np.zeros(len(X))


@features.register
def _white(kernel: White, X: Any, Z: Any) -> Features:
    return np.zeros((len(X), 0)), kernel.diagonal(X)


@features.register
def _sum(kernel: Sum, X: Any, Z: Any) -> Features:
    A, b = features(kernel.left, X, Z)
    A_right, b_right = features(kernel.right, X, Z)
    return np.concatenate([A, A_right], axis=1), b + b_right


@features.register
def _additive(kernel: Additive, X: Any, Z: Any) -> Features:
    Q = X.shape[1]
    z = quantiles(max(4, len(Z) // Q))
    parts, left = [], np.zeros(len(X))
    for x, variance, length in zip(X.T, kernel.variances, kernel.lengths, strict=True):
        scaled, nodes = x / length, z / length
        K_XZ = variance * np.exp(-((scaled[:, None] - nodes) ** 2) / 2)
        K_ZZ = variance * np.exp(-((nodes[:, None] - nodes) ** 2) / 2)
        A, b = project(K_XZ, K_ZZ, variance)
        parts.append(A)
        left = left + b
    return np.concatenate(parts, axis=1), left


def gradient(
    kernel: Kernel,
    X: Float[np.ndarray, "S Q"],
    Z: Float[np.ndarray, "Z Q"],
    *,
    here: Features,
    dA: Float[np.ndarray, "S M"],
    db: Float[np.ndarray, " S"],
) -> Float[np.ndarray, " P"]:
    """dL/dθ = Σ dL/dA ∘ dA/dθ + Σ dL/db ∘ db/dθ, features differenced one θ at a time."""
    theta = free(kernel)
    slope = np.zeros(len(theta))
    for i in range(len(theta)):
        moved = theta.copy()
        moved[i] += STEP
        A, b = features(bind(kernel, moved), X, Z)
        slope[i] = ((A - here[0]) * dA).sum() + ((b - here[1]) * db).sum()
    return slope / STEP
