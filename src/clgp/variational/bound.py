"""The lower bound on log p(Y) (equations 5 and 10) and its three terms.

The one place where missing cells are masked. Kernels and q(u) are those of `model`, one column's
program that of `columns`, the expectation over f that of `expect`.
"""

from typing import NamedTuple

from clgp.model.family import Model
from clgp.typing import Array, Float
from clgp.variational.backend import jnp
from clgp.variational.columns import Column, over_group
from clgp.variational.params import Cells, Params
from clgp.variational.scheme import Scheme


class Terms(NamedTuple):
    """The bound is likelihood − kl_x − kl_u; `noise` is its Monte Carlo standard deviation.

    Numbers, or with leading axes for restarts and iterations.
    """

    likelihood: Float[Array, "*I"]
    kl_x: Float[Array, "*I"]
    kl_u: Float[Array, "*I"]
    noise: Float[Array, "*I"]

    @property
    def bound(self) -> Float[Array, "*I"]:
        """L of equation 10."""
        return self.likelihood - self.kl_x - self.kl_u


def terms(
    model: Model,
    scheme: Scheme,
    params: Params,
    cells: Cells,
    N: int,
    noise: Float[Array, " n"],
) -> Terms:
    """The terms from a block of rows out of N; `noise` of `noise_size` makes the draws."""
    B, draws = len(params.rows.m), scheme.expectation.draws
    n_x = draws.input_size(B, model.Q)
    X = model.inputs.draw(params.rows, draws.inputs(B, model.Q, noise[:n_x]))
    log_p, kl_u = over_columns(model, scheme, params, X, cells, noise[n_x:])
    return Terms(
        N / B * log_p.mean(),
        N / B * model.inputs.kl(params.rows).sum(),
        kl_u,
        N / B * log_p.std() / len(log_p) ** 0.5,
    )


def noise_size(model: Model, scheme: Scheme, B: int) -> int:
    """How much noise one evaluation of the bound on B rows takes."""
    draws = scheme.expectation.draws
    of_columns = [
        len(group.columns) * draws.function_size(B, model.shared or group.K, scheme.M)
        for group in model.layout.groups
    ]
    return draws.input_size(B, model.Q) + sum(of_columns)


def over_columns(
    model: Model,
    scheme: Scheme,
    params: Params,
    X: Float[Array, "T B Q"],
    cells: Cells,
    noise: Float[Array, " n"],
) -> tuple[Float[Array, " T"], Float[Array, ""]]:
    """Σ_nd log p(y_nd | f_nd) of the observed cells for each draw; Σ_d KL(q(u_d) ‖ p(u_d))."""

    def of_column(column: Column, y: Array, noise: Array) -> tuple[Array, Array]:
        return scheme.expectation.log_prob(column, y, noise), model.posterior.kl(column.q)

    total, kls = jnp.zeros(len(X)), []
    for group in model.layout.groups:
        y, observed = cells.y[:, group.columns].T, cells.observed[:, group.columns].T
        size = scheme.expectation.draws.function_size(X.shape[1], model.shared or group.K, scheme.M)
        mine, noise = jnp.split(noise, [len(y) * size])
        log_p, kl = over_group(
            model, scheme, params, X, group, of_column, (y, mine.reshape(-1, size))
        )
        total += (log_p * observed[:, None, :]).sum((0, 2))
        kls.append(kl)
    # functions that all columns share are charged once
    return total, kls[0][0] if model.shared else sum(kl.sum() for kl in kls)
