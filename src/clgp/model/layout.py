"""The flat axis of weights: the Σ(K_d − 1) functions f_dk of all columns, side by side.

The first level of a column has f_d0 = 0 and no function. Columns with equally many weights form
a group, so that a formula written for one column is lifted over a group at once; there are as
many groups as sizes, however many columns. Used by `variational`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clgp.levels import Levels
from clgp.typing import Int


@dataclass(frozen=True)
class Group:
    """Columns with K weights each: their numbers and the places of their weights."""

    K: int
    columns: Int[np.ndarray, " G"]
    places: Int[np.ndarray, "G K"]


@dataclass(frozen=True)
class Layout:
    """How many weights each column has, and where they stand.

    Example:
        >>> Layout((2, 3)).W
        5
    """

    weights: tuple[int, ...]

    @property
    def D(self) -> int:
        """Number of columns."""
        return len(self.weights)

    @property
    def W(self) -> int:
        """Number of weights of all columns."""
        return sum(self.weights)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Columns of equal size together; a column without weights (one level) is in none."""
        flat = Levels(self.weights)
        size = np.asarray(self.weights)
        groups = []
        for K in sorted(set(self.weights) - {0}):
            columns = np.flatnonzero(size == K)
            groups.append(Group(K, columns, flat.starts[columns][:, None] + np.arange(K)))
        return tuple(groups)
