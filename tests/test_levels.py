"""Laws of the flat axis of levels, on random sizes of columns, in NumPy and JAX."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clgp import levels as module
from clgp.levels import Levels

cards = st.lists(st.integers(2, 40), min_size=1, max_size=12).map(tuple)
seeds = st.integers(0, 2**32 - 1)


def by_column(levels, X, f):
    return np.stack([f(X[..., levels.at(d)], -1) for d in range(levels.D)], -1)


@given(cards=cards, seed=seeds, wide=st.booleans())
@settings(max_examples=60, deadline=None)
def test_sums_and_maxima_are_those_of_each_column(cards, seed, wide):
    levels = Levels(cards)
    X = np.random.default_rng(seed).normal(size=(3, 2, levels.L))
    narrow, module.NARROW = module.NARROW, -1 if wide else 10**9  # both ways to sum
    try:
        np.testing.assert_allclose(levels.sum(X), by_column(levels, X, np.sum), atol=1e-12)
    finally:
        module.NARROW = narrow
    np.testing.assert_array_equal(levels.max(X), by_column(levels, X, np.max))


@given(cards=cards, seed=seeds)
@settings(max_examples=40, deadline=None)
def test_softmax_sums_to_one_and_ignores_a_constant_a_column(cards, seed):
    levels = Levels(cards)
    key = np.random.default_rng(seed)
    F = 30 * key.normal(size=(4, levels.L))
    P = levels.softmax(F)
    np.testing.assert_allclose(by_column(levels, P, np.sum), 1, atol=1e-12)
    shifted = F + levels.spread(100 * key.normal(size=(4, levels.D)))
    np.testing.assert_allclose(levels.softmax(shifted), P, atol=1e-10)
    np.testing.assert_allclose(np.exp(levels.log_softmax(F)), P, atol=1e-12)


@given(cards=cards, seed=seeds)
@settings(max_examples=40, deadline=None)
def test_one_hot_holds_each_seen_cell_once(cards, seed):
    levels = Levels(cards)
    key = np.random.default_rng(seed)
    codes = np.stack([key.integers(-1, K, size=20) for K in cards], 1)
    Y = levels.one_hot(codes)
    for d in range(levels.D):
        block = Y[:, levels.at(d)]
        np.testing.assert_array_equal(block.sum(1), codes[:, d] >= 0)
        seen = codes[:, d] >= 0
        np.testing.assert_array_equal(block[seen].argmax(1), codes[seen, d])
    w = key.random(20)
    np.testing.assert_allclose(levels.counts(codes, w), w @ Y)


def test_jax_gives_the_same_numbers():
    jnp = pytest.importorskip("jax.numpy")
    levels = Levels((3, 2, 3, 7, 2))
    F = np.random.default_rng(0).normal(size=(4, levels.L)).astype(np.float32)
    for f in (levels.sum, levels.max, levels.softmax, levels.log_softmax):
        np.testing.assert_allclose(f(jnp.asarray(F)), f(F), rtol=1e-5, atol=1e-6)
