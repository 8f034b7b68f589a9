"""The paper's models without any dependence: p(y) = Π_d p(y_d), a Mixture of one component."""

from typing import Final

import numpy as np

from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.typing import Codes, Float

ALPHA: Final = 0.01  # the paper's prior count a level of the Dirichlet-multinomial


def independent(levels: Levels, p: Float[np.ndarray, " L"]) -> Mixture:
    """One component with level probabilities p."""
    with np.errstate(divide="ignore"):
        return Mixture(levels, np.zeros(1), np.log(p)[None])


def shares(
    codes: Codes, weights: Float[np.ndarray, " N"], levels: Levels, *, alpha: float
) -> Float[np.ndarray, " L"]:
    """(n_dk + α) / (n_d + α K_d); equal shares in a column without any count."""
    n = levels.counts(codes, weights) + alpha
    total = levels.spread(levels.sum(n))
    return np.where(total > 0, n / np.where(total > 0, total, 1), 1 / levels.spread(levels.card))


def fit_uniform(
    codes: Codes,  # noqa: ARG001
    weights: Float[np.ndarray, " N"],  # noqa: ARG001
    levels: Levels,
    *,
    key: np.random.Generator | None = None,  # noqa: ARG001
) -> Mixture:
    """Every level of a column alike: p = 1 / K_d."""
    return independent(levels, 1 / levels.spread(levels.card))


def fit_multinomial(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    key: np.random.Generator | None = None,  # noqa: ARG001
) -> Mixture:
    """The frequencies as they are: p = n_dk / n_d, so an unseen level is impossible."""
    return independent(levels, shares(codes, weights, levels, alpha=0.0))


def fit_unigram(
    codes: Codes,
    weights: Float[np.ndarray, " N"],
    levels: Levels,
    *,
    alpha: float = ALPHA,
    key: np.random.Generator | None = None,  # noqa: ARG001
) -> Mixture:
    """Dirichlet-multinomial: the posterior predictive (n_dk + α) / (n_d + α K_d)."""
    return independent(levels, shares(codes, weights, levels, alpha=alpha))
