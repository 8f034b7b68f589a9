"""Free numbers behind constrained fields: the only place where a constraint is written.

A part (a kernel, a likelihood) holds plain values, so its formulas stay bare. A field declared
`positive()` is optimised on the log scale. `free(part)` gives the vector that an optimiser
moves, `bind(part, theta)` the part with those values; both work on NumPy and JAX arrays.
"""

from dataclasses import field, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from clgp.typing import Array, Float

Part = TypeVar("Part")


def positive() -> Any:
    """A field whose values are above zero: moved on the log scale."""
    return field(metadata={"positive": True})


def real() -> Any:
    """A field of any real values."""
    return field(metadata={"positive": False})


def _constrained(part: Any) -> list[tuple[str, bool]]:
    return [(f.name, f.metadata["positive"]) for f in fields(part) if "positive" in f.metadata]


def _parts(part: Any) -> list[str]:
    return [f.name for f in fields(part) if is_dataclass(getattr(part, f.name))]


def free(part: Any) -> Float[Array, " P"]:
    """θ: all free numbers of a part and of the parts inside it, side by side."""
    pieces = []
    for name, above_zero in _constrained(part):
        value = np.atleast_1d(getattr(part, name)).ravel()
        pieces.append(np.log(value) if above_zero else value)
    pieces += [free(getattr(part, name)) for name in _parts(part)]
    return np.concatenate(pieces) if pieces else np.zeros(0)


def bind(part: Part, theta: Float[Array, " P"]) -> Part:
    """The part with θ in place of its own values."""
    bound, rest = _bind(part, theta)
    if len(rest):
        raise ValueError(f"Expected {len(theta) - len(rest)} free numbers; got {len(theta)}.")
    return bound


def _bind(part: Part, theta: Float[Array, " P"]) -> tuple[Part, Float[Array, " R"]]:
    xp, new = theta.__array_namespace__(), {}
    for name, above_zero in _constrained(part):
        shape = np.shape(getattr(part, name))
        size = int(np.prod(shape))
        value, theta = theta[:size].reshape(shape), theta[size:]
        new[name] = xp.exp(value) if above_zero else value
    for name in _parts(part):
        new[name], theta = _bind(getattr(part, name), theta)
    return replace(part, **new), theta  # type: ignore[type-var]
