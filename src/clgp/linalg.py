"""Cholesky factors of kernel matrices, in either engine; the one place for jitter."""

from typing import Final

from clgp.typing import Array, Float

JITTER: Final = 1e-4


def cholesky(K: Float[Array, "*batch M M"]) -> Float[Array, "*batch M M"]:
    """Lower factor of K with JITTER times its mean diagonal added: relative, so scale-free."""
    xp = K.__array_namespace__()
    diagonal = xp.linalg.diagonal(K)
    jitter = JITTER * xp.mean(diagonal, axis=-1)[..., None, None]
    return xp.linalg.cholesky(K + jitter * xp.eye(K.shape[-1], dtype=K.dtype))
