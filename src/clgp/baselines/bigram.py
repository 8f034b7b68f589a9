"""The paper's bigram Dirichlet-multinomial: a cell from each seen cell of its row, averaged.

p(y_d = k | seen) = mean over seen cells (i, j) of (n_ij,dk + α) / (n_ij,d + α K_d), counted over
rows in which both columns were seen; with nothing seen, (n_dk + α) / (n_d + α K_d). The paper
does not say how several seen cells are joined, nor what the joint is: here the chain rule in the
order of the columns, missing cells left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, final

import numpy as np

from clgp.answers import Answers
from clgp.baselines.frequency import shares
from clgp.levels import Levels
from clgp.pairs import pair_counts
from clgp.typing import Bool, Codes, Float, Int

ALPHA: Final = 1.0
BLOCK: Final = 2_000_000  # numbers of one working array


@final
@dataclass(frozen=True)
class Bigram(Answers):
    """Marginal shares and, for each level of one column, the shares of all others."""

    kind: ClassVar[str] = "bigram"
    marginal: Float[np.ndarray, " L"]
    given: Float[np.ndarray, "L L"]  # row: the seen level; column: the level asked for

    def log_prob(self, codes: Codes) -> Float[np.ndarray, " N"]:
        found = np.zeros(len(codes))
        for rows in self._blocks(codes):
            some = codes[rows]
            total, n = np.zeros((len(some), self.levels.L)), np.zeros(len(some))
            for d in range(self.levels.D):
                k, seen = some[:, d], some[:, d] >= 0
                p = self._mean(total[:, self.levels.at(d)], n, d)
                found[rows][seen] += np.log(p[seen, k[seen]])
                self._see(total, n, d, k, seen)
        return found

    def probabilities(self, codes: Codes) -> Float[np.ndarray, "N L"]:
        P = self.levels.one_hot(codes)
        for rows in self._blocks(codes):
            n = (codes[rows] >= 0).sum(1)[:, None]
            mean = np.where(n > 0, P[rows] @ self.given / np.maximum(n, 1), self.marginal)
            P[rows] += mean * self.levels.spread(codes[rows] < 0)
        return P

    def draw(self, codes: Codes, key: np.random.Generator) -> Codes:
        uniform = key.random(codes.shape)
        out = codes.copy()
        for rows in self._blocks(codes):
            some = out[rows]
            total, n = self.levels.one_hot(some) @ self.given, (some >= 0).sum(1).astype(float)
            for d in range(self.levels.D):
                open_ = some[:, d] < 0
                scale = np.cumsum(self._mean(total[:, self.levels.at(d)], n, d), axis=1)
                u = uniform[rows, d] * scale[:, -1]
                k = np.where(open_, (u[:, None] >= scale[:, :-1]).sum(1), some[:, d])
                some[:, d] = k
                self._see(total, n, d, k, open_)
        return out

    def arrays(self) -> dict[str, np.ndarray]:
        return {"marginal": self.marginal, "given": self.given}

    @classmethod
    def of_arrays(cls, levels: Levels, arrays: Mapping[str, np.ndarray]) -> "Bigram":
        return cls(levels, arrays["marginal"], arrays["given"])

    def _mean(
        self, total: Float[np.ndarray, "B K"], n: Float[np.ndarray, " B"], d: int
    ) -> Float[np.ndarray, "B K"]:
        n = n[:, None]
        return np.where(n > 0, total / np.maximum(n, 1), self.marginal[self.levels.at(d)])

    def _see(
        self,
        total: Float[np.ndarray, "B L"],
        n: Float[np.ndarray, " B"],
        d: int,
        k: Int[np.ndarray, " B"],
        which: Bool[np.ndarray, " B"],
    ) -> None:
        """Adds what level k of column d says to the running sums of some rows."""
        total[which] += self.given[self.levels.starts[d] + k[which]]
        n[which] += 1

    def _blocks(self, codes: Codes) -> list[slice]:
        rows = max(1, BLOCK // self.levels.L)
        return [slice(first, first + rows) for first in range(0, len(codes), rows)]


def fit_bigram(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    alpha: float = ALPHA,
    key: np.random.Generator | None = None,  # noqa: ARG001
) -> Bigram:
    """Counts of single levels and of pairs, each with α added."""
    N = pair_counts(codes, weights, levels) + alpha
    given = N / levels.spread(levels.sum(N))
    return Bigram(levels, shares(codes, weights, levels, alpha=alpha), given)
