"""What the joint fit needs of a member, whatever it is: fitted, judged, fitted on.

GP fits are members (`gp`); so are latent classes.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Final, final

import numpy as np

from clgp.baselines import classes
from clgp.mixture import Mixture
from clgp.quadrature import member as gp
from clgp.quadrature.columns import Problem
from clgp.quadrature.parallel import Over
from clgp.quadrature.settings import Recipe, Settings, recipes
from clgp.typing import Float

MANY: Final = 10  # restarts of the latent classes
FEW: Final = 3  # of them on a large table
LARGE: Final = 4_000  # distinct rows
FURTHER: Final = 6  # passes on all rows after the weights are known


@dataclass(frozen=True)
class Member:
    """A member as far as it has come; `state` is what its maker needs to go on."""

    name: str
    maker: "Maker"
    state: Any
    mixture: Mixture
    points: Float[np.ndarray, "S Q"] | None = None  # where its components lie, if anywhere
    bound: tuple[float, ...] = ()
    held_back_nats: float = float("nan")

    def judged(self, nats: float) -> "Member":
        """With its loss on held-back cells."""
        return replace(self, held_back_nats=nats)

    def resume(self, problem: Problem, *, over: Over, key: np.random.Generator) -> "Member":
        """The same member after a few passes on other rows."""
        more = self.maker.resume(self.state, problem, over=over, key=key)
        return more.judged(self.held_back_nats)


class Maker(ABC):
    """Makes one member."""

    @abstractmethod
    def fit(self, problem: Problem, *, over: Over, key: np.random.Generator) -> Member:
        """From the start, on these rows."""

    @abstractmethod
    def resume(
        self, state: Any, problem: Problem, *, over: Over, key: np.random.Generator
    ) -> Member:
        """From where a fit to other rows of the table stands."""


@final
@dataclass(frozen=True)
class GP(Maker):
    """Makes a GP member."""

    recipe: Recipe
    settings: Settings

    def fit(self, problem: Problem, *, over: Over, key: np.random.Generator) -> Member:
        passes, penalised = self.settings.n_passes, self.settings.penalised
        state = gp.fit_member(
            problem, self.recipe, n_passes=passes, penalised=penalised, over=over, key=key
        )
        return self._member(state, key)

    def resume(
        self, state: gp.Member, problem: Problem, *, over: Over, key: np.random.Generator
    ) -> Member:
        return self._member(gp.resume(state, problem, FURTHER, over=over, key=key), key)

    def _member(self, state: gp.Member, key: np.random.Generator) -> Member:
        mixture = gp.compiled(state, key)
        return Member(self.recipe.name, self, state, mixture, state.X, state.bound)


@final
@dataclass(frozen=True)
class LatentClasses(Maker):
    """Makes latent classes, as many as predict held-back cells best; restarts averaged."""

    def fit(self, problem: Problem, *, over: Over, key: np.random.Generator) -> Member:
        table = problem.codes, problem.weights, problem.levels
        return self.resume(classes.choose(*table, key=key), problem, over=over, key=key)

    def resume(
        self, state: classes.Settings, problem: Problem, *, over: Over, key: np.random.Generator
    ) -> Member:
        restarts = MANY if len(problem.codes) <= LARGE else FEW
        mixture = classes.latent_classes(
            problem.codes, problem.weights, problem.levels,
            settings=state, restarts=restarts, key=key,
        )  # fmt: skip
        return Member(f"{state.C} latent classes", self, state, mixture)


def makers(settings: Settings, problem: Problem) -> list[Maker]:
    """The members of a table."""
    made: list[Maker] = [GP(recipe, settings) for recipe in recipes(settings, problem)]
    return [*made, LatentClasses()] if settings.with_classes else made
