"""Scores against figures worked out by hand, and against what a true model must score."""

import math

import numpy as np
import pytest

from clgp.evaluate import Scores, evaluate, summarise
from clgp.mixture import Mixture
from clgp.tables import InputError
from tests import brute


def test_units_agree_and_the_uniform_model_scores_the_logarithm_of_the_levels():
    key = np.random.default_rng(0)
    m = brute.mixture((4, 4, 4), 2, "none", key)
    flat = Mixture(m.levels, np.zeros(1), np.zeros((1, 12)))
    codes = key.integers(4, size=(50, 3))
    s = evaluate(flat, codes, share="one", key=key)
    assert s.cells == s.rows == 50
    assert s.nats.value == pytest.approx(math.log(4))
    assert s.bits.value == pytest.approx(2)
    assert s.perplexity.value == pytest.approx(4)


def test_a_true_model_is_calibrated_and_scores_its_conditional_entropy():
    key = np.random.default_rng(1)
    m = brute.mixture((2, 3, 2), 3, "some", key)
    rows, p = brute.enumerate_rows(m)
    codes = m.draw(np.full((20_000, 3), -1), key)
    s = evaluate(m, codes, share="one", key=key)
    Y = m.levels.one_hot(rows)
    entropy = 0.0
    for d in range(3):
        for y, py in zip(rows, p, strict=True):
            rest = np.where(np.arange(3) == d, -1, y)
            match = brute.agrees(rows, rest)
            P = p[match] @ Y[match] / p[match].sum()
            entropy -= py * math.log(P[m.levels.starts[d] + y[d]]) / 3
    assert abs(s.nats.value - entropy) < 5 * s.nats.se
    assert s.nats.se == pytest.approx(0.005, rel=0.5)
    assert s.ece.value < 0.02


def test_scores_by_hand():
    loss = np.log([2.0, 4.0, 4.0])
    s = summarise(loss, np.array([0.9, 0.9, 0.2]), np.array([True, False, True]), np.arange(3))
    assert s.nats.value == pytest.approx(math.log(32) / 3)
    assert s.accuracy.value == pytest.approx(2 / 3)
    assert s.ece.value == pytest.approx((abs(1 - 1.8) + 0.8) / 3)
    assert [(b.cells, b.right) for b in s.reliability] == [(1, 1.0), (2, 0.5)]
    assert s.nats.se == pytest.approx(np.std(loss, ddof=1) / math.sqrt(3))
    assert Scores.from_json(s.to_json()).to_json() == s.to_json()


def test_an_impossible_level_costs_infinitely_much():
    s = summarise(np.array([np.inf, 1.0]), np.ones(2), np.array([False, True]), np.arange(2))
    assert s.nats.value == s.perplexity.value == math.inf


def test_nothing_to_hide_is_said():
    m = brute.mixture((2, 2), 1, "none", np.random.default_rng(0))
    with pytest.raises(InputError, match="no observed cell"):
        evaluate(m, np.full((3, 2), -1), key=np.random.default_rng(0))
