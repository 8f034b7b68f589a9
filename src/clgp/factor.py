"""B[n, k, t]: what the evidence below an unseen cell says of its levels, kept as two factors.

Rows with the same holes share one of them, so that sums over levels and components are products of
matrices. Made by `passes`, read by `beliefs`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from clgp.typing import Float, Int


@dataclass(frozen=True)
class Factor:
    """B[n, k, t] = tilt[n, k] · G[pattern(n), k, t].

    What W says of the seen neighbours is in the tilt; G is shared by all rows of one pattern (the
    same children seen), so that sums over k and t are matrix products and no N × K × T array is
    ever made for them.
    """

    tilt: Float[np.ndarray, "R K"]
    G: Float[np.ndarray, "U K T"]
    pattern: Int[np.ndarray, " R"]

    def sum_levels(self, A: Float[np.ndarray, "R J K"]) -> Float[np.ndarray, "R J T"]:
        """Σ_k A[n, j, k] B[n, k, t]."""
        A = A * self.tilt[:, None, :]
        out = np.empty((*A.shape[:2], self.G.shape[2]))
        for u, mine in self._alike():
            product = A[mine].reshape(-1, A.shape[2]) @ self.G[u]
            out[mine] = product.reshape(len(mine), A.shape[1], -1)
        return out

    def sum_components(self, Q: Float[np.ndarray, "R T"]) -> Float[np.ndarray, "R K"]:
        """Σ_t Q[n, t] B[n, k, t]."""
        out = np.empty_like(self.tilt)
        for u, mine in self._alike():
            out[mine] = Q[mine] @ self.G[u].T
        return self.tilt * out

    def times(self, X: Float[np.ndarray, "R K T"]) -> Float[np.ndarray, "R K T"]:
        """X ∘ B, written over X."""
        for rows, G in self.runs():
            X[rows] *= G
        X *= self.tilt[:, :, None]
        return X

    def take(self, rows: Int[np.ndarray, " S"]) -> "Factor":
        """Some rows of B."""
        return Factor(self.tilt[rows], self.G, self.pattern[rows])

    def at(self, rows: Int[np.ndarray, " S"], t: Int[np.ndarray, " S"]) -> Float[np.ndarray, "S K"]:
        """B of some rows, each for one component."""
        return self.tilt[rows] * self.G[self.pattern[rows], :, t]

    def runs(self) -> Iterator[tuple[slice, Float[np.ndarray, "_ K T"]]]:
        """Neighbouring rows of one pattern, or of patterns that are neighbours: no copy of G."""
        step = np.diff(self.pattern)
        turn = (
            np.flatnonzero((step != 0) & (step != 1) | (np.diff(step, prepend=step[:1]) != 0)) + 1
        )
        for start, stop in pairwise([0, *turn, len(self.pattern)]):
            first, last = self.pattern[start], self.pattern[stop - 1]
            yield slice(start, stop), self.G[first : last + 1]

    def _alike(self) -> Iterator[tuple[int, Int[np.ndarray, " _"]]]:
        """Each pattern in use with its rows."""
        order = np.argsort(self.pattern, kind="stable")
        used, starts = np.unique(self.pattern[order], return_index=True)
        ends = np.append(starts, len(order))[1:]
        for u, start, end in zip(used, starts, ends, strict=True):
            yield u, order[start:end]
