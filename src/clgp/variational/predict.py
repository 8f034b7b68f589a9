"""Probabilities of all levels: of rows by their q(x_n), and at any points x of the latent space.

f is drawn from its marginal under q(u), which is exact for a point: q factorises over columns.
"""

from functools import partial
from typing import Final

import numpy as np

from clgp.levels import Levels
from clgp.model.family import Model
from clgp.model.inputs import Rows
from clgp.model.likelihoods import Softmax
from clgp.typing import Array, Float
from clgp.variational.backend import jax, jnp
from clgp.variational.column import Column
from clgp.variational.columns import over_group
from clgp.variational.draws import QuasiDraws
from clgp.variational.fitted import Fitted
from clgp.variational.params import Params
from clgp.variational.scheme import Scheme

BLOCK: Final = 256
DRAWS: Final = 64


def row_probabilities(
    fitted: Fitted, key: np.random.Generator, *, draws: int = DRAWS
) -> Float[np.ndarray, "N L"]:
    """p(y_nd = k) of the fitted rows under q(x_n) q(U): the paper's prediction of a cell."""
    N, Q = fitted.params.rows.m.shape
    scheme = QuasiDraws(draws)
    eps = scheme.inputs(N, Q, jnp.asarray(scheme.noise((scheme.input_size(N, Q),), key)))
    X = np.asarray(fitted.model.inputs.draw(fitted.params.rows, np.asarray(eps)))
    return over_draws(fitted.params, X, key, model=fitted.model, scheme=fitted.scheme)


def point_probabilities(
    fitted: Fitted, X: Float[np.ndarray, "S Q"], key: np.random.Generator, *, draws: int = DRAWS
) -> Float[np.ndarray, "S L"]:
    """E_q[softmax_k f_d(x)] at each point x."""
    X = np.broadcast_to(X, (draws, *X.shape))
    return over_draws(fitted.params, X, key, model=fitted.model, scheme=fitted.scheme)


def over_draws(
    params: Params,
    X: Float[np.ndarray, "T S Q"],
    key: np.random.Generator,
    *,
    model: Model,
    scheme: Scheme,
) -> Float[np.ndarray, "S L"]:
    """Mean over the first axis of the probabilities at X, in blocks of one shape."""
    T, S, Q = X.shape
    params = params._replace(rows=Rows(np.zeros((0, Q)), np.zeros((0, Q))))
    padded = np.pad(X, ((0, 0), (0, -S % BLOCK), (0, 0)))
    size = noise_size(model, scheme, T, BLOCK)
    blocks = [
        probabilities(params, padded[:, i : i + BLOCK], key.random(size, np.float32), model, scheme)
        for i in range(0, S, BLOCK)
    ]
    return np.concatenate(blocks, axis=1).T[:S].astype(float)


def noise_size(model: Model, scheme: Scheme, T: int, B: int) -> int:
    """How much noise the probabilities of a block of points take."""
    draws = QuasiDraws(T)
    return sum(
        len(group.columns) * draws.function_size(B, model.shared or group.K, scheme.M)
        for group in model.layout.groups
    )


@partial(jax.jit, static_argnames=("model", "scheme"))
def probabilities(
    params: Params,
    X: Float[Array, "T B Q"],
    noise: Float[Array, " n"],
    model: Model,
    scheme: Scheme,
) -> Float[Array, "L B"]:
    """E[softmax f] of every level, by one draw of f for each of x."""
    levels, softmax, draws = Levels(model.cards), Softmax(), QuasiDraws(len(X))

    def of_column(column: Column, noise: Array) -> Float[Array, "K B"]:
        f = column.weights(draws.functions(column.at, column.q, noise))
        return softmax.probabilities(f).mean(1)

    P = jnp.ones((levels.L, X.shape[1]))
    for group in model.layout.groups:
        size = draws.function_size(X.shape[1], model.shared or group.K, scheme.M)
        mine, noise = jnp.split(noise, [len(group.columns) * size])
        found = over_group(model, scheme, params, X, group, of_column, (mine.reshape(-1, size),))
        places = levels.starts[group.columns][:, None] + np.arange(group.K + 1)
        P = P.at[places].set(found)
    return P
