"""The one form of a fitted latent model: p(y) = Σ_t w_t Π_d p_t(y_d | y_pa(d)).

T weights, T × ΣK_d log-tables ℓ and a forest over the columns shared by all components. Answers
need numpy alone: rows go in blocks of bounded memory through `passes.up` and `beliefs`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Final, final

import numpy as np

from clgp.answers import Answers
from clgp.beliefs import beliefs, draw_cells
from clgp.forest import ROOT, Forest
from clgp.levels import Levels
from clgp.passes import Evidence, Tables, up
from clgp.typing import Codes, Float, Int

BLOCK: Final = 2_000_000  # numbers of one working array of a block: 4 MB, near the core
IMPOSSIBLE: Final = -1e5  # stands for log 0: its exponential is 0, its sums stay finite


@final
@dataclass(frozen=True)
class Mixture(Answers):
    """T components, each a table of level probabilities a column, tied by direct effects.

    `log_tables` may be any weights ℓ of the softmax over a column's levels.
    """

    kind: ClassVar[str] = "mixture"
    log_weights: Float[np.ndarray, " T"]
    log_tables: Float[np.ndarray, "T L"]
    forest: Forest | None = None

    @property
    def T(self) -> int:
        """Number of components."""
        return len(self.log_weights)

    @cached_property
    def edges(self) -> Forest:
        """The forest; one without edges if none was given."""
        return self.forest or Forest.bare(self.levels)

    @cached_property
    def tables(self) -> Tables:
        """ℓ as the passes want it: normalised, levels first, effects at most 0."""
        log = np.ascontiguousarray(self.levels.log_softmax(self.log_tables.astype(float)).T)
        effects = tuple(W - W.max(1, keepdims=True) for W in self.edges.effects)
        forest = Forest(self.edges.parents, effects)
        return Tables(self.levels, forest, np.maximum(log, IMPOSSIBLE))

    def log_prob(self, codes: Codes) -> Float[np.ndarray, " N"]:
        found = self._by_block(codes, lambda _, log_prob, R: log_prob)
        return np.where(found > IMPOSSIBLE / 2, found, -np.inf)

    def responsibilities(self, codes: Codes) -> Float[np.ndarray, "N T"]:
        """p(component | the seen cells of each row)."""
        return self._by_block(codes, lambda _, log_prob, R: R)

    def probabilities(self, codes: Codes) -> Float[np.ndarray, "N L"]:
        return self._by_block(codes, lambda evidence, _, R: beliefs(evidence, R))

    def draw(self, codes: Codes, key: np.random.Generator) -> Codes:
        uniform = key.random((len(codes), self.levels.D + 1))
        out = np.empty_like(codes)
        for rows in self._blocks(codes):
            different, back = np.unique(codes[rows], axis=0, return_inverse=True)
            evidence, _, R = self._posterior(different)
            back = back.reshape(-1)
            t = _pick(R, back, uniform[rows, 0])
            out[rows] = draw_cells(evidence, back, t, uniform[rows, 1:])
        return out

    def pruned(self, loss: float = 1e-9) -> tuple["Mixture", float]:
        """Without the lightest components that together weigh at most `loss`.

        Returns the mixture and the weight that was dropped: no event's probability changes by
        more than that.
        """
        w = np.exp(self.log_weights - np.logaddexp.reduce(self.log_weights))
        order = np.argsort(w, kind="stable")
        dropped = int(np.searchsorted(np.cumsum(w[order]), min(loss, 0.5), side="right"))
        keep = np.sort(order[dropped:])
        rest = replace(
            self, log_weights=np.log(w[keep] / w[keep].sum()), log_tables=self.log_tables[keep]
        )
        return rest, float(w[order[:dropped]].sum())

    def arrays(self) -> dict[str, np.ndarray]:
        return {
            "log_weights": self.log_weights,
            "log_tables": self.log_tables,
            "parents": self.edges.parents,
            "effects": self.edges.flat,
        }

    @classmethod
    def of_arrays(cls, levels: Levels, arrays: Mapping[str, np.ndarray]) -> "Mixture":
        forest = Forest.of_flat(levels, arrays["parents"], arrays["effects"])
        return cls(levels, arrays["log_weights"], arrays["log_tables"], forest)

    def _posterior(
        self, codes: Codes
    ) -> tuple[Evidence, Float[np.ndarray, " N"], Float[np.ndarray, "N T"]]:
        """The evidence, log p(seen) and the responsibilities (in the evidence's own array)."""
        evidence = up(self.tables, codes)
        R = evidence.log_prob
        R += self.log_weights
        top = R.max(1, keepdims=True)
        R -= top
        np.exp(R, out=R)
        total = R.sum(1, keepdims=True)
        R /= total
        return evidence, (top + np.log(total))[:, 0], R

    def _by_block(self, codes: Codes, answer) -> Float[np.ndarray, "N *rest"]:
        blocks = list(self._blocks(codes))
        if not blocks:
            return answer(*self._posterior(codes))
        parts = [answer(*self._posterior(codes[rows])) for rows in blocks]
        found = np.empty((len(codes), *parts[0].shape[1:]))
        for rows, part in zip(blocks, parts, strict=True):
            found[rows] = part
        return found

    def _blocks(self, codes: Codes) -> Iterator[Int[np.ndarray, " B"]]:
        """Rows whose working arrays stay below BLOCK numbers, those with the same holes together.

        A row takes T numbers, and K × T for each unseen cell with an unseen neighbour; other unseen
        cells take that once for all rows with the same holes (`factor`).
        """
        forest, hole = self.edges, (codes < 0) & self.edges.joined
        if not hole.any():
            order, wide = np.arange(len(codes)), np.zeros(len(codes))
        else:
            order = np.lexsort(np.packbits(hole, axis=1).T)
            hole = hole[order]
            above = forest.parents
            free = hole & (above != ROOT) & hole[:, above]
            over = np.zeros_like(hole)
            for d in forest.edges:
                over[:, above[d]] |= free[:, d]
            changed = np.concatenate([[True], (hole[1:] != hole[:-1]).any(1)])
            wide = (free | over | (hole & changed[:, None])) @ self.levels.card
        size = self.T * (1 + wide)
        block = (np.cumsum(size) - size) // BLOCK
        return iter(np.split(order, np.flatnonzero(np.diff(block)) + 1)) if len(codes) else iter(())


def _pick(
    R: Float[np.ndarray, "U T"], rows: Int[np.ndarray, " S"], uniform: Float[np.ndarray, " S"]
) -> Int[np.ndarray, " S"]:
    """A component for each row, drawn from its responsibilities."""
    scale = np.cumsum(R, axis=1)
    u = uniform * scale[rows, -1]
    return (u[:, None] >= scale[rows, :-1]).sum(1)
