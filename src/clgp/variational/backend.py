"""The one module that imports JAX, so that what must be set first is set first.

JAX on two cores can wait for itself for ever when its pool has two threads; NPROC widens it.
"""

import os

os.environ.setdefault("NPROC", "8")

try:
    import equinox
    import jax
    import jax.numpy as jnp
    import optax
except ImportError as missing:
    raise ImportError(
        "The paper's engine needs JAX, optax and equinox, which are an extra: "
        "pip install 'clgp[paper]'. Everything else works without it."
    ) from missing

__all__ = ["equinox", "jax", "jnp", "optax"]
