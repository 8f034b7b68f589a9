"""What every fitted model owes, whatever it is: three answers about rows with holes.

`mixture.Mixture` is the one that all latent models become; the bigram model of the paper is the
other. Everything in `ask` is written against this.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clgp.levels import Levels
from clgp.typing import Codes, Float


@dataclass(frozen=True)
class Answers(ABC):
    """A distribution over rows of categorical cells."""

    kind: ClassVar[str]
    levels: Levels

    @abstractmethod
    def log_prob(self, codes: Codes) -> Float[np.ndarray, " N"]:
        """Log-probability in nats of the seen cells of each row, the missing ones summed out."""

    @abstractmethod
    def probabilities(self, codes: Codes) -> Float[np.ndarray, "N L"]:
        """Probability of every level of each missing cell given the row's seen cells.

        A seen cell has probability one at its level.
        """

    @abstractmethod
    def draw(self, codes: Codes, key: np.random.Generator) -> Codes:
        """The rows with their missing cells drawn jointly, given the seen ones."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """All numbers of the model, to be saved."""

    @classmethod
    @abstractmethod
    def of_arrays(cls, levels: Levels, arrays: Mapping[str, np.ndarray]) -> "Answers":
        """The model again from its numbers."""
