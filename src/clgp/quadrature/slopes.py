"""Derivatives of the features in a kernel's free numbers, given dL/dA and dL/db.

The chain goes back through A = K_XZ L⁻ᵀ to the kernel matrices once; from there a kernel's
numbers need only its own formula, differenced one at a time, or a closed form (RBF, additive,
linear), which tests hold against the differences.
"""

from functools import singledispatch
from typing import Any, Final

import numpy as np

from clgp.linalg import JITTER
from clgp.model.kernels import RBF, Additive, Constant, Kernel, Linear, Sum
from clgp.model.parameters import bind, free
from clgp.quadrature.features import cross, curve_nodes, features, near, whitener
from clgp.typing import Float

STEP: Final = 1e-4  # of the differences; matrices are smooth in the log of each number


def back(K_XZ: Any, K_ZZ: Any, dA: Any, db: Any) -> tuple[Any, Any]:
    """dL/dK_XZ and dL/dK_ZZ: Cholesky's derivative is L⁻ᵀ Φ(Lᵀ dL) L⁻¹, Φ the lower half."""
    W = whitener(K_ZZ)
    A = K_XZ @ W.T
    dA = dA - 2 * db[:, None] * A
    dK_XZ = dA @ W
    lower = np.tril(-(dA.T @ A))
    lower[np.diag_indices(len(lower))] /= 2
    dK_ZZ = W.T @ lower @ W
    jitter = JITTER * np.trace(dK_ZZ) / len(W) * np.eye(len(W))  # it follows the mean diagonal
    return dK_XZ, (dK_ZZ + dK_ZZ.T) / 2 + jitter


@singledispatch
def matrix_slope(
    kernel: Kernel,
    X: Float[np.ndarray, "S Q"],
    Z: Float[np.ndarray, "Z Q"],
    dK: Float[np.ndarray, "S Z"],
) -> Float[np.ndarray, " P"]:
    """Σ dL/dK ∘ dk(X, Z)/dθ."""
    theta, here = free(kernel), cross(kernel, X, Z)
    slope = np.zeros(len(theta))
    for i in range(len(theta)):
        moved = bind(kernel, theta + STEP * (np.arange(len(theta)) == i))
        slope[i] = ((cross(moved, X, Z) - here) * dK).sum() / STEP
    return slope


@matrix_slope.register
def _(kernel: RBF, X: Any, Z: Any, dK: Any) -> Any:
    """dk/dlog σ² = k and dk/dlog l_q = k (x_q − z_q)² / l_q²."""
    P = dK * cross(kernel, X, Z)
    apart = P.sum(1) @ X**2 + P.sum(0) @ Z**2 - 2 * (X * (P @ Z)).sum(0)
    return np.concatenate([[P.sum()], apart / kernel.lengths**2])


def diagonal_slope(kernel: Kernel, X: Any, db: Any) -> Float[np.ndarray, " P"]:
    """Σ dL/db ∘ dk(x, x)/dθ."""
    theta, here = free(kernel), kernel.diagonal(X)
    eye = STEP * np.eye(len(theta))
    moved = (bind(kernel, theta + e).diagonal(X) for e in eye)
    return np.array([((there - here) * db).sum() / STEP for there in moved])


@singledispatch
def slopes(
    kernel: Kernel,
    X: Float[np.ndarray, "S Q"],
    Z: Float[np.ndarray, "Z Q"],
    dA: Float[np.ndarray, "S M"],
    db: Float[np.ndarray, " S"],
) -> Float[np.ndarray, " P"]:
    """dL/dθ = Σ dL/dA ∘ dA/dθ + Σ dL/db ∘ db/dθ."""
    if not dA.shape[1]:
        return diagonal_slope(kernel, X, db)
    dK_XZ, dK_ZZ = back(cross(kernel, X, Z), cross(kernel, Z, Z), dA, db)
    through = matrix_slope(kernel, X, Z, dK_XZ) + matrix_slope(kernel, Z, Z, dK_ZZ)
    return through + diagonal_slope(kernel, X, db)


@slopes.register
def _(kernel: Linear, X: Any, Z: Any, dA: Any, db: Any) -> Any:
    return (dA * X).sum(0) * np.sqrt(kernel.variances) / 2


@slopes.register
def _(kernel: Constant, X: Any, Z: Any, dA: Any, db: Any) -> Any:
    return np.array([dA.sum() * np.sqrt(kernel.variance) / 2])


@slopes.register
def _(kernel: Sum, X: Any, Z: Any, dA: Any, db: Any) -> Any:
    M = features(kernel.left, X[:1], Z)[0].shape[1]
    left, right = (
        slopes(kernel.left, X, Z, dA[:, :M], db),
        slopes(kernel.right, X, Z, dA[:, M:], db),
    )
    return np.concatenate([left, right])


@slopes.register
def _(kernel: Additive, X: Any, Z: Any, dA: Any, db: Any) -> Any:
    nodes = curve_nodes(len(Z), X.shape[1])
    out, M = np.zeros((2, X.shape[1])), len(nodes)
    for q, (x, variance, length) in enumerate(
        zip(X.T, kernel.variances, kernel.lengths, strict=True)
    ):
        K_XZ, K_ZZ = variance * near(x, nodes, length), variance * near(nodes, nodes, length)
        slopes_K = back(K_XZ, K_ZZ, dA[:, q * M : (q + 1) * M], db)
        out[0, q] = variance * db.sum()
        for K, dK, z in ((K_XZ, slopes_K[0], x), (K_ZZ, slopes_K[1], nodes)):
            P = K * dK
            out[0, q] += P.sum()
            out[1, q] += (P * (z[:, None] - nodes) ** 2).sum() / length**2
    return out.ravel()
