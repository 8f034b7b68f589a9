"""Direct effects between columns: a forest shared by all components of a mixture.

p_t(y_d = k | y_pa = v) = softmax_k(ℓ_tdk + W_d[v, k]). The two passes over it, up with the
evidence and down with the beliefs, stand in `passes`; `mixture` puts them together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clgp.levels import Levels
from clgp.typing import Bool, Float, Int

ROOT = -1


@dataclass(frozen=True)
class Forest:
    """Each column hangs on one other or on none; `effects[d]` is W_d, (0, K_d) at a root."""

    parents: Int[np.ndarray, " D"]
    effects: tuple[Float[np.ndarray, "_ _"], ...]

    def __post_init__(self) -> None:
        reached = len(self.order)
        if reached != len(self.parents):
            raise ValueError(
                f"Expected a forest; {len(self.parents) - reached} columns hang on a circle."
            )

    @classmethod
    def bare(cls, levels: Levels) -> "Forest":
        """No edge at all."""
        return cls(np.full(levels.D, ROOT), tuple(np.zeros((0, K)) for K in levels.cards))

    @classmethod
    def of(
        cls, levels: Levels, edges: Sequence[tuple[int, int, Float[np.ndarray, "_ _"]]]
    ) -> "Forest":
        """From edges (parent, child, W)."""
        parents = np.full(levels.D, ROOT)
        effects = [np.zeros((0, K)) for K in levels.cards]
        for parent, child, W in edges:
            parents[child], effects[child] = parent, W
        return cls(parents, tuple(effects))

    @classmethod
    def of_flat(
        cls, levels: Levels, parents: Int[np.ndarray, " D"], flat: Float[np.ndarray, " _"]
    ) -> "Forest":
        """From all W side by side, as `flat` gives them."""
        above = np.where(parents == ROOT, 0, levels.card[parents])
        pieces = np.split(flat, np.cumsum(above * levels.card)[:-1])
        shapes = zip(pieces, above, levels.cards, strict=True)
        return cls(parents, tuple(W.reshape(V, K) for W, V, K in shapes))

    @property
    def flat(self) -> Float[np.ndarray, " _"]:
        """All W side by side, row after row, column after column."""
        return np.concatenate([W.ravel() for W in self.effects])

    @cached_property
    def children(self) -> tuple[Int[np.ndarray, " _"], ...]:
        """The columns that hang on each column."""
        return tuple(np.flatnonzero(self.parents == d) for d in range(len(self.parents)))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Every column after the one it hangs on."""
        order = [int(d) for d in np.flatnonzero(self.parents == ROOT)]
        for d in order:
            order.extend(int(c) for c in np.flatnonzero(self.parents == d))
        return tuple(order)

    @cached_property
    def edges(self) -> tuple[int, ...]:
        """The columns that hang on another, parents first."""
        return tuple(d for d in self.order if self.parents[d] != ROOT)

    @cached_property
    def joined(self) -> Bool[np.ndarray, " D"]:
        """Columns with an edge; the others are independent given the component."""
        joined = self.parents != ROOT
        joined[self.parents[joined]] = True
        return joined
