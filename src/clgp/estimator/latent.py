"""The latent Gaussian models as estimators: CLGP, the default, and its linear twin LGM."""

import math
from abc import abstractmethod
from typing import final

import numpy as np

from clgp import quadrature
from clgp.estimator.base import Estimator, Fit, Task
from clgp.model.kernels import KERNELS, Kernel
from clgp.progress import within
from clgp.quadrature import Settings
from clgp.tables import InputError
from clgp.tables.errors import listing

PRUNED = 1e-6  # weight that components may have together and yet be dropped


class Latent(Estimator):
    """A latent Gaussian model, fitted by the default engine."""

    @abstractmethod
    def _settings(self) -> Settings:
        """What the engine is told."""

    def _fit(self, task: Task) -> Fit:
        fitted = quadrature.fit(
            task.codes.astype(np.int64),
            task.weights,
            task.schema.levels,
            tuple(task.schema.ordinal.tolist()),
            settings=self._settings(),
            aside=task.out,
            key=task.key,
            progress=within(task.progress, 0.0, 0.95),
        )
        notes = tuple(
            f"Member {m.name}: weight {m.weight:.2f}"
            + (
                f", alone {m.held_back_nats:.3f} nats a held-back cell."
                if math.isfinite(m.held_back_nats)
                else "."
            )
            for m in fitted.members
            if len(fitted.members) > 1
        )
        how = fitted.settled
        if how.passes:
            effects = f"{len(fitted.mixture.edges.edges)} direct effects between columns, "
            notes += (
                f"Settled on the counts with {effects if how.forest else ''}a pull of "
                f"{how.alpha:g} rows: spares {how.gain:.3f} ± {how.error:.3f} nats a held-back "
                "cell.",
            )
        if not fitted.complete:
            notes += ("The fit was stopped before its end; this is the best so far.",)
        answers, lost = fitted.mixture.pruned(PRUNED)
        if answers.T < fitted.mixture.T:
            notes += (
                f"{fitted.mixture.T - answers.T} of {fitted.mixture.T} components were dropped; "
                f"that changes no probability by more than {lost:.0e}.",
            )
        return Fit(fitted.trial, answers, fitted.map, notes)


@final
class CLGP(Latent):
    """The categorical latent Gaussian process: the default model.

    A union of members that differ in latent dimension and kernel, and latent classes, weighted by
    how well each predicts held-back cells, then settled on the counts.
    `CLGP(n_latent=2, n_members=1, settle=False)` is the plain model of the paper.

    Args:
        n_latent: Latent dimensions; "auto" lets members of several compete.
        kernel: A kernel, or the name of one, for all members.
        n_members: How many latent fits are joined.
        settle: Whether the tables may be corrected where the counts insist.
        max_seconds: When to stop with the best so far.
        n_jobs: Members fitted at once; as many as there are cores if not given.
        random_state: The seed; the same seed gives the same model on any number of cores.
        verbose: Whether `fit` prints what it learnt.

    Example:
        >>> table = [{"a": i % 2, "b": i % 2, "c": i % 3} for i in range(60)]
        >>> model = CLGP(n_latent=2, n_members=1, settle=False, random_state=0, verbose=False)
        >>> model.fit(table).belief({"a": 1}, "b")["1"] > 0.9
        True
    """

    name = "clgp"

    def __init__(
        self,
        *,
        n_latent: int | str = "auto",
        kernel: str | Kernel | None = None,
        n_members: int | None = None,
        settle: bool = True,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_latent = n_latent
        self.kernel = kernel
        self.n_members = n_members
        self.settle = settle
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _settings(self) -> Settings:
        return Settings(
            n_latent=_dimensions(self.n_latent),
            kernel=_known(self.kernel),
            n_members=self.n_members,
            settle=self.settle,
            max_seconds=self.max_seconds,
            n_jobs=self.n_jobs,
        )


@final
class LGM(Latent):
    """The linear latent Gaussian model, CLGP's linear twin.

    Args:
        n_latent: Latent dimensions.
        unpenalised: Whether KL(u) is left out, as in the paper; then it can over-fit.
        max_seconds: When to stop with the best so far.
        random_state: The seed.
        verbose: Whether `fit` prints what it learnt.
    """

    name = "lgm"

    def __init__(
        self,
        *,
        n_latent: int = 2,
        unpenalised: bool = True,
        max_seconds: float | None = None,
        random_state: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.n_latent = n_latent
        self.unpenalised = unpenalised
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.verbose = verbose

    def _settings(self) -> Settings:
        return Settings(
            n_latent=_dimensions(self.n_latent),
            kernel="linear",
            n_members=1,
            settle=False,
            penalised=not self.unpenalised,
            max_seconds=self.max_seconds,
        )


def _dimensions(n_latent: int | str) -> int | None:
    if n_latent == "auto":
        return None
    if not isinstance(n_latent, int) or n_latent < 1:
        raise InputError(f"n_latent must be a whole number from 1, or 'auto'; got {n_latent!r}.")
    return n_latent


def _known(kernel: str | Kernel | None) -> str | Kernel | None:
    if isinstance(kernel, str) and kernel not in KERNELS:
        raise InputError(f"No kernel {kernel!r}; use one of {listing(KERNELS, most=20)}.")
    return kernel
