"""Rows stuck far from where their answers are likely are moved there, now and then.

As the code of 2015 did, and by the observed cells only: an option there looked at the held-out
ones, which is leakage.
"""

from typing import Final

import numpy as np

from clgp.levels import Levels
from clgp.model.family import Model
from clgp.model.inputs import Rows
from clgp.variational.backend import jax
from clgp.variational.params import Cells, Params
from clgp.variational.predict import DRAWS, over_draws
from clgp.variational.scheme import Scheme

MARGIN: Final = 1.0  # nats by which the best inducing point must beat a row's own place


def rescued(
    params: Params, model: Model, scheme: Scheme, cells: Cells, key: np.random.Generator
) -> Params:
    """The numbers of all restarts with their stuck rows at the best inducing point."""
    codes = np.where(cells.observed, cells.y, -1).astype(int)
    Y = Levels(model.cards).one_hot(codes)
    moved = []
    for r in range(len(params.rows.m)):
        one = jax.tree.map(lambda a, r=r: np.asarray(a[r]), params)
        m, Z = one.rows.m, one.shared.Z
        X = np.broadcast_to(np.concatenate([Z, m]), (DRAWS, len(Z) + len(m), model.Q))
        log_p = np.log(over_draws(one, X, key, model=model, scheme=scheme) + 1e-12)
        at_Z, at_m = log_p[: len(Z)], log_p[len(Z) :]
        there = Y @ at_Z.T - (Z**2).sum(-1) / 2
        here = (Y * at_m).sum(-1) - (m**2).sum(-1) / 2
        stuck = there.max(1) > here + MARGIN
        moved.append(np.where(stuck[:, None], Z[there.argmax(1)], m))
    return params._replace(rows=Rows(np.stack(moved).astype(np.float32), params.rows.log_s))
