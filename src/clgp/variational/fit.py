"""The one loop: chunks of compiled iterations, with what happened in each of them.

`fit` needs codes with −1 for missing cells (or numbers with NaN for continuous columns) and
returns the numbers of the best restart. Bound and draws are elsewhere; see `bound`, `scheme`.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from clgp.model.family import Model
from clgp.progress import Progress, silent
from clgp.typing import Array, Float, Int
from clgp.variational.backend import jax, jnp
from clgp.variational.bound import Terms, noise_size, terms
from clgp.variational.fitted import Fitted, Trace
from clgp.variational.moves import OptimiserState, rules_of, start_state
from clgp.variational.params import Cells, Params
from clgp.variational.rescue import rescued
from clgp.variational.scheme import Scheme

CHUNK: Final = 25
NOISE: Final = 2**24


Watch: TypeAlias = Callable[[int, Params], object]
"""Called after each chunk with the iterations done and the numbers of the first restart."""


def unwatched(done: int, params: Params) -> None:
    """Looks at nothing."""


class Run(NamedTuple):
    """What goes on from one chunk to the next; restarts stand on a leading axis."""

    params: Params
    state: OptimiserState


def cells_of(y: Array) -> Cells:
    """Codes with −1, or numbers with NaN, as values and a mask; missing ones become 0."""
    y = np.asarray(y)
    observed = y >= 0 if np.issubdtype(y.dtype, np.integer) else ~np.isnan(y)
    return Cells(np.where(observed, y, 0).astype(np.float32), observed)


class Supply(NamedTuple):
    """What iterations use up: noise for the draws, and each one's block of rows."""

    noise: Float[Array, "I E n"]
    rows: Int[Array, "I B"]


@partial(jax.jit, static_argnames=("model", "scheme"), donate_argnames="run")
def chunk(
    run: Run, cells: Cells, supply: Supply, *, model: Model, scheme: Scheme
) -> tuple[Run, Terms]:
    """Iterations without coming back to Python, for every restart."""

    def iteration(run: Run, given: Supply) -> tuple[Run, Terms]:
        return iterate(run, cells, given, model, scheme)

    return jax.vmap(lambda run, supply: jax.lax.scan(iteration, run, supply))(run, supply)


def iterate(
    run: Run, cells: Cells, given: Supply, model: Model, scheme: Scheme
) -> tuple[Run, Terms]:
    """One iteration on a block of rows, or on all of them."""
    N = len(cells.y)
    rules = rules_of(scheme.moves.optimiser, scheme.iterations)
    params, state = run

    def loss(params: Params, noise: Array) -> tuple[Array, Terms]:
        if not model.inputs.learnt:
            params = params._replace(rows=jax.lax.stop_gradient(params.rows))
        found = terms(model, scheme, params, part, N, noise)
        return -found.bound, found

    def step(params: Params, state: OptimiserState) -> tuple[Params, OptimiserState, Terms]:
        return scheme.moves.step(loss, params, state, rules=rules, noise=given.noise)

    if not scheme.block:
        part = cells
        params, state, report = step(params, state)
        return Run(params, state), report
    pick = partial(jax.tree.map, lambda a: a[given.rows])
    put = partial(jax.tree.map, lambda whole, a: whole.at[given.rows].set(a))
    part = pick(cells)
    small, moved, report = step(
        params._replace(rows=pick(params.rows)), state._replace(rows=pick(state.rows))
    )
    params = small._replace(rows=put(params.rows, small.rows))
    return Run(params, moved._replace(rows=put(state.rows, moved.rows))), report


def supply(
    model: Model, scheme: Scheme, N: int, *, restarts: int, size: int, key: np.random.Generator
) -> Supply:
    """Noise and blocks for a chunk of iterations; a block's rows are drawn without replacement."""
    B = scheme.block or N
    shape = (restarts, size, scheme.moves.evaluations, noise_size(model, scheme, B))
    noise = scheme.expectation.draws.noise(shape, key)
    blocks = [key.permutation(N)[:B] if scheme.block else [] for _ in range(restarts * size)]
    return Supply(noise, np.asarray(blocks, np.int32).reshape(restarts, size, -1))


def chunk_size(model: Model, scheme: Scheme, N: int) -> int:
    """Iterations a chunk: a divisor of all, few enough that their noise fits in little memory."""
    each = noise_size(model, scheme, scheme.block or N) * scheme.moves.evaluations
    most = max(1, min(CHUNK, NOISE // (each * scheme.restarts)))
    return max(n for n in range(1, most + 1) if scheme.iterations % n == 0)


def fit(
    model: Model,
    y: Array,
    *,
    scheme: Scheme,
    key: np.random.Generator,
    inputs: Float[np.ndarray, "N Q"] | None = None,
    progress: Progress = silent,
    watch: Watch = unwatched,
) -> Fitted:
    """Climb the bound from the scheme's start; the best of its restarts.

    Ctrl-C keeps the best so far. Observed inputs are given as `inputs`.
    """
    cells = cells_of(y)
    starts = [
        with_inputs(scheme.start.params(model, cells, M=scheme.M, key=key), inputs)
        for _ in range(scheme.restarts)
    ]
    return climb(model, cells, starts, scheme=scheme, key=key, progress=progress, watch=watch)


def with_inputs(params: Params, inputs: Float[np.ndarray, "N Q"] | None) -> Params:
    """Observed inputs in the place of m."""
    if inputs is None:
        return params
    return params._replace(rows=params.rows._replace(m=np.asarray(inputs, np.float32)))


def climb(
    model: Model,
    cells: Cells,
    starts: list[Params],
    *,
    scheme: Scheme,
    key: np.random.Generator,
    progress: Progress = silent,
    watch: Watch = unwatched,
) -> Fitted:
    """Iterations from given numbers, one restart for each of them."""
    stacked = jax.tree.map(lambda *parts: jnp.stack(parts), *starts)
    rules = rules_of(scheme.moves.optimiser, scheme.iterations)
    run = Run(stacked, jax.vmap(partial(start_state, rules))(stacked))
    N, size = len(cells.y), chunk_size(model, scheme, len(cells.y))
    best, reports, seconds, notes = None, [], [], ()
    begun = perf_counter()
    try:
        for done in range(0, scheme.iterations, size):
            chunk_begun = perf_counter()
            given = supply(model, scheme, N, restarts=len(starts), size=size, key=key)
            run, report = chunk(run, cells, given, model=model, scheme=scheme)
            if scheme.rescue and (done + size) % scheme.rescue < size:
                run = run._replace(params=rescued(run.params, model, scheme, cells, key))
            reports.append(jax.tree.map(np.asarray, report))
            check_finite(reports[-1], done)
            best = better(best, reports[-1], run.params)
            seconds += [(perf_counter() - chunk_begun) / size] * size
            spent = perf_counter() - begun
            watch(len(seconds), jax.tree.map(lambda a: np.asarray(a[0]), run.params))
            progress(*told(done + size, scheme.iterations, best.bound, spent))
        last = Snapshot(winner(reports[-1]), 0.0, run.params)
    except KeyboardInterrupt:
        if best is None:
            raise
        last, notes = best, (f"Stopped by Ctrl-C after {len(seconds)} iterations.",)
    whole = jax.tree.map(lambda *parts: np.concatenate(parts, axis=1), *reports)
    params = jax.tree.map(lambda a: np.asarray(a[last.restart]), last.params)
    whole = {name: a[last.restart][: len(seconds)] for name, a in whole._asdict().items()}
    return Fitted(model, scheme, params, Trace(**whole, seconds=np.asarray(seconds)), notes)


def told(done: int, iterations: int, bound: float, seconds: float) -> tuple[float, str]:
    """Share of the work done, and where the fit stands."""
    left = seconds / done * (iterations - done)
    return done / iterations, f"iteration {done}, bound {bound:.1f}, {left:.0f} s left"


class Snapshot(NamedTuple):
    """The numbers after the chunk with the best bound so far, and the restart that had it."""

    restart: int
    bound: float
    params: Params


def winner(report: Terms) -> int:
    """The restart with the best mean bound over a chunk; a lost one (NaN) never is."""
    return int(np.nanargmax(report.bound.mean(1)))


def better(best: Snapshot | None, report: Terms, params: Params) -> Snapshot:
    """The snapshot to fall back on."""
    r = winner(report)
    bound = float(report.bound[r].mean())
    if best is not None and best.bound >= bound:
        return best
    return Snapshot(r, bound, jax.tree.map(np.asarray, params))


def check_finite(report: Terms, done: int) -> None:
    """Stop once every restart has lost its bound, with the step and the term named."""
    if np.isfinite(report.bound).all(1).any():
        return
    first = int(np.argmin(np.isfinite(report.bound[0])))
    lost = [name for name, a in report._asdict().items() if not np.isfinite(a[0, first])]
    raise FloatingPointError(
        f"Iteration {done + first + 1}: {', '.join(lost)} of the bound is not finite. "
        "Try a smaller rate of the optimiser or longer starting length scales."
    )
