"""Cholesky factors of kernel matrices, in either engine; the one place for jitter."""

from importlib import import_module
from types import ModuleType
from typing import Final

from clgp.typing import Array, Float

JITTER: Final = 1e-4
SCIPY: Final = {"numpy": "scipy.", "jax.numpy": "jax.scipy."}


def cholesky(K: Float[Array, "*batch M M"]) -> Float[Array, "*batch M M"]:
    """Lower factor of K with JITTER times its mean diagonal added: relative, so scale-free."""
    xp = K.__array_namespace__()
    diagonal = xp.linalg.diagonal(K)
    jitter = JITTER * xp.mean(diagonal, axis=-1)[..., None, None]
    return xp.linalg.cholesky(K + jitter * xp.eye(K.shape[-1], dtype=K.dtype))


def triangular_inverse(L: Float[Array, "M M"]) -> Float[Array, "M M"]:
    """L⁻¹ of a lower factor, by substitution.

    Never `inv`: a batched one inside a compiled loop can hang on two cores.
    """
    eye = L.__array_namespace__().eye(L.shape[-1], dtype=L.dtype)
    return scipy_of(L, "linalg").solve_triangular(L, eye, lower=True)


def scipy_of(x: Array, part: str) -> ModuleType:
    """SciPy's module of that name in the namespace of x: `scipy.linalg` or `jax.scipy.linalg`."""
    return import_module(SCIPY[x.__array_namespace__().__name__] + part)
