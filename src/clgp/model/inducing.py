"""Sparse GPs: inducing points Z, and q(u) of their outputs (equations 3, 4, 6, 8).

Everything is whitened: u = L_K v with L_K the factor of K_MM, so that v ~ N(0, I) a priori and
f(x) = αᵀ v + √b ε with α = L_K⁻¹ K_Mx. How q(u) is held is a choice of two: `Whitened` (mean and
factor of v) or `Plain` (of u, as the paper writes it). The bound is the same in either.
Used by `variational.columns` and `variational.bound`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, final

from clgp.linalg import JITTER, cholesky, triangular_inverse
from clgp.model.kernels import Kernel
from clgp.typing import Array, Float

FLOOR: Final = 1e-2 * JITTER


class Projection(NamedTuple):
    """What f at some points x owes to u."""

    alpha: Float[Array, "M S"]
    b: Float[Array, " S"]
    L_inv: Float[Array, "M M"]


def project(kernel: Kernel, Z: Float[Array, "M Q"], X: Float[Array, "S Q"]) -> Projection:
    """α = L_K⁻¹ K_Mx and b = k_xx − αᵀα (equation 4, whitened: a = L_K⁻ᵀ α)."""
    L_inv = triangular_inverse(cholesky(kernel.cross(Z, Z)))
    alpha = L_inv @ kernel.cross(Z, X)
    k = kernel.diagonal(X)
    # b can fall below zero by rounding when x sits on an inducing point; √b needs a gradient
    b = k.__array_namespace__().maximum(k - (alpha**2).sum(0), FLOOR * k + FLOOR**2)
    return Projection(alpha, b, L_inv)


@dataclass(frozen=True)
class Outputs:
    """q(v_k) = N(mean_k, S Sᵀ) of one column's whitened outputs, S shared over its K weights."""

    mean: Float[Array, "M K"]
    S: Float[Array, "M M"]


@dataclass(frozen=True)
class Coordinates(ABC):
    """In which coordinates the free numbers of q(u) are held."""

    @abstractmethod
    def white(
        self, mu: Float[Array, "M K"], L: Float[Array, "M M"], L_inv: Float[Array, "M M"]
    ) -> Outputs:
        """Mean and factor of v."""


@final
@dataclass(frozen=True)
class Whitened(Coordinates):
    """Those of v."""

    def white(
        self, mu: Float[Array, "M K"], L: Float[Array, "M M"], L_inv: Float[Array, "M M"]
    ) -> Outputs:
        return Outputs(mu, L)


@final
@dataclass(frozen=True)
class Plain(Coordinates):
    """Those of u, as in equation 6: v = L_K⁻¹ u."""

    def white(
        self, mu: Float[Array, "M K"], L: Float[Array, "M M"], L_inv: Float[Array, "M M"]
    ) -> Outputs:
        return Outputs(L_inv @ mu, L_inv @ L)


@dataclass(frozen=True)
class Posterior(ABC):
    """The form of q(u): its spread, and what the bound charges for it."""

    @abstractmethod
    def factor(self, L: Float[Array, "M M"]) -> Float[Array, "M M"]:
        """The covariance's factor from free numbers."""

    @abstractmethod
    def kl(self, q: Outputs) -> Float[Array, ""]:
        """One column's KL(q(v) ‖ N(0, I)), summed over its K weights, or what stands in for it."""


@final
@dataclass(frozen=True)
class GaussianPosterior(Posterior):
    """N(mu_k, L Lᵀ): KL = ½ Σ_k (|mean_k|² + tr S Sᵀ − M) − K log |S|."""

    def factor(self, L: Float[Array, "M M"]) -> Float[Array, "M M"]:
        return L.__array_namespace__().tril(L)

    def kl(self, q: Outputs) -> Float[Array, ""]:
        xp = q.S.__array_namespace__()
        M, K = q.mean.shape
        log_det = xp.log(xp.abs(xp.linalg.diagonal(q.S))).sum()
        return ((q.mean**2).sum() + K * ((q.S**2).sum() - M)) / 2 - K * log_det


@final
@dataclass(frozen=True)
class UnpenalisedPosterior(Posterior):
    """N(mu_k, L Lᵀ) free of charge: the paper's LGM, whose weights have no prior."""

    def factor(self, L: Float[Array, "M M"]) -> Float[Array, "M M"]:
        return L.__array_namespace__().tril(L)

    def kl(self, q: Outputs) -> Float[Array, ""]:
        return 0 * q.mean.sum()


@final
@dataclass(frozen=True)
class PointMass(Posterior):
    """One value of u, charged −log p(v) up to a constant: maximum a posteriori."""

    def factor(self, L: Float[Array, "M M"]) -> Float[Array, "M M"]:
        return 0 * L

    def kl(self, q: Outputs) -> Float[Array, ""]:
        return (q.mean**2).sum() / 2


COORDINATES: dict[str, Callable[[], Coordinates]] = {"whitened": Whitened, "plain": Plain}
POSTERIORS: dict[str, Callable[[], Posterior]] = {
    "gaussian": GaussianPosterior,
    "unpenalised": UnpenalisedPosterior,
    "point": PointMass,
}
"""The forms of q(u) by name."""
