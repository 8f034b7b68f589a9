"""Filling, drawing and blaming, against tables written out."""

import numpy as np

from clgp.ask.complete import complete, impute
from clgp.ask.score import most_unusual, surprise
from tests import brute


def test_complete_fills_with_the_most_probable_level_and_leaves_the_doubtful():
    key = np.random.default_rng(0)
    m = brute.mixture((2, 3, 4), 3, "some", key)
    rows, p = brute.enumerate_rows(m)
    codes = brute.holes(rows, 0.5, key)
    full, sure = complete(m, codes), complete(m, codes, min_prob=0.7)
    Y = m.levels.one_hot(rows)
    for n, y in enumerate(codes):
        match = brute.agrees(rows, y)
        P = p[match] @ Y[match] / p[match].sum()
        for d in range(3):
            block = P[m.levels.at(d)]
            if y[d] >= 0:
                assert full[n, d] == sure[n, d] == y[d]
            else:
                assert full[n, d] == block.argmax()
                assert sure[n, d] == (block.argmax() if block.max() >= 0.7 else -1)


def test_imputations_keep_what_is_seen_and_repeat_with_the_key():
    key = np.random.default_rng(1)
    m = brute.mixture((2, 3, 4), 3, "star", key)
    codes = brute.holes(brute.enumerate_rows(m)[0], 0.5, key)
    a = impute(m, codes, m=3, key=np.random.default_rng(7))
    b = impute(m, codes, m=3, key=np.random.default_rng(7))
    np.testing.assert_array_equal(a, b)
    assert (a >= 0).all()
    for one in a:
        np.testing.assert_array_equal(np.where(codes >= 0, one, -1), codes)
    assert (a[0] != a[1]).any()


def test_surprise_is_the_conditional_of_each_seen_cell():
    key = np.random.default_rng(2)
    m = brute.mixture((2, 3, 4), 3, "chain", key)
    rows, p = brute.enumerate_rows(m)
    y = np.array([1, -1, 2])
    nats = surprise(m, y)
    assert nats[1] == 0
    both = p[brute.agrees(rows, y)].sum()
    for d in (0, 2):
        rest = y.copy()
        rest[d] = -1
        np.testing.assert_allclose(nats[d], -np.log(both / p[brute.agrees(rows, rest)].sum()))


def test_the_least_probable_row_is_the_most_unusual():
    key = np.random.default_rng(3)
    m = brute.mixture((2, 3, 4), 3, "none", key)
    rows, p = brute.enumerate_rows(m)
    assert most_unusual(m, rows, top=1)[0] == p.argmin()
