"""Laws of the mixture with a forest, against brute force on small ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clgp.forest import Forest
from clgp.levels import Levels
from clgp.mixture import Mixture
from tests import brute

KINDS = ["none", "some", "chain", "star"]
cases = given(
    kind=st.sampled_from(KINDS),
    cards=st.lists(st.integers(2, 4), min_size=1, max_size=5).map(tuple),
    T=st.integers(1, 4),
    share=st.sampled_from([0.0, 0.3, 0.6, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
few = settings(max_examples=60, deadline=None)


def problem(kind, cards, T, share, seed):
    key = np.random.default_rng(seed)
    m = brute.mixture(cards, T, kind, key)
    rows, p = brute.enumerate_rows(m)
    codes = brute.holes(rows[key.integers(len(rows), size=12)], share, key)
    return m, rows, p, codes, key


@cases
@few
def test_probability_of_a_row_is_the_sum_over_its_completions(kind, cards, T, share, seed):
    m, rows, p, codes, _ = problem(kind, cards, T, share, seed)
    assert p.sum() == pytest.approx(1)
    expected = [np.log(p[brute.agrees(rows, y)].sum()) for y in codes]
    np.testing.assert_allclose(m.log_prob(codes), expected, rtol=1e-10, atol=1e-10)


@cases
@few
def test_cell_probabilities_are_joint_over_marginal(kind, cards, T, share, seed):
    m, rows, p, codes, _ = problem(kind, cards, T, share, seed)
    P = m.probabilities(codes)
    np.testing.assert_allclose(m.levels.sum(P), 1, atol=1e-10)
    Y = m.levels.one_hot(rows)
    for n, y in enumerate(codes):
        match = brute.agrees(rows, y)
        np.testing.assert_allclose(P[n], p[match] @ Y[match] / p[match].sum(), atol=1e-10)


@cases
@few
def test_chain_rule(kind, cards, T, share, seed):
    m, rows, _, codes, key = problem(kind, cards, T, share, seed)
    full = m.draw(codes, key)
    total = m.log_prob(codes)
    partial = codes.copy()
    for d in range(m.levels.D):
        missing = np.flatnonzero(partial[:, d] < 0)
        P = m.probabilities(partial)[missing]
        total[missing] += np.log(P[np.arange(len(missing)), m.levels.starts[d] + full[missing, d]])
        partial[missing, d] = full[missing, d]
    np.testing.assert_allclose(m.log_prob(full), total, atol=1e-9)


@cases
@few
def test_a_row_alone_or_in_any_batch_is_answered_alike(kind, cards, T, share, seed):
    m, _, _, codes, key = problem(kind, cards, T, share, seed)
    order = key.permutation(len(codes))
    P, lp = m.probabilities(codes), m.log_prob(codes)
    np.testing.assert_allclose(m.probabilities(codes[order]), P[order], rtol=1e-12, atol=1e-15)
    for n, y in enumerate(codes):
        np.testing.assert_allclose(m.probabilities(y[None])[0], P[n], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(m.log_prob(y[None])[0], lp[n], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_agree_with_the_joint_probabilities(kind):
    key = np.random.default_rng(5)
    m = brute.mixture((2, 3, 2, 2), 3, kind, key)
    rows, p = brute.enumerate_rows(m)
    for y in (rows[0] * 0 - 1, np.where([True, False, False, True], -1, rows[7])):
        draws = m.draw(np.tile(y, (40_000, 1)), key)
        match = brute.agrees(rows, y)
        expected = p * match / p[match].sum()
        seen = np.array([(draws == r).all(1).mean() for r in rows])
        assert seen.sum() == pytest.approx(1)
        spread = np.sqrt(expected * (1 - expected) / len(draws))
        assert np.all(np.abs(seen - expected) <= 5 * spread + 1e-12)


@cases
@few
def test_a_forest_without_effect_answers_as_no_forest(kind, cards, T, share, seed):
    m, _, _, codes, _ = problem(kind, cards, T, share, seed)
    still = Forest(m.edges.parents, tuple(0 * W for W in m.edges.effects))
    a = Mixture(m.levels, m.log_weights, m.log_tables, still)
    b = Mixture(m.levels, m.log_weights, m.log_tables)
    np.testing.assert_allclose(a.probabilities(codes), b.probabilities(codes), atol=1e-12)
    np.testing.assert_allclose(a.log_prob(codes), b.log_prob(codes), atol=1e-12)


@pytest.mark.parametrize("kind", ["none", "chain", "star"])
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_two_hundred_columns_do_not_underflow(kind, share):
    key = np.random.default_rng(0)
    m = brute.mixture((3,) * 200, 40, kind, key, strength=4)
    codes = brute.holes(key.integers(3, size=(20, 200)), share, key)
    lp, P = m.log_prob(codes), m.probabilities(codes)
    assert np.isfinite(lp).all()
    assert np.isfinite(P).all()
    np.testing.assert_allclose(m.levels.sum(P), 1, atol=1e-9)
    hub = int(np.argmax([len(c) for c in m.edges.children]))
    codes[:, hub] = -1  # the sum over one cell by hand, from rows without that hole
    each = np.stack([m.log_prob(np.where(np.arange(200) == hub, k, codes)) for k in range(3)], 1)
    total = np.logaddexp.reduce(each, axis=1)
    np.testing.assert_allclose(m.log_prob(codes), total, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        m.probabilities(codes)[:, m.levels.at(hub)], np.exp(each - total[:, None]), atol=1e-9
    )


def test_an_impossible_row_has_log_probability_minus_infinity():
    levels = Levels((2, 2))
    with np.errstate(divide="ignore"):
        tables = np.log(np.array([[1.0, 0.0, 0.5, 0.5]]))
    m = Mixture(levels, np.zeros(1), tables)
    np.testing.assert_array_equal(
        m.log_prob(np.array([[1, 0], [0, -1], [-1, -1]])), [-np.inf, 0, 0]
    )
    np.testing.assert_allclose(m.probabilities(np.array([[-1, 0]])), [[1, 0, 1, 0]])


def test_pruning_changes_no_probability_by_more_than_it_states():
    key = np.random.default_rng(2)
    m = brute.mixture((2, 3, 2), 30, "some", key)
    m = Mixture(m.levels, np.log(key.dirichlet(np.full(30, 0.05)) + 1e-300), m.log_tables, m.forest)
    rows, p = brute.enumerate_rows(m)
    small, lost = m.pruned(1e-3)
    assert small.T < m.T
    assert 0 < lost <= 1e-3
    q = np.exp(small.log_prob(rows))
    assert q.sum() == pytest.approx(1)
    assert np.abs(q - p).sum() / 2 <= lost


def test_blocks_give_one_answer(monkeypatch):
    key = np.random.default_rng(3)
    m = brute.mixture((2, 3, 4, 2), 5, "some", key)
    codes = brute.holes(key.integers(2, size=(50, 4)), 0.4, key)
    P = m.probabilities(codes)
    monkeypatch.setattr("clgp.mixture.BLOCK", 40)
    np.testing.assert_allclose(m.probabilities(codes), P, rtol=1e-12, atol=1e-15)
    assert m.probabilities(codes[:0]).shape == (0, 11)


def test_a_circle_is_no_forest():
    with pytest.raises(ValueError, match="circle"):
        Forest(np.array([1, 0]), (np.zeros((2, 2)), np.zeros((2, 2))))
