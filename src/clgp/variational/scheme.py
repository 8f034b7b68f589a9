"""A scheme of inference: which draws, coordinates, start and optimiser. PAPER is the paper's.

Every field is a part with a measured reason; see `docs/decisions.md`. `BETTER` stands beside
the paper's, not in its place.
"""

from dataclasses import dataclass, replace

from clgp.model.inducing import Coordinates, Plain, Whitened
from clgp.variational.draws import JointDraws, QuasiDraws
from clgp.variational.expect import ByDraws, ByQuadrature, Expectation
from clgp.variational.moves import Adam, Alternate, Joint, Moves, RMSprop
from clgp.variational.start import FromTable, Section5, Start


@dataclass(frozen=True)
class Scheme:
    """How the bound is estimated and climbed.

    `M` inducing points, `iterations` steps, `restarts` fits side by side of which the best bound
    is kept, `block` rows a step (all of them where 0), stuck rows moved every `rescue` iterations.
    """

    expectation: Expectation
    coordinates: Coordinates
    start: Start
    moves: Moves
    M: int = 20
    iterations: int = 500
    restarts: int = 1
    block: int = 0
    rescue: int = 0

    def sized(self, *, M: int, T: int, iterations: int) -> "Scheme":
        """The same scheme at other sizes."""
        draws = replace(self.expectation.draws, T=T)
        expectation = replace(self.expectation, draws=draws)
        return replace(self, expectation=expectation, M=M, iterations=iterations)


PAPER = Scheme(
    expectation=ByDraws(JointDraws(T=20)),
    coordinates=Plain(),
    start=Section5(),
    moves=Alternate(RMSprop(rate=0.02, spread_rate=0.0005)),
    rescue=50,
)
"""Section 4 and 5 to the letter: joint draws, u as it is, RMSPROP by turns, 500 iterations."""

BETTER = Scheme(
    expectation=ByQuadrature(QuasiDraws(T=8), nodes=8),
    coordinates=Whitened(),
    start=FromTable(),
    moves=Joint(Adam(rate=0.05, spread_rate=0.001)),
)
"""The same bound with less noise, a better start and Adam."""
