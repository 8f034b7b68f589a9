"""What a fit hands over: the model with its numbers, and what each iteration reported."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from clgp.model.family import Model
from clgp.typing import Float
from clgp.variational.params import Params
from clgp.variational.scheme import Scheme


class Trace(NamedTuple):
    """What each iteration reported, and its seconds (a chunk's, shared out)."""

    likelihood: Float[np.ndarray, " I"]
    kl_x: Float[np.ndarray, " I"]
    kl_u: Float[np.ndarray, " I"]
    noise: Float[np.ndarray, " I"]
    seconds: Float[np.ndarray, " I"]

    @property
    def bound(self) -> Float[np.ndarray, " I"]:
        """The estimate of the bound before each step."""
        return self.likelihood - self.kl_x - self.kl_u


@dataclass(frozen=True)
class Fitted:
    """A model with its numbers, and how they were found."""

    model: Model
    scheme: Scheme
    params: Params
    trace: Trace
    notes: tuple[str, ...] = ()
