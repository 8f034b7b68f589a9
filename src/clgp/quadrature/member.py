"""One member of the default model: a GP fit with its own kernel, dimension and random shift.

A `Member` holds the state from which passes can go on. A pass is two natural steps and an Adam
step at the points that carry mass, new weights of the points, and one E-step. A pass after
which the bound is lower is not taken.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, pi
from typing import Any, Final

import numpy as np

from clgp.mixture import Mixture
from clgp.model.parameters import free
from clgp.quadrature import hyper, maximise
from clgp.quadrature.columns import Problem
from clgp.quadrature.expect import Counts, Draws, Moments, e_step, moments
from clgp.quadrature.features import Features, features
from clgp.quadrature.maximise import Fixed, Model
from clgp.quadrature.points import draws, hermite, normal_points
from clgp.quadrature.settings import Recipe
from clgp.quadrature.start import draw_anew, first_counts, place_rows
from clgp.typing import Float

CARRIES: Final = 1e-3  # mass above which a point takes part in the M-step
PULL: Final = 0.1  # pseudo-rows a row, spread evenly: the pull of the weights to the Gaussian
LEARN_WEIGHTS: Final = 0.25  # of the passes; before it the points weigh the same
ANEW: Final = (0.4, 0.55, 0.7, 0.85)  # of the passes: where points are drawn anew
RATES: Final = (0.1, 0.005)  # of Adam, from first to last pass
STEPS: Final = 1  # natural steps a pass: two cost half as much again for the same held-out loss
WARM: Final = 4  # M-steps before the first E-step
FLOOR: Final = 1e-9  # of a compiled probability
ENOUGH: Final = 2e-4  # nats a row and pass: below that for three passes the fit stops


@dataclass(frozen=True)
class Member:
    """A fit under way, or done."""

    fixed: Fixed
    model: Model
    X: Float[np.ndarray, "S Q"]  # support points
    log_w: Float[np.ndarray, " S"]
    here: Features
    seen: tuple[Moments, ...]
    counts: Counts
    adam: hyper.Adam
    caution: float  # factor on the rate of Adam, smaller after a step that was too long
    bound: tuple[float, ...]  # after each pass


def look(
    fixed: Fixed, model: Model, here: Features, totals: list[Any] | None = None
) -> tuple[Moments, ...]:
    """Moments of all blocks at points with these features, in single precision."""
    A, b = here[0].astype(np.float32), here[1].astype(np.float32)
    out = []
    for i, (block, part) in enumerate(zip(fixed.problem.blocks, model.parts, strict=True)):
        B = maximise.level_factor(block, model.level)
        total = None if totals is None else totals[i].sum(1)
        out.append(moments(block, part, A, b, B=B, draws=fixed.draws, totals=total))
    return tuple(out)


def blocks_of(fixed: Fixed, C: Float[np.ndarray, "L S"]) -> list[Float[np.ndarray, "G K S"]]:
    """The counts, block by block, in single precision."""
    return [
        C[block.place].reshape(block.G, block.K, -1).astype(np.float32)
        for block in fixed.problem.blocks
    ]


def height(fixed: Fixed, model: Model, seen: tuple[Moments, ...], C: list[Any]) -> float:
    """The M-step's objective: Σ C∘g − KL − priors."""
    fit = sum(maximise.gain(look, counts).sum() for look, counts in zip(seen, C, strict=True))
    return float(fit) - penalties(fixed, model)


def penalties(fixed: Fixed, model: Model) -> float:
    """KL(q(U) ‖ p(U)) and minus the log priors."""
    parts = (maximise.penalty(part, penalised=fixed.penalised).sum() for part in model.parts)
    return float(sum(parts)) - hyper.prior(fixed, model)


def m_step(member: Member, *, rate: float, active: np.ndarray) -> Member:
    """Two natural steps and one Adam step; moments at all points afterwards."""
    fixed, model = member.fixed, member.model
    C = blocks_of(fixed, member.counts.C[:, active])
    here = member.here[0][active], member.here[1][active]
    A, b = (part.astype(np.float32) for part in here)
    seen = list(member.seen) if active.all() else [look.at(active) for look in member.seen]
    parts = list(model.parts)
    for i, block in enumerate(fixed.problem.blocks):
        B = maximise.level_factor(block, model.level)
        for _ in range(STEPS):
            parts[i], seen[i] = maximise.climb(
                fixed, block, parts[i], seen[i], C=C[i], A=A, b=b, B=B
            )
    model = replace(model, parts=tuple(parts))
    slope = hyper.gradient(fixed, model, tuple(seen), C=C, X=member.X[active], here=here)
    before = height(fixed, model, tuple(seen), C)
    return adam_step(member, model, slope, rate=rate, active=active, C=C, before=before)


def adam_step(
    member: Member, model: Model, slope: Any, *, rate: float, active: Any, C: Any, before: float
) -> Member:
    """Moves the kernel and the scales; half as far, then not at all, where the objective falls."""
    fixed, caution = member.fixed, member.caution
    move, state = hyper.adam(member.adam, slope, rate=rate * caution)
    totals = blocks_of(fixed, member.counts.C)
    for share in (1.0, 0.3, 0.0):
        new = hyper.with_values(model, hyper.values(model) + share * move)
        here = features(new.kernel, member.X, fixed.Z)
        seen = look(fixed, new, here, totals)
        after = height(fixed, new, tuple(part.at(active) for part in seen), C)
        if after >= before - maximise.ROUNDING * abs(before) or share == 0.0:
            break
        caution *= 0.7
    return replace(member, model=new, here=here, seen=seen, adam=state, caution=caution)


def expect(member: Member, *, learn_weights: bool) -> Member:
    """New weights of the points and the E-step; the bound is added to the trace."""
    problem, S = member.fixed.problem, len(member.X)
    pull = PULL * problem.total / S
    log_w = member.log_w
    if learn_weights:
        w = member.counts.mass + pull
        log_w = np.log(w / w.sum())
    G = np.concatenate([part.g.reshape(-1, S) for part in member.seen])
    counts = e_step(problem, G, log_w)
    bound = counts.evidence - penalties(member.fixed, member.model) + pull * log_w.sum()
    return replace(member, log_w=log_w, counts=counts, bound=(*member.bound, bound))


def begin(problem: Problem, recipe: Recipe, key: np.random.Generator, *, penalised: bool) -> Member:
    """Points, draws and the start from correspondence analysis."""
    n_latent, n_points, kernel = recipe.n_latent, recipe.n_points, recipe.kernel
    X = normal_points(n_points, n_latent, key)
    widest = max((block.F for block in problem.blocks), default=1)
    drawn = Draws(draws(8, widest, key), *hermite(7))
    level = np.array([0.4, -2.0])
    fixed = Fixed(problem, drawn, X[: recipe.n_inducing], free(kernel), level, penalised)
    here = features(kernel, X, fixed.Z)
    model = Model(kernel, level, maximise.begin(problem, here[0].shape[1]))
    counts = first_counts(problem, X, place_rows(problem, n_latent, key))
    zero = np.zeros(len(hyper.values(model)))
    log_w = np.full(n_points, -np.log(n_points))
    seen = look(fixed, model, here, blocks_of(fixed, counts.C))
    member = Member(fixed, model, X, log_w, here, seen, counts, hyper.Adam(zero, zero, 0), 1.0, ())
    for _ in range(WARM):
        member = m_step(member, rate=RATES[0], active=counts.mass > CARRIES)
    return expect(member, learn_weights=False)


def one_pass(member: Member, *, rate: float, learn_weights: bool, anew: Any = None) -> Member:
    """M-step, then E-step; where the bound would fall the member stays, with a shorter step."""
    new = member
    if anew is not None:
        X, log_w, counts = draw_anew(member.X, member.log_w, member.counts, anew)
        here = features(member.model.kernel, X, member.fixed.Z)
        seen = look(member.fixed, member.model, here, blocks_of(member.fixed, counts.C))
        new = replace(member, X=X, log_w=log_w, counts=counts, here=here, seen=seen)
    new = m_step(new, rate=rate, active=new.counts.mass > CARRIES)
    new = expect(new, learn_weights=learn_weights)
    last = member.bound[-1]
    if new.bound[-1] >= last - maximise.ROUNDING * abs(last):
        return new
    caution = member.caution * (1.0 if anew is not None else 0.5)
    return replace(member, caution=caution, bound=(*member.bound, last))


def run(
    member: Member,
    n_passes: int,
    *,
    rates: tuple[float, float] = RATES,
    anew: tuple[float, ...] = ANEW,
    over: Callable[[], bool],
    key: np.random.Generator,
) -> Member:
    """Passes with rates falling by a cosine, until the bound stops gaining or time is up."""
    total, when = member.fixed.problem.total, {int(share * n_passes) for share in anew}
    for i in range(n_passes):
        member = one_pass(
            member,
            rate=rates[1] + (rates[0] - rates[1]) * (1 + cos(pi * i / n_passes)) / 2,
            learn_weights=not anew or i >= LEARN_WEIGHTS * n_passes,
            anew=key if i in when else None,
        )
        gained = member.bound[-1] - member.bound[max(-4, -len(member.bound))]
        settled = i > max(when, default=0) + 3 and gained < 3 * ENOUGH * total
        if settled or over():
            break
    return member


def resume(
    member: Member,
    problem: Problem,
    n_passes: int,
    *,
    over: Callable[[], bool],
    key: np.random.Generator,
) -> Member:
    """A few more passes on other rows of the same table, from where the fit stands."""
    fixed = replace(member.fixed, problem=problem)
    member = expect(replace(member, fixed=fixed, bound=()), learn_weights=False)
    return run(member, n_passes, rates=(RATES[1], RATES[1]), anew=(), over=over, key=key)


def compiled(member: Member, key: np.random.Generator, *, n_draws: int = 64) -> Mixture:
    """Components w_s and tables ℓ_sdk = log E_q[softmax_k f_d(x_s)], by more draws."""
    fixed = member.fixed
    fine = Draws(draws(n_draws, fixed.draws.eps.shape[1], key), *hermite(32))
    seen = look(replace(fixed, draws=fine), member.model, member.here)
    tables = []
    for part in seen:
        p = part.p.astype(float)
        p = np.concatenate([1 - p, p], axis=1) if part.g.shape[1] == 2 else p
        p = np.maximum(p, FLOOR)
        tables.append(np.log(p / p.sum(1, keepdims=True)).reshape(-1, len(member.X)))
    return Mixture(fixed.problem.levels, member.log_w, np.concatenate(tables).T)


def fit_member(
    problem: Problem,
    recipe: Recipe,
    *,
    n_passes: int = 50,
    penalised: bool = True,
    over: Callable[[], bool] = lambda: False,
    key: np.random.Generator,
) -> Member:
    """Fits one member from the start."""
    return run(begin(problem, recipe, key, penalised=penalised), n_passes, over=over, key=key)
