"""Standard normal draws, and functions drawn with them (equations 7–9).

A scheme owes two things: the draws of x, and the functions f of one column at those x given its
projection and q(u). `JointDraws` is the paper's; the others are the same bound with less noise.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, final

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from clgp.model.inducing import Outputs, Projection
from clgp.typing import Array, Float
from clgp.variational.backend import jax, jnp

SKIP: Final = 16  # Sobol dimensions kept for x, so that f takes others


@dataclass(frozen=True)
class Draws(ABC):
    """T Monte Carlo draws, made of noise that comes from outside the compiled functions.

    There the compiler would make it again at each use, and take most of its time over it.
    """

    T: int

    @abstractmethod
    def noise(
        self, shape: tuple[int, ...], key: np.random.Generator
    ) -> Float[np.ndarray, "*shape"]:
        """The noise that the other methods take."""

    @abstractmethod
    def input_size(self, B: int, Q: int) -> int:
        """How much of it B rows' inputs take."""

    @abstractmethod
    def function_size(self, B: int, K: int, M: int) -> int:
        """How much of it a column of K functions takes."""

    @abstractmethod
    def inputs(self, B: int, Q: int, noise: Float[Array, " n"]) -> Float[Array, "T B Q"]:
        """ε^(x) of B rows."""

    @abstractmethod
    def functions(
        self, at: Projection, q: Outputs, noise: Float[Array, " n"]
    ) -> Float[Array, "K T B"]:
        """F of one column's K functions at T × B points."""


def marginal(at: Projection, q: Outputs) -> tuple[Float[Array, "K S"], Float[Array, " S"]]:
    """Mean and variance of f(x) under q(u): αᵀ mean and b + |Sᵀ α|²."""
    return q.mean.T @ at.alpha, at.b + ((q.S.T @ at.alpha) ** 2).sum(0)


@final
@dataclass(frozen=True)
class JointDraws(Draws):
    """The paper's: u = mu + L ε^(u), then f = aᵀu + √b ε^(f); one u a draw, for all rows."""

    def noise(
        self, shape: tuple[int, ...], key: np.random.Generator
    ) -> Float[np.ndarray, "*shape"]:
        return key.standard_normal(shape, np.float32)

    def input_size(self, B: int, Q: int) -> int:
        return self.T * B * Q

    def function_size(self, B: int, K: int, M: int) -> int:
        return self.T * K * (M + B)

    def inputs(self, B: int, Q: int, noise: Float[Array, " n"]) -> Float[Array, "T B Q"]:
        return noise.reshape(self.T, B, Q)

    def functions(
        self, at: Projection, q: Outputs, noise: Float[Array, " n"]
    ) -> Float[Array, "K T B"]:
        M, K = q.mean.shape
        of_u, of_f = noise[: self.T * K * M], noise[self.T * K * M :]
        v = q.mean.T + of_u.reshape(self.T, K, M) @ q.S.T
        f = jnp.einsum("tkm,mtb->ktb", v, at.alpha.reshape(M, self.T, -1))
        return f + jnp.sqrt(at.b).reshape(self.T, -1) * of_f.reshape(f.shape)


@final
@dataclass(frozen=True)
class MarginalDraws(Draws):
    """u integrated out: f ~ N(αᵀ mean, b + |Sᵀ α|²), a fresh draw for every cell."""

    def noise(
        self, shape: tuple[int, ...], key: np.random.Generator
    ) -> Float[np.ndarray, "*shape"]:
        return key.standard_normal(shape, np.float32)

    def input_size(self, B: int, Q: int) -> int:
        return self.T * B * Q

    def function_size(self, B: int, K: int, M: int) -> int:
        return self.T * K * B

    def inputs(self, B: int, Q: int, noise: Float[Array, " n"]) -> Float[Array, "T B Q"]:
        return noise.reshape(self.T, B, Q)

    def functions(
        self, at: Projection, q: Outputs, noise: Float[Array, " n"]
    ) -> Float[Array, "K T B"]:
        mean, variance = marginal(at, q)
        f = mean.reshape(len(mean), self.T, -1)
        return f + jnp.sqrt(variance).reshape(f.shape[1:]) * noise.reshape(f.shape)


@final
@dataclass(frozen=True)
class QuasiDraws(Draws):
    """Marginal draws at quasi-random points: Sobol over x and f together, shifted a cell at random.

    The shift (modulo one, before the normal quantile) keeps every draw normal and unbiased.
    """

    def noise(
        self, shape: tuple[int, ...], key: np.random.Generator
    ) -> Float[np.ndarray, "*shape"]:
        return key.random(shape, np.float32)

    def input_size(self, B: int, Q: int) -> int:
        return B * Q

    def function_size(self, B: int, K: int, M: int) -> int:
        return K * B

    def inputs(self, B: int, Q: int, noise: Float[Array, " n"]) -> Float[Array, "T B Q"]:
        return shifted(sobol(self.T, SKIP)[:, None, :Q], noise.reshape(B, Q))

    def functions(
        self, at: Projection, q: Outputs, noise: Float[Array, " n"]
    ) -> Float[Array, "K T B"]:
        mean, variance = marginal(at, q)
        f = mean.reshape(len(mean), self.T, -1)
        points = sobol(self.T, SKIP + len(f))[:, SKIP:].T[:, :, None]
        eps = shifted(points, noise.reshape(len(f), 1, -1))
        return f + jnp.sqrt(variance).reshape(f.shape[1:]) * eps


def shifted(points: Float[Array, "*p"], shift: Float[Array, "*s"]) -> Float[Array, "*e"]:
    """Points of the unit cube moved by a shift that wraps around, as standard normal numbers."""
    moved = jnp.clip(jnp.mod(points + shift, 1.0), 1e-6, 1 - 1e-6)
    return jax.scipy.special.ndtri(moved)


@lru_cache
def sobol(T: int, dimensions: int) -> Float[np.ndarray, "T _"]:
    """The first T Sobol points, centred in their cells; T is a power of two for balance."""
    points = qmc.Sobol(dimensions, scramble=False).random(T)
    return (points + 0.5 / T).astype(np.float32)


def normal_points(S: int, Q: int, key: np.random.Generator) -> Float[np.ndarray, "S Q"]:
    """S quasi-random points of N(0, I): scrambled Sobol through the normal quantile."""
    power = int(np.ceil(np.log2(S)))
    return ndtri(qmc.Sobol(Q, rng=key).random_base2(power)[:S]).astype(np.float32)
