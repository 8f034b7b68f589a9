"""What a person may choose about the default model, and the members that follow from it."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from typing import Final

import numpy as np

from clgp.model.kernels import KERNELS, RBF, Additive, Kernel, Linear
from clgp.quadrature.columns import Problem

STARTS: Final[dict[str, Callable[[int], Kernel]]] = {
    **KERNELS,
    "rbf": lambda Q: RBF(np.asarray(1.0), np.full(Q, 1.5)),
    "linear": lambda Q: Linear(np.full(Q, exp(-0.7))),
    "additive": lambda Q: Additive(np.full(Q, exp(-0.7)), np.full(Q, 1.5)),
    "linear + rbf": lambda Q: Linear(np.full(Q, exp(-0.7))) + RBF(np.asarray(1.0), np.full(Q, 1.5)),
}
"""Kernels where the fit begins: by name, built for Q dimensions."""

FEW: Final = 512  # support points of a small table
LARGE: Final = 4_000  # rows above which a table is not small
MOST: Final = 420_000  # points times levels
WIDE: Final = 60  # two-level columns from which the linear member gets twice the dimensions


@dataclass(frozen=True)
class Settings:
    """Choices; those left at None follow from the table."""

    n_latent: int | None = None
    kernel: str | Kernel | None = None
    n_members: int | None = None
    latent_classes: bool | None = None  # as a further member; only by default if None
    settle: bool = True
    penalised: bool = True  # False drops KL(u), as the paper's linear model does
    n_points: int | None = None
    n_inducing: int | None = None
    n_passes: int = 50
    max_seconds: float | None = None
    n_jobs: int | None = None  # members fitted at once; as many as there are cores if None

    @property
    def by_hand(self) -> bool:
        """Whether the GP members were chosen by a person."""
        return not (self.n_latent is None and self.kernel is None and self.n_members is None)

    @property
    def with_classes(self) -> bool:
        """Whether latent classes are a member."""
        return not self.by_hand if self.latent_classes is None else self.latent_classes


@dataclass(frozen=True)
class Recipe:
    """One GP member: its latent space and kernel."""

    name: str
    n_latent: int
    kernel: Kernel
    n_points: int
    n_inducing: int


def points_for(problem: Problem, *, wide: bool) -> int:
    """Few points for small tables; more for many rows or columns, within bounds of time."""
    if problem.total <= LARGE and not wide:
        return FEW
    return next((S for S in (4 * FEW, 2 * FEW) if S * problem.levels.L <= MOST), FEW)


def recipes(settings: Settings, problem: Problem) -> list[Recipe]:
    """The GP members of a table, the two-dimensional one that draws the map first."""
    wide = sum(K == 2 for K in problem.levels.cards) >= WIDE
    kinds: list[tuple[int, str | Kernel]] = [
        (2, "rbf"),
        (8, "linear + rbf"),
        (5, "additive"),
        (16 if wide else 8, "linear"),
    ]
    if settings.n_latent is not None or settings.kernel is not None:
        Q, kernel = settings.n_latent or 2, settings.kernel or "rbf"
        kinds = [(settings.n_latent or q, settings.kernel or k) for q, k in kinds]
        if settings.n_members is None or settings.n_members == 1:
            kinds = [(Q, kernel)]
    count = settings.n_members or len(kinds)
    kinds = [kinds[i % len(kinds)] for i in range(count)]
    n_points = settings.n_points or points_for(problem, wide=wide)
    n_inducing = settings.n_inducing or (96 if n_points > FEW else 64)
    out = []
    for Q, kernel in kinds:
        label = kernel if isinstance(kernel, str) else type(kernel).__name__.lower()
        built = STARTS[kernel](Q) if isinstance(kernel, str) else kernel
        out.append(Recipe(f"{label}, {Q} dimensions", Q, built, n_points, n_inducing))
    return out
