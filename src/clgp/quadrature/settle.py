"""Settling: the union of all members corrected where counts insist.

GP fits are smooth and see no direct effects. A few EM passes on the union itself move its tables,
under the pull of α rows towards what they were (`resettle`), and tie columns by a forest of direct
effects (`direct`). Held-back cells choose α, the number of passes and whether there is a forest;
within the noise of the choice the simpler stands, first of all the union as it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from clgp.forest import ROOT
from clgp.heldback import Held
from clgp.mixture import Mixture
from clgp.progress import Progress, silent
from clgp.quadrature.direct import Edge, Pairs, find_edges
from clgp.quadrature.resettle import expected, maximise
from clgp.tables.split import collapse
from clgp.typing import Codes, Float

ALPHAS: Final = (32.0, 8.0, 2.0, 0.5, 0.1, 0.02)  # the gentlest first
STOPS: Final = (1, 2, 3, 5, 10)  # numbers of passes that are judged
DOUBT: Final = 0.5  # standard errors that a bolder choice must gain
COST: Final = 1_000_000_000  # rows with holes × components × levels of one judgement
FEWEST: Final = 300  # rows with holes at least


@dataclass(frozen=True)
class Choice:
    """How to settle; no passes: the union as it is."""

    alpha: float = np.inf
    passes: int = 0
    forest: bool = False


@dataclass(frozen=True)
class Settled:
    """The settled union, what was chosen and what it spares in nats a held-back cell."""

    mixture: Mixture
    choice: Choice
    gain: float
    error: float  # standard error of the gain
    edges: tuple[Edge, ...]


def settling(
    mixture: Mixture,
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    *,
    alpha: float,
    edges: tuple[Edge, ...] = (),
) -> Iterator[Mixture]:
    """The union after one pass, two, three, … with the given edges."""
    codes, weights, _ = collapse(codes, weights)
    some = (weights > 0) & np.any(codes >= 0, axis=1)
    codes, weights = codes[some], weights[some]
    levels = mixture.levels
    parents = np.full(levels.D, ROOT)
    for edge in edges:
        parents[edge.child] = edge.parent
    pairs = Pairs(levels, parents)
    prior = replace(mixture, log_tables=levels.log_softmax(mixture.log_tables))
    now = replace(prior, forest=pairs.forest(np.zeros(pairs.joint.L)))
    while True:
        now = maximise(now, prior, pairs, expected(now, pairs, codes, weights), alpha=alpha)
        yield now if edges else replace(now, forest=None)


def settle_once(
    mixture: Mixture,
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    *,
    alpha: float,
    passes: int,
    forest: bool,
) -> Mixture:
    """The union after some passes of settling."""
    if not passes:
        return mixture
    edges = find_edges(mixture, codes, weights) if forest else ()
    steps = settling(mixture, codes, weights, alpha=alpha, edges=edges)
    return [next(steps) for _ in range(passes)][-1]


def settle(
    mixture: Mixture,
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    *,
    held: Held,
    progress: Progress = silent,
) -> Settled:
    """The union settled on these rows as the held-back cells say; they must be of other rows.

    Tables alone must gain more than the noise over the union as it is, the forest over these.
    """
    held = held.some(max(FEWEST, COST // (mixture.T * mixture.levels.L)))
    start = Settled(mixture, Choice(), 0.0, 0.0, ())
    as_it_is = held.losses(mixture)
    best, losses = start, as_it_is
    for edges in dict.fromkeys(((), find_edges(mixture, codes, weights))):
        progress(0.5 if edges else 0.0, "settling")
        search = _Search(held, as_it_is, start, as_it_is)
        for alpha in ALPHAS:
            steps = settling(mixture, codes, weights, alpha=alpha, edges=edges)
            before, search = search, search.along(steps, alpha, edges)
            if edges and search.best.choice.passes and search.best is before.best:
                break  # judging a forest is dear, and a weaker pull seldom helps after that
        gain, error = held.gain(losses, search.losses)
        if gain > DOUBT * error:
            best, losses = search.best, search.losses
    return best


@dataclass(frozen=True)
class _Search:
    """The best so far with its losses; a bolder choice must gain more than the noise."""

    held: Held
    as_it_is: Float[np.ndarray, " C"]
    best: Settled
    losses: Float[np.ndarray, " C"]

    def along(self, steps: Iterator[Mixture], alpha: float, edges: tuple[Edge, ...]) -> "_Search":
        """Judges the passes of one α until two judgements in turn bring nothing."""
        best, losses, vain = self.best, self.losses, 0
        for passes, now in zip(range(1, STOPS[-1] + 1), steps, strict=False):
            if passes not in STOPS:
                continue
            after = self.held.losses(now)
            gain, error = self.held.gain(losses, after)
            vain += 1
            if gain > DOUBT * error:
                choice = Choice(alpha, passes, bool(edges))
                best = Settled(now, choice, *self.held.gain(self.as_it_is, after), edges)
                losses, vain = after, 0
            if vain == 2:
                break
        return replace(self, best=best, losses=losses)
