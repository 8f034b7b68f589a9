"""One pass of settling: expected counts of a union's components, and the tables that follow.

Without an edge p_tdk = (C_tdk + α p̂_tdk) / (C_td + α): the union's table p̂ is the Dirichlet prior
of the settled one. With edges p_t(k | v) = softmax_k(ℓ_tk + W_vk) and a pass raises
Σ_t,v,k C_t(v, k) log p_t(k | v) + α Σ_t,k p̂_tk log softmax_k(ℓ_t) − ½ λ Σ W²:
ℓ by proportional fitting, ℓ_tk += log (C_tk + α p̂_tk) / (E_tk + α softmax_k(ℓ_t)) with E what the
model expects, which is the formula above where W = 0; W by Newton steps. Neither lowers it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.quadrature.direct import TINY, Pairs
from clgp.typing import Codes, Float

PRECISION: Final = 2.0  # λ, of the Gaussian prior of W
ROUNDS: Final = 3  # of ℓ and W in turn, each pass
HALVINGS: Final = 6
BLOCK: Final = 2_000_000  # responsibilities held at once
LEAST: Final = -80.0  # log-probability below which single precision sees nothing


@dataclass(frozen=True)
class Expected:
    """C_t(v, k) on the axis of pairs, and the mass of each component."""

    counts: Float[np.ndarray, "T P"]
    mass: Float[np.ndarray, " T"]


def expected(
    mixture: Mixture, pairs: Pairs, codes: Codes, weights: Float[np.ndarray, " N"]
) -> Expected:
    """Rᵀ Z over blocks of rows, Z the one-hot entries (v, k)."""
    counts, mass = np.zeros((mixture.T, pairs.joint.L)), np.zeros(mixture.T)
    broken = pairs.broken(codes)
    for rows, R in _responsibilities(mixture, pairs, codes, broken):
        R *= weights[rows, None].astype(R.dtype)
        counts += R.T @ pairs.joint.one_hot(pairs.codes(codes[rows]), np.float32)
        mass += R.sum(0, dtype=float)
    return Expected(counts, mass)


def _responsibilities(
    mixture: Mixture, pairs: Pairs, codes: Codes, broken: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """R of blocks of rows: by one product where every seen cell has its parent seen."""
    size = max(1, BLOCK // mixture.T)
    log_q = pairs.fibre.log_softmax(_weights_of(mixture, pairs)).astype(np.float32).T
    log_q = np.ascontiguousarray(np.maximum(log_q, LEAST))
    log_w = mixture.log_weights.astype(np.float32)
    whole = np.flatnonzero(~broken)
    for first in range(0, len(whole), size):
        rows = whole[first : first + size]
        F = pairs.joint.one_hot(pairs.codes(codes[rows]), np.float32) @ log_q
        F += log_w
        F -= F.max(1, keepdims=True)
        np.maximum(F, LEAST, out=F)
        np.exp(F, out=F)
        F /= F.sum(1, keepdims=True)
        yield rows, F
    rest = np.flatnonzero(broken)
    for first in range(0, len(rest), size):
        rows = rest[first : first + size]
        yield rows, mixture.responsibilities(codes[rows])


def _weights_of(mixture: Mixture, pairs: Pairs) -> Float[np.ndarray, "T P"]:
    """ℓ_tk + W_vk."""
    return mixture.log_tables[:, pairs.child] + pairs.flat(mixture.edges)


def maximise(
    mixture: Mixture, prior: Mixture, pairs: Pairs, expect: Expected, *, alpha: float
) -> Mixture:
    """The tables and effects that the expected counts ask for."""
    pull = alpha * prior.levels.softmax(prior.log_tables)
    ell, W = mixture.log_tables, pairs.flat(mixture.edges)
    C = expect.counts
    n = pairs.fibre.sum(C)
    top = np.log(np.maximum(pairs.over_parent(C) + pull, TINY))
    for _ in range(ROUNDS if pairs.tied.any() else 1):
        E = pairs.fibre.spread(n) * pairs.fibre.softmax(ell[:, pairs.child] + W)
        model = pairs.over_parent(E) + alpha * prior.levels.softmax(ell)
        ell = prior.levels.log_softmax(ell + top - np.log(np.maximum(model, TINY)))
        if pairs.tied.any():
            W = newton(W, ell[:, pairs.child], C, n, pairs)
    return replace(mixture, log_tables=ell, forest=pairs.forest(W))


def newton(
    W: Float[np.ndarray, " P"],
    ell: Float[np.ndarray, "T P"],
    C: Float[np.ndarray, "T P"],
    n: Float[np.ndarray, "T F"],
    pairs: Pairs,
) -> Float[np.ndarray, " P"]:
    """One Newton step of each fibre of W, halved where it would lower the fibre's objective."""
    tied = np.flatnonzero(pairs.tied)
    fibres = np.unique(pairs.fibre.column[tied])
    some = Levels(tuple(pairs.fibre.card[fibres].tolist()))
    ell, C, n = ell[:, tied], C[:, tied], n[:, fibres]
    total = C.sum(0)

    def log_q(W: Float[np.ndarray, " P"]) -> Float[np.ndarray, "T P"]:
        return some.log_softmax(ell + W)

    def worth(
        W: Float[np.ndarray, " P"], log_q: Float[np.ndarray, "T P"]
    ) -> Float[np.ndarray, " F"]:
        return some.sum((C * log_q).sum(0) - PRECISION / 2 * W**2)

    old = W[tied]
    now = log_q(old)
    q = np.exp(now)
    slope = total - (some.spread(n) * q).sum(0) - PRECISION * old
    step = _solve(q, n, slope, some)
    before, length = worth(old, now), np.ones(some.D)
    for left in reversed(range(HALVINGS)):
        new = old + some.spread(length) * step
        fell = worth(new, log_q(new)) < before
        if not fell.any():
            break
        length = np.where(fell, length / 2 if left else 0, length)
    out = W.copy()
    out[tied] = old + some.spread(length) * step
    return out


def _solve(
    q: Float[np.ndarray, "T P"],
    n: Float[np.ndarray, "T F"],
    slope: Float[np.ndarray, " P"],
    fibres: Levels,
) -> Float[np.ndarray, " P"]:
    """(Σ_t n_t (diag q − q qᵀ) + λ I)⁻¹ slope, all fibres of one size at once."""
    step = np.zeros(len(slope))
    for K in np.unique(fibres.card):
        mine = np.flatnonzero(fibres.card == K)
        at = fibres.starts[mine][:, None] + np.arange(K)
        Q = q[:, at].transpose(1, 0, 2)
        nQ = n[:, mine].T[:, :, None] * Q
        H = -nQ.transpose(0, 2, 1) @ Q
        H[:, np.arange(K), np.arange(K)] += nQ.sum(1) + PRECISION
        step[at] = np.linalg.solve(H, slope[at][:, :, None])[:, :, 0]
    return step
