"""A fitted model as a Mixture: points x_t of the latent space, their weights, their log-tables.

ℓ_tdk = log E_q[softmax_k f_d(x_t)], exact for one row under q(U). After this nothing here, and no
JAX, is needed to answer.
"""

from dataclasses import replace

import numpy as np
from scipy.special import logsumexp

from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.model.inputs import Rows
from clgp.typing import Codes, Float
from clgp.variational.draws import normal_points
from clgp.variational.fitted import Fitted
from clgp.variational.predict import point_probabilities


def to_mixture(
    fitted: Fitted, key: np.random.Generator, *, prior: int = 512, posterior: int = 512
) -> Mixture:
    """Quasi-random points of the prior and draws of the rows' q(x_n), weighed to be the prior.

    A point drawn from g, the two together, has the weight p(x) / g(x).
    """
    rows = fitted.params.rows
    n = key.integers(len(rows.m), size=posterior)
    near = rows.m[n] + np.exp(rows.log_s[n]) * key.standard_normal((posterior, fitted.model.Q))
    X = np.concatenate([normal_points(prior, fitted.model.Q, key), near]).astype(np.float32)
    log_weights = -np.log1p(
        posterior / prior * np.exp(log_posterior_density(X, rows) - log_normal(X))
    )
    P = point_probabilities(fitted, X, key)
    log_tables = np.log(np.maximum(P, 1e-12))
    return Mixture(
        levels=Levels(fitted.model.cards),
        log_weights=log_weights - logsumexp(log_weights),
        log_tables=log_tables,
    )


def log_normal(X: Float[np.ndarray, "S Q"]) -> Float[np.ndarray, " S"]:
    """Log N(x | 0, I)."""
    return -(X**2 + np.log(2 * np.pi)).sum(-1) / 2


def log_posterior_density(X: Float[np.ndarray, "S Q"], rows: Rows) -> Float[np.ndarray, " S"]:
    """Log of the mean of the rows' q(x_n), at each x."""
    apart = [(x - rows.m) / np.exp(rows.log_s) for x in X]
    each = np.stack([log_normal(z) for z in apart]) - np.asarray(rows.log_s).sum(1)
    return logsumexp(each, axis=1) - np.log(len(rows.m))


def weighed(mixture: Mixture, codes: Codes, *, passes: int = 20, pull: float = 0.02) -> Mixture:
    """Weights learnt from rows by EM, the points as they are: a free-form prior of x.

    `pull` is the mass that the old weights keep, as a share of the rows'.
    """
    prior = np.exp(mixture.log_weights)
    for _ in range(passes):
        mass = mixture.responsibilities(codes).sum(0) + pull * len(codes) * prior
        mixture = replace(mixture, log_weights=np.log(mass / mass.sum() + 1e-300))
    return mixture
