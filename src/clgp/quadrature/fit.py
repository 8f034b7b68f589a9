"""The default model: members fitted apart, weighted by held-back cells, joined to one Mixture.

`fit` is the entry point. Members run in parallel, each with one BLAS thread and random numbers
of its own: any number of cores gives one answer. A time limit or Ctrl-C keeps the best
there is.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits

from clgp.ask.embed import Map
from clgp.heldback import Held, hold_back
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.progress import Progress, silent, within
from clgp.quadrature.canonical import column_order, reorder
from clgp.quadrature.columns import Problem, collapse
from clgp.quadrature.members import Maker, Member, makers
from clgp.quadrature.notes import Fitted, MemberNote, SettleNote, Update
from clgp.quadrature.parallel import Over, Watch, cores, in_parallel
from clgp.quadrature.settings import Settings, recipes
from clgp.quadrature.settle import Choice, Settled, settle, settle_once
from clgp.quadrature.weights import even, learn_weights, union
from clgp.typing import Bool, Codes, Float

FIRST: Final = 0.7  # share of the work, and at most of the time, that members take at first
AGAIN: Final = 0.85  # share that is done before they go on with all rows
SMALL: Final = 2_000_000  # points · levels · passes below which workers are not worth starting
ENOUGH_ROWS: Final = 40.0  # below it no rows are held back and members weigh the same
Arrived = Callable[[Update], None]


def fit(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    ordinal: tuple[bool, ...],
    *,
    settings: Settings,
    aside: Bool[np.ndarray, " N"] | None = None,
    key: np.random.Generator,
    progress: Progress = silent,
    arrived: Arrived | None = None,
) -> Fitted:
    """Learns the distribution of the rows.

    Args:
        codes: the table; −1 where a cell is missing.
        weights: of the rows; a row of weight 2 counts as two equal rows.
        levels: the columns' levels.
        ordinal: which columns' levels have an order.
        settings: choices; `Settings()` for the default model.
        aside: rows that come in last, after every choice is made, so that they can judge `trial`.
        key: the only source of randomness.
        progress: told how far the fit is.
        arrived: gets each member's answer as it comes; the best one by then is usable.
    """
    watch = Watch(settings.max_seconds)
    order = column_order(codes, weights, levels, ordinal)
    cards = tuple(levels.cards[d] for d in order.tolist())
    kinds = tuple(ordinal[d] for d in order.tolist())
    codes = codes[:, order]
    problem = Problem(*collapse(codes, weights), Levels(cards), kinds)
    inner = problem
    if aside is not None:
        inner = Problem(*collapse(codes[~aside], weights[~aside]), Levels(cards), kinds)
    with threadpool_limits(1, "blas"):
        joint = Joint(problem, inner, settings, watch, np.argsort(order), progress, arrived)
        return joint.fit(key)


@dataclass(frozen=True)
class Fit:
    """The task of fitting a member; left out when time is up, unless it is needed."""

    maker: Maker
    problem: Problem
    held: Held | None
    needed: bool
    key: np.random.Generator

    def __call__(self, over: Over) -> Member | None:
        if over() and not self.needed:
            return None
        member = self.maker.fit(self.problem, over=over, key=self.key)
        if self.held is None:
            return member
        return member.judged(self.held.mean(self.held.losses(member.mixture)))


@dataclass(frozen=True)
class Resume:
    """The task of going on with a member on all rows."""

    member: Member
    problem: Problem
    key: np.random.Generator

    def __call__(self, over: Over) -> Member:
        return self.member.resume(self.problem, over=over, key=self.key)


@dataclass(frozen=True)
class Joint:
    """The steps of the joint fit, on columns in the engine's own order."""

    problem: Problem
    inner: Problem  # without the rows aside
    settings: Settings
    watch: Watch
    back: np.ndarray
    progress: Progress
    arrived: Arrived | None

    def fit(self, key: np.random.Generator) -> Fitted:
        """Members on nine tenths of the rows, weights on the rest, then all rows."""
        keys = key.spawn(3)
        self.progress(0.0, "members")
        made = makers(self.settings, self.problem)
        alone = len(made) == 1 and not self.settings.settle
        if alone or self.inner.total < ENOUGH_ROWS:
            members = self.first(self.inner, None, keys[2], made)
            trial = union([m.mixture for m in members], even(len(members)))
            settled = Settled(trial, Choice(), 0.0, 0.0, ())
            same = self.inner is self.problem
            kept = members if same else self.again(members, even(len(members)), keys[2])
            return self.finish(members, kept, even(len(members)), settled, np.nan)
        inner = self.inner
        rest, held = hold_back(inner.codes, inner.weights, inner.levels, key=keys[0])
        most = replace(inner, codes=inner.codes[rest > 0], weights=rest[rest > 0])
        members = self.first(most, held, keys[2], made)
        pi = learn_weights([m.mixture for m in members], held)
        settled = self.settle(union([m.mixture for m in members], pi), most, held)
        nats = held.mean(held.losses(settled.mixture))
        self.progress(AGAIN, "members on all rows")
        return self.finish(members, self.again(members, pi, keys[2]), pi, settled, nats)

    def settle(self, joint: Mixture, most: Problem, held: Held) -> Settled:
        """The union corrected where counts insist, if that is wanted and there is time."""
        if not self.settings.settle or self.watch.over():
            return Settled(joint, Choice(), 0.0, 0.0, ())
        progress = within(self.progress, FIRST, AGAIN)
        return settle(joint, most.codes, most.weights, held=held, progress=progress)

    def first(
        self, problem: Problem, held: Held | None, key: np.random.Generator, made: list[Maker]
    ) -> list[Member]:
        """Every member from the start."""
        best: list[Member] = []

        def arrived(_: int, member: Member | None) -> None:
            if member is None:
                return
            best.append(member)
            nats = member.held_back_nats
            told = "" if held is None else f": {nats:.3f} nats a held-back cell"
            self.progress(FIRST * len(best) / len(made), f"{member.name}{told}")
            if self.arrived is not None:
                mixture = reorder(min(best, key=lambda m: m.held_back_nats).mixture, self.back)
                self.arrived(
                    Update(member.name, self.watch.seconds(), nats, len(best), len(made), mixture)
                )

        keys = key.spawn(len(made))
        tasks = [
            Fit(maker, problem, held, needed=i == 0, key=k)
            for i, (maker, k) in enumerate(zip(made, keys, strict=True))
        ]
        watch = self.watch.part(FIRST if self.settings.settle else 1.0)
        results = in_parallel(tasks, n_jobs=self.n_jobs, watch=watch, arrived=arrived)
        return [member for member in results if member is not None]

    def again(
        self, members: list[Member], pi: Float[np.ndarray, " M"], key: np.random.Generator
    ) -> list[Member]:
        """Members that carry weight go on with all rows."""
        keys = key.spawn(len(members))
        chosen = [i for i, weight in enumerate(pi.tolist()) if weight and not self.watch.over()]
        tasks = [Resume(members[i], self.problem, keys[i]) for i in chosen]
        more = in_parallel(tasks, n_jobs=self.n_jobs, watch=self.watch, arrived=lambda *_: None)
        kept = dict(zip(chosen, more, strict=True))
        return [kept.get(i) or member for i, member in enumerate(members)]

    @property
    def n_jobs(self) -> int:
        """Members fitted at once; one by one where all together take a second or two."""
        if self.settings.n_jobs is not None:
            return self.settings.n_jobs
        work = self.problem.levels.L * sum(r.n_points for r in recipes(self.settings, self.problem))
        return cores() if work * self.settings.n_passes > SMALL else 1

    def finish(
        self,
        members: list[Member],
        kept: list[Member],
        pi: Float[np.ndarray, " M"],
        settled: Settled,
        nats: float,
    ) -> Fitted:
        """The union settled as chosen, in the columns' own order, with notes."""
        choice, problem = settled.choice, self.problem
        joint = settle_once(
            union([member.mixture for member in kept], pi), problem.codes, problem.weights,
            alpha=choice.alpha, passes=choice.passes, forest=choice.forest,
        )  # fmt: skip
        trial = None if self.inner is problem else reorder(settled.mixture, self.back)
        notes = tuple(
            MemberNote(old.name, weight, old.held_back_nats, new.bound)
            for old, new, weight in zip(members, kept, pi.tolist(), strict=True)
        )
        flat = next((m for m in kept if m.points is not None and m.points.shape[1] == 2), None)
        drawn = None
        if flat is not None and flat.points is not None:
            drawn = Map(flat.points, reorder(flat.mixture, self.back))
        how = SettleNote(choice.alpha, choice.passes, choice.forest, settled.gain, settled.error)
        return Fitted(
            reorder(joint, self.back), trial, notes, how, drawn, nats,
            self.watch.seconds(), not self.watch.over(),
        )  # fmt: skip
