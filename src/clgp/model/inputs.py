"""The inputs x_n of the functions: latent with q(x_n), or observed (equations 1, 6, 7).

The first axis of the cube. An input's free numbers are held row by row, so that a block of rows
takes its own. Used by `variational.bound`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

from clgp.typing import Array, Float


class Rows(NamedTuple):
    """Free numbers of q(x_n) of some rows; of observed inputs the values m alone matter."""

    m: Float[Array, "B Q"]
    log_s: Float[Array, "B Q"]


@dataclass(frozen=True)
class Inputs(ABC):
    """Where x_n comes from."""

    learnt: bool

    @abstractmethod
    def draw(self, rows: Rows, eps: Float[Array, "T B Q"]) -> Float[Array, "T B Q"]:
        """Draws of x_n made of standard normal ones."""

    @abstractmethod
    def kl(self, rows: Rows) -> Float[Array, " B"]:
        """KL(q(x_n) ‖ N(0, I)) of each row."""


@final
@dataclass(frozen=True)
class Latent(Inputs):
    """q(x_nq) = N(m_nq, s_nq²) under the prior N(0, 1): x = m + s ε (equation 7)."""

    learnt: bool = True

    def draw(self, rows: Rows, eps: Float[Array, "T B Q"]) -> Float[Array, "T B Q"]:
        return rows.m + eps.__array_namespace__().exp(rows.log_s) * eps

    def kl(self, rows: Rows) -> Float[Array, " B"]:
        xp = rows.m.__array_namespace__()
        return ((rows.m**2 + xp.exp(2 * rows.log_s) - 1) / 2 - rows.log_s).sum(-1)


@final
@dataclass(frozen=True)
class Observed(Inputs):
    """x_n is given: every draw is the value itself, nothing is charged."""

    learnt: bool = False

    def draw(self, rows: Rows, eps: Float[Array, "T B Q"]) -> Float[Array, "T B Q"]:
        return rows.m + 0 * eps

    def kl(self, rows: Rows) -> Float[Array, " B"]:
        return 0 * rows.m.sum(-1)


INPUTS: dict[str, Callable[[], Inputs]] = {"latent": Latent, "observed": Observed}
