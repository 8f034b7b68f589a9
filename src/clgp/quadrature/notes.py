"""What a joint fit tells: while it runs, and at its end."""

from dataclasses import dataclass

from clgp.ask.embed import Map
from clgp.mixture import Mixture


@dataclass(frozen=True)
class Update:
    """What is known when a member has arrived; `mixture` is the best answer by then."""

    member: str
    seconds: float
    held_back_nats: float
    done: int
    of: int
    mixture: Mixture


@dataclass(frozen=True)
class MemberNote:
    """One member: its weight in the union, its own loss on held-back cells, its bound by pass."""

    name: str
    weight: float
    held_back_nats: float
    bound: tuple[float, ...]


@dataclass(frozen=True)
class SettleNote:
    """How the union was settled, and what that spares in nats a held-back cell (± error)."""

    alpha: float
    passes: int  # none: the union stayed as it was
    forest: bool
    gain: float
    error: float


@dataclass(frozen=True)
class Fitted:
    """The model and how it came about; `trial` is the one before the rows aside came in."""

    mixture: Mixture
    trial: Mixture | None
    members: tuple[MemberNote, ...]
    settled: SettleNote
    map: Map | None
    held_back_nats: float
    seconds: float
    complete: bool  # whether every member had the time it asked for
