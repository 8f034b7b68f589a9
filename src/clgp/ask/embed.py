"""The map: where a row lies in the latent plane, by the two-dimensional member's points."""

from dataclasses import dataclass
from typing import final

import numpy as np

from clgp.mixture import Mixture
from clgp.typing import Codes, Float


@final
@dataclass(frozen=True)
class Map:
    """A mixture whose components lie at points of the plane."""

    points: Float[np.ndarray, "S 2"]
    mixture: Mixture


def embed(drawn: Map, codes: Codes) -> tuple[Float[np.ndarray, "N 2"], Float[np.ndarray, "N 2"]]:
    """Posterior mean and standard deviation of each row's place, given its seen cells."""
    R = drawn.mixture.responsibilities(codes)
    mean = R @ drawn.points
    spread = R @ drawn.points**2 - mean**2
    return mean, np.sqrt(np.maximum(spread, 0.0))
