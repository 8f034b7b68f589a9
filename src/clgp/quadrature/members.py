"""What the joint fit needs of a member, whatever it is: fitted, judged, fitted on.

GP fits are members (`gp`); so are latent classes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, final

import numpy as np

from clgp.baselines import classes
from clgp.mixture import Mixture
from clgp.quadrature import member as gp
from clgp.quadrature.columns import Problem
from clgp.quadrature.settings import Recipe, Settings, recipes
from clgp.typing import Float

MANY: Final = 10  # restarts of the latent classes
FEW: Final = 3  # of them on a large table
LARGE: Final = 4_000  # distinct rows
FURTHER: Final = 6  # passes on all rows after the weights are known


@dataclass(frozen=True)
class Member:
    """A member as far as it has come."""

    name: str
    mixture: Mixture
    points: Float[np.ndarray, "S Q"] | None  # where its components lie, if they lie anywhere
    bound: tuple[float, ...]
    go_on: Callable[..., "Member"]
    held_back_nats: float = float("nan")

    def judged(self, nats: float) -> "Member":
        """With its loss on held-back cells."""
        return replace(self, held_back_nats=nats)

    def resume(
        self, problem: Problem, *, over: Callable[[], bool], key: np.random.Generator
    ) -> "Member":
        """The same member after a few passes on other rows."""
        return self.go_on(problem, over=over, key=key).judged(self.held_back_nats)


class Maker(ABC):
    """Makes one member."""

    @abstractmethod
    def fit(
        self, problem: Problem, *, over: Callable[[], bool], key: np.random.Generator
    ) -> Member:
        """From the start, on these rows."""


@final
@dataclass(frozen=True)
class GP(Maker):
    """Makes a GP member."""

    recipe: Recipe
    settings: Settings

    def fit(
        self, problem: Problem, *, over: Callable[[], bool], key: np.random.Generator
    ) -> Member:
        state = gp.fit_member(
            problem,
            self.recipe,
            n_passes=self.settings.n_passes,
            penalised=self.settings.penalised,
            over=over,
            key=key,
        )
        return self._member(state, key)

    def _member(self, state: gp.Member, key: np.random.Generator) -> Member:
        def go_on(problem: Problem, *, over: Any, key: np.random.Generator) -> Member:
            return self._member(gp.resume(state, problem, FURTHER, over=over, key=key), key)

        mixture = gp.compiled(state, key)
        return Member(self.recipe.name, mixture, state.X, state.bound, go_on)


@final
@dataclass(frozen=True)
class LatentClasses(Maker):
    """Makes latent classes, as many as predict held-back cells best; restarts averaged."""

    def fit(
        self, problem: Problem, *, over: Callable[[], bool], key: np.random.Generator
    ) -> Member:
        table = problem.codes, problem.weights, problem.levels
        return self._member(problem, classes.choose(*table, key=key), key)

    def _member(
        self, problem: Problem, chosen: classes.Settings, key: np.random.Generator
    ) -> Member:
        def go_on(problem: Problem, *, over: Any, key: np.random.Generator) -> Member:
            return self._member(problem, chosen, key)

        restarts = MANY if len(problem.codes) <= LARGE else FEW
        mixture = classes.latent_classes(
            problem.codes, problem.weights, problem.levels,
            settings=chosen, restarts=restarts, key=key,
        )  # fmt: skip
        return Member(f"{chosen.C} latent classes", mixture, None, (), go_on)


def makers(settings: Settings, problem: Problem) -> list[Maker]:
    """The members of a table."""
    made: list[Maker] = [GP(recipe, settings) for recipe in recipes(settings, problem)]
    return [*made, LatentClasses()] if settings.with_classes else made
