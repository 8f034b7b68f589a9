"""One column of the table at T draws of x, and its lift over all columns of one size.

Written for one column d with its own kernel, q(u_d) and likelihood; `over_group` maps it over the
columns that have equally many weights. Used by `bound` and `predict`.
"""

from collections.abc import Callable
from typing import Any

from clgp.model.family import Model
from clgp.model.inducing import project
from clgp.model.layout import Group
from clgp.model.level_kernels import ordinal, weight_factor
from clgp.model.parameters import bind
from clgp.typing import Array, Float
from clgp.variational.backend import jax, jnp
from clgp.variational.column import Column
from clgp.variational.params import Params, kernel_of, likelihood_of
from clgp.variational.scheme import Scheme


def over_group(
    model: Model,
    scheme: Scheme,
    params: Params,
    X: Float[Array, "T B Q"],
    group: Group,
    of_column: Callable[..., Any],
    extra: tuple[Array, ...],
) -> Any:
    """`of_column(column, *extra_d)` for each column of a group, stacked."""
    shared, (mu, L) = params.shared, params.outputs
    ordered = jnp.asarray([bool(model.ordinal) and model.ordinal[d] for d in group.columns])

    def one(theta, phi, mu_d, L_d, bias, factor, *extra_d):
        at = project(kernel_of(model, theta), shared.Z, X.reshape(-1, model.Q))
        q = scheme.coordinates.white(mu_d, model.posterior.factor(L_d), at.L_inv)
        return of_column(Column(likelihood_of(model, phi), at, q, bias, factor), *extra_d)

    if model.shared:
        mu_g, mu_axis = mu, None
        L_g, L_axis = L[0], None
        factor = shared.mixing[:, group.places].transpose(1, 2, 0)
    else:
        mu_g, mu_axis = mu[:, group.places].transpose(1, 0, 2), 0
        L_g, L_axis = L[group.columns], 0
        factor = level_factors(model, shared.level, group.K, ordered)
    theta, of_theta = per_column(shared.kernel, group)
    phi, of_phi = per_column(shared.likelihood, group)
    axes = (of_theta, of_phi, mu_axis, L_axis, 0, 0, *(0 for _ in extra))
    bias = shared.bias[group.places]
    return jax.vmap(one, in_axes=axes)(theta, phi, mu_g, L_g, bias, factor, *extra)


def per_column(numbers: Float[Array, "C P"], group: Group) -> tuple[Array, int | None]:
    """A group's rows of θ, and the axis to map over: none where all columns share one."""
    if len(numbers) == 1:
        return numbers[0], None
    return numbers[group.columns], 0


def level_factors(
    model: Model, theta: Float[Array, " P_l"], K: int, ordered: Array
) -> Float[Array, "G K K"]:
    """I for a nominal column, the level kernel's factor for an ordinal one."""
    eye = jnp.eye(K)
    if not any(model.ordinal):
        return jnp.broadcast_to(eye, (len(ordered), K, K))
    B = weight_factor(bind(ordinal(), theta), jnp.arange(K + 1.0))
    return jnp.where(ordered[:, None, None], B, eye)
