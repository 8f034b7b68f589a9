"""Quasi-random points: the support of the latent space and the draws of f.

Sobol's sequence (Joe and Kuo's direction numbers), scrambled after Owen by hashing, through the
normal quantile. Written here because importing scipy takes longer than a small fit.
Used by `start` (support points) and `expect` (draws and Gauss–Hermite nodes).
"""

from typing import Final

import numpy as np

from clgp.typing import Float, UInt

# degree, polynomial and initial numbers of dimensions 2 to 21 (new-joe-kuo-6)
JOE_KUO: Final = """1 0 1;2 1 1 3;3 1 1 3 1;3 2 1 1 1;4 1 1 1 3 3;4 4 1 3 5 13;5 2 1 1 5 5 17;
5 4 1 1 5 5 5;5 7 1 1 7 11 19;5 11 1 1 5 1 1;5 13 1 1 1 3 11;5 14 1 3 5 5 31;6 1 1 3 3 9 7 49;
6 13 1 1 1 15 21 21;6 16 1 3 1 13 27 49;6 19 1 1 1 15 7 5;6 22 1 3 1 15 13 25;6 25 1 1 5 5 19 61;
7 1 1 3 7 11 23 15 103;7 4 1 3 7 13 13 15 69"""
BITS: Final = 32


# Acklam's rational functions of the normal quantile: middle, then tails; relative error 1e-9
MIDDLE: Final = (
    (-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.3577518672690,
     -30.66479806614716, 2.506628277459239),
    (-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972,
     -13.28068155288572, 1.0),
)  # fmt: skip
TAIL: Final = (
    (-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734,
     4.374664141464968, 2.938163982698783),
    (0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1.0),
)  # fmt: skip
TAILS_BEGIN: Final = 0.02425


def ndtri(u: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The normal quantile of 0 < u < 1."""
    half = np.minimum(u, 1 - u)
    far = np.sqrt(-2 * np.log(half))
    tail = np.polyval(TAIL[0], far) / np.polyval(TAIL[1], far)
    t = half - 0.5
    middle = t * np.polyval(MIDDLE[0], t * t) / np.polyval(MIDDLE[1], t * t)
    return np.where(half < TAILS_BEGIN, tail, middle) * np.where(u < 0.5, 1.0, -1.0)


def directions(numbers: str) -> UInt[np.ndarray, " bits"]:
    """Direction numbers of one dimension, as integers scaled by 2^32."""
    degree, polynomial, *m = (int(word) for word in numbers.split())
    for i in range(degree, BITS):
        new = m[i - degree] ^ (m[i - degree] << degree)
        for j in range(1, degree):
            if polynomial >> (degree - 1 - j) & 1:
                new ^= m[i - j] << j
        m.append(new)
    return np.array([m[i] << (BITS - 1 - i) for i in range(BITS)], np.uint64)


def sobol(S: int, Q: int) -> UInt[np.ndarray, "S Q"]:
    """The first S points of Sobol's sequence in Q ≤ 21 dimensions, scaled by 2^32."""
    tables = [1 << np.arange(BITS - 1, -1, -1, dtype=np.uint64)]
    tables += [directions(numbers) for numbers in JOE_KUO.split(";")[: Q - 1]]
    n = np.arange(S, dtype=np.uint64)
    n ^= n >> np.uint64(1)
    points = np.zeros((S, Q), np.uint64)
    for bit in range(int(S).bit_length()):
        on = (n >> np.uint64(bit) & np.uint64(1)).astype(bool)
        points[on] ^= np.array([table[bit] for table in tables], np.uint64)
    return points.astype(np.uint32)


def reverse(x: UInt[np.ndarray, "S Q"]) -> UInt[np.ndarray, "S Q"]:
    """The 32 bits of each number in reverse order."""
    for width, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        shift, keep = np.uint32(width), np.uint32(mask)
        x = (x >> shift & keep) | (x & keep) << shift
    return x >> np.uint32(16) | x << np.uint32(16)


def scramble(x: UInt[np.ndarray, "S Q"], key: np.random.Generator) -> UInt[np.ndarray, "S Q"]:
    """Owen's nested scrambling by a hash in which a bit depends on higher bits only."""
    seeds = key.integers(0, 2**32, size=(4, x.shape[1]), dtype=np.uint32)
    x = reverse(x) + seeds[0]
    for constant in (0x6C50B47C, 0xB82F1E52, 0xC7AFE638, 0x8D22F6E6):
        x = x ^ x * np.uint32(constant)
    for seed in seeds[1:]:
        x = x ^ x * (seed & np.uint32(0xFFFFFFFE))
    return reverse(x)


def normal_points(S: int, Q: int, key: np.random.Generator) -> Float[np.ndarray, "S Q"]:
    """S points in Q dimensions that stand for N(0, I).

    Above 21 dimensions blocks of 21 are scrambled apart and put together in random order.
    """
    limit = len(JOE_KUO.split(";")) + 1
    blocks = []
    for first in range(0, Q, limit):
        block = scramble(sobol(S, min(limit, Q - first)), key)
        blocks.append(block if first == 0 else key.permutation(block))
    return ndtri((np.concatenate(blocks, axis=1) + 0.5) / 2.0**BITS)


def draws(T: int, K: int, key: np.random.Generator) -> Float[np.ndarray, "T K"]:
    """T draws of K independent normal variables with mean exactly 0 and variance exactly 1."""
    eps = normal_points(T, K, key)
    eps = eps - eps.mean(0)
    return eps / np.sqrt((eps**2).mean(0))


def hermite(T: int) -> tuple[Float[np.ndarray, " T"], Float[np.ndarray, " T"]]:
    """Gauss–Hermite nodes and weights: Σ_t w_t h(x_t) is E h(x) under N(0, 1)."""
    x, w = np.polynomial.hermite_e.hermegauss(T)
    return x, w / w.sum()


def quantiles(M: int) -> Float[np.ndarray, " M"]:
    """M points at equal steps of the normal distribution function."""
    return ndtri((np.arange(M) + 0.5) / M)
