"""The flat axis of levels: all columns' levels side by side, L = ΣK_d of them.

Only this class knows where a column's levels begin. Formulas use it for the one-hot table Y,
for sums and softmax over each column's levels and for spreading a column's value over its
levels. Works on NumPy and JAX arrays alike; neighbours: `mixture`, `forest`, every model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Final

import numpy as np

from clgp.typing import Array, Codes, Float, Int

MISSING: Final = -1
NARROW: Final = 2_000  # L × D up to which a product with a 0/1 matrix sums fastest


@dataclass(frozen=True)
class Levels:
    """Columns with K_1, …, K_D levels on one axis.

    Example:
        >>> Levels((2, 3)).one_hot(np.array([[1, -1], [0, 2]]))
        array([[0., 1., 0., 0., 0.],
               [1., 0., 0., 0., 1.]])
    """

    cards: tuple[int, ...]

    @property
    def D(self) -> int:
        """Number of columns."""
        return len(self.cards)

    @property
    def L(self) -> int:
        """Number of levels of all columns together."""
        return int(self.starts[-1])

    @cached_property
    def starts(self) -> Int[np.ndarray, " _"]:
        """Where each column's levels begin; the last entry is L."""
        return np.concatenate([[0], np.cumsum(self.cards, dtype=np.int64)])

    @cached_property
    def column(self) -> Int[np.ndarray, " L"]:
        """The column that each level belongs to."""
        return np.repeat(np.arange(self.D), self.cards)

    @cached_property
    def card(self) -> Int[np.ndarray, " D"]:
        """K_d as an array."""
        return np.asarray(self.cards, dtype=np.int64)

    def at(self, d: int) -> slice:
        """The places of column d's levels."""
        return slice(int(self.starts[d]), int(self.starts[d + 1]))

    def one_hot(
        self, codes: Int[np.ndarray, "B D"], dtype: type[np.floating] = np.float64
    ) -> Float[np.ndarray, "B L"]:
        """Y: one at each observed cell's level, zero at all levels of a missing cell."""
        Y = np.zeros((len(codes), self.L), dtype)
        n, d = np.nonzero(codes >= 0)
        Y[n, self.starts[d] + codes[n, d]] = 1
        return Y

    def sum(self, X: Array) -> Array:
        """Sums over each column's levels: (…, L) to (…, D)."""
        if self.L * self.D <= NARROW:
            return X @ self._member.astype(X.dtype)
        return self._fold(X, lambda a, b: a + b)

    def max(self, X: Array) -> Array:
        """Largest entry of each column's levels: (…, L) to (…, D)."""
        return self._fold(X, X.__array_namespace__().maximum)

    def spread(self, x: Array) -> Array:
        """Each column's value repeated over its levels: (…, D) to (…, L)."""
        return x[..., self.column]

    def log_softmax(self, F: Array) -> Array:
        """Log-probabilities of each column's levels from their weights f."""
        xp = F.__array_namespace__()
        F = F - self.spread(self.max(F))
        return F - self.spread(xp.log(self.sum(xp.exp(F))))

    def softmax(self, F: Array) -> Array:
        """Probabilities of each column's levels from their weights f."""
        xp = F.__array_namespace__()
        P = xp.exp(F - self.spread(self.max(F)))
        return P / self.spread(self.sum(P))

    def counts(
        self, codes: Codes, weights: Float[np.ndarray, " N"] | None = None
    ) -> Float[np.ndarray, " L"]:
        """How often each level was observed, rows weighted."""
        n, d = np.nonzero(codes >= 0)
        place = self.starts[d] + codes[n, d]
        return np.bincount(place, None if weights is None else weights[n], self.L).astype(float)

    def select(self, columns: Int[np.ndarray, " C"]) -> Int[np.ndarray, " C_L"]:
        """The places of the levels of some columns, in their order."""
        parts = [np.arange(self.L)[self.at(d)] for d in columns.tolist()]
        return np.concatenate([np.zeros(0, np.int64), *parts])

    @cached_property
    def _member(self) -> Float[np.ndarray, "L D"]:
        return (self.column[:, None] == np.arange(self.D)).astype(np.float32)

    @cached_property
    def _groups(self) -> list[tuple[int, list[slice | Int[np.ndarray, " G"]]]]:
        """Columns of equal size: their number, and the places of their first, second, … levels.

        Places of neighbouring columns form a strided slice, which needs no copy.
        """
        groups = []
        for K in sorted(set(self.cards)):
            first = self.starts[:-1][self.card == K]
            if np.all(np.diff(first) == K):
                end = int(first[-1]) + K
                places: list[slice | np.ndarray] = [
                    slice(int(first[0]) + k, end, K) for k in range(K)
                ]
            else:
                places = [first + k for k in range(K)]
            groups.append((len(first), places))
        return groups

    @cached_property
    def _order(self) -> Int[np.ndarray, " D"]:
        """Puts the columns grouped by size back into their order."""
        return np.argsort(np.argsort(self.card, kind="stable"))

    def _fold(self, X: Array, op: Callable[[Array, Array], Array]) -> Array:
        parts = [reduce(op, (X[..., k] for k in places)) for _, places in self._groups]
        if len(parts) == 1:
            return parts[0] if len(self._groups[0][1]) > 1 else X[..., self._groups[0][1][0]]
        return X.__array_namespace__().concat(parts, axis=-1)[..., self._order]
