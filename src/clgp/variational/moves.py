"""Gradient steps: which optimiser, and whether q(u) takes turns with the rest (section 4.3).

Each row has an optimiser state of its own, so that a block of rows moves alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from clgp.model.inputs import Rows
from clgp.typing import Array, Float
from clgp.variational.backend import jax, jnp, optax
from clgp.variational.params import OutputsNumbers, Params, Shared

Loss = Callable[[Params, Array], tuple[Array, Any]]


@dataclass(frozen=True)
class Optimiser(ABC):
    """A rule for one step: one for numbers in general, one for a row's m and log s."""

    rate: float

    @abstractmethod
    def rule(self, iterations: int) -> optax.GradientTransformation:
        """The rule for a run of that many steps."""

    @abstractmethod
    def row_rule(self, iterations: int) -> optax.GradientTransformation:
        """The rule of one row's q(x_n)."""


@final
@dataclass(frozen=True)
class RMSprop(Optimiser):
    """Tieleman and Hinton 2012, with a rate a number that grows while its steps agree.

    As the code of 2015 had it: rates between 1e-6 and 10, steps of `most`, log s by plain
    gradient ascent.
    """

    spread_rate: float
    decay: float = 0.9
    adapt: float = 0.1
    most: float = 0.1

    def rule(self, iterations: int) -> optax.GradientTransformation:
        rms = optax.scale_by_rms(decay=self.decay)
        return optax.chain(rms, agreement(self.rate, self.adapt), optax.clip(self.most))

    def row_rule(self, iterations: int) -> optax.GradientTransformation:
        rules = {"m": self.rule(iterations), "log_s": optax.sgd(self.spread_rate)}
        return optax.partition(rules, Rows("m", "log_s"))  # type: ignore[arg-type]


class Agreement(NamedTuple):
    """Each number's rate and its last direction."""

    rate: Any
    last: Any


def agreement(rate: float, adapt: float) -> optax.GradientTransformation:
    """Descend with a rate a number: × (1 + adapt) while its sign stays, × (1 − adapt) when not."""

    def init(params: Any) -> Agreement:
        return Agreement(
            jax.tree.map(lambda p: jnp.full_like(p, rate), params),
            jax.tree.map(jnp.zeros_like, params),
        )

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        def grown(rate: Array, step: Array, last: Array) -> Array:
            factor = 1 + adapt * jnp.sign(step * last)
            return jnp.clip(rate * factor, 1e-6, 10.0)

        rates = jax.tree.map(grown, state.rate, updates, state.last)
        moves = jax.tree.map(lambda rate, step: -rate * step, rates, updates)
        return moves, Agreement(rates, jax.tree.map(jnp.sign, updates))

    return optax.GradientTransformation(init, update)


@final
@dataclass(frozen=True)
class Adam(Optimiser):
    """Adam with a rate that falls to a hundredth by a cosine; log s has a rate of its own."""

    spread_rate: float

    def rule(self, iterations: int) -> optax.GradientTransformation:
        return optax.adam(optax.cosine_decay_schedule(self.rate, iterations, alpha=0.01))

    def row_rule(self, iterations: int) -> optax.GradientTransformation:
        rules = {"m": self.rule(iterations), "log_s": optax.adam(self.spread_rate)}
        return optax.partition(rules, Rows("m", "log_s"))  # type: ignore[arg-type]


class Rules(NamedTuple):
    """The two rules of an optimiser for a run."""

    numbers: optax.GradientTransformation
    row: optax.GradientTransformation


def rules_of(optimiser: Optimiser, iterations: int) -> Rules:
    """Both rules."""
    return Rules(optimiser.rule(iterations), optimiser.row_rule(iterations))


class OptimiserState(NamedTuple):
    """One state for each set of numbers; that of the rows row by row."""

    rows: Any
    shared: Any
    outputs: Any


@dataclass(frozen=True)
class Moves(ABC):
    """How all numbers move in one iteration."""

    optimiser: Optimiser

    @property
    @abstractmethod
    def evaluations(self) -> int:
        """How often an iteration evaluates the bound, each time with new draws."""

    @abstractmethod
    def step(
        self,
        loss: Loss,
        params: Params,
        state: OptimiserState,
        *,
        rules: Rules,
        noise: Float[Array, "E n"],
    ) -> tuple[Params, OptimiserState, Any]:
        """New numbers and states, and what the loss reports at the old ones."""


def start_state(rules: Rules, params: Params) -> OptimiserState:
    """The states before the first step."""
    rows = jax.vmap(rules.row.init)(params.rows)
    numbers = rules.numbers
    return OptimiserState(rows, numbers.init(params.shared), numbers.init(params.outputs))


def move_outputs(
    rules: Rules, grads: OutputsNumbers, state: Any, now: OutputsNumbers
) -> tuple[OutputsNumbers, Any]:
    """A step of q(u)."""
    step, state = rules.numbers.update(grads, state, now)
    return optax.apply_updates(now, step), state  # type: ignore[return-value]


def move_rest(
    rules: Rules,
    grads: tuple[Rows, Shared],
    states: tuple[Any, Any],
    now: tuple[Rows, Shared],
) -> tuple[tuple[Rows, Shared], tuple[Any, Any]]:
    """A step of the rows, each with its own state, and of what they share."""
    of_rows, rows_state = jax.vmap(rules.row.update)(grads[0], states[0], now[0])
    of_shared, shared_state = rules.numbers.update(grads[1], states[1], now[1])
    moved = optax.apply_updates(now, (of_rows, of_shared))
    return moved, (rows_state, shared_state)  # type: ignore[return-value]


@final
@dataclass(frozen=True)
class Alternate(Moves):
    """First everything but q(u) while q(u) stands still, then q(u) alone, with new draws."""

    @property
    def evaluations(self) -> int:
        return 2

    def step(
        self,
        loss: Loss,
        params: Params,
        state: OptimiserState,
        *,
        rules: Rules,
        noise: Float[Array, "E n"],
    ) -> tuple[Params, OptimiserState, Any]:
        first, second = noise
        u = params.outputs
        grads, report = jax.grad(
            lambda rest: loss(Params(rest[0], rest[1], u), first), has_aux=True
        )((params.rows, params.shared))
        (rows, shared), rest_state = move_rest(
            rules, grads, (state.rows, state.shared), (params.rows, params.shared)
        )
        grads_u, _ = jax.grad(lambda u: loss(Params(rows, shared, u), second), has_aux=True)(u)
        u, u_state = move_outputs(rules, grads_u, state.outputs, u)
        return Params(rows, shared, u), OptimiserState(*rest_state, u_state), report


@final
@dataclass(frozen=True)
class Joint(Moves):
    """Everything at once, from one set of draws."""

    @property
    def evaluations(self) -> int:
        return 1

    def step(
        self,
        loss: Loss,
        params: Params,
        state: OptimiserState,
        *,
        rules: Rules,
        noise: Float[Array, "E n"],
    ) -> tuple[Params, OptimiserState, Any]:
        grads, report = jax.grad(loss, has_aux=True)(params, noise[0])
        (rows, shared), rest_state = move_rest(
            rules,
            (grads.rows, grads.shared),
            (state.rows, state.shared),
            (params.rows, params.shared),
        )
        u, u_state = move_outputs(rules, grads.outputs, state.outputs, params.outputs)
        return Params(rows, shared, u), OptimiserState(*rest_state, u_state), report


@final
@dataclass(frozen=True)
class RowsOnly(Moves):
    """q(x_n) alone: new rows under frozen globals."""

    @property
    def evaluations(self) -> int:
        return 1

    def step(
        self,
        loss: Loss,
        params: Params,
        state: OptimiserState,
        *,
        rules: Rules,
        noise: Float[Array, "E n"],
    ) -> tuple[Params, OptimiserState, Any]:
        grads, report = jax.grad(
            lambda rows: loss(params._replace(rows=rows), noise[0]), has_aux=True
        )(params.rows)
        of_rows, rows_state = jax.vmap(rules.row.update)(grads, state.rows, params.rows)
        rows = optax.apply_updates(params.rows, of_rows)
        return params._replace(rows=rows), state._replace(rows=rows_state), report
