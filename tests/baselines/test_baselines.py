"""Laws of every baseline, over all of them, and known answers of each."""

from itertools import product

import numpy as np
import pytest

from clgp.baselines import (
    BASELINES,
    classes,
    fit_bigram,
    fit_lca,
    fit_multinomial,
    fit_tree,
    fit_unigram,
)
from clgp.levels import Levels
from clgp.mixture import Mixture

every = pytest.mark.parametrize("name", list(BASELINES))


def rows(N, cards, key, *, missing=0.15):
    """Rows in which each column mostly follows the one before it."""
    codes = np.empty((N, len(cards)), int)
    for d, K in enumerate(cards):
        new = key.integers(K, size=N)
        codes[:, d] = new if d == 0 else np.where(key.random(N) < 0.6, codes[:, d - 1] % K, new)
    return np.where(key.random(codes.shape) < missing, -1, codes)


def fitted(name, codes, cards, weights=None, seed=0):
    weights = np.ones(len(codes)) if weights is None else weights
    return BASELINES[name](codes, weights, Levels(cards), key=np.random.default_rng(seed))


def table_space(cards):
    return np.array(list(product(*(range(K) for K in cards))))


@every
def test_probabilities_of_all_rows_sum_to_one(name):
    cards = (2, 3, 2)
    m = fitted(name, rows(60, cards, np.random.default_rng(0)), cards)
    assert np.exp(m.log_prob(table_space(cards))).sum() == pytest.approx(1)


@every
def test_cells_sum_to_one_and_seen_cells_are_certain(name):
    cards = (2, 4, 3, 2)
    codes = rows(80, cards, np.random.default_rng(1), missing=0.4)
    m = fitted(name, codes, cards)
    P = m.probabilities(codes)
    np.testing.assert_allclose(m.levels.sum(P), 1, atol=1e-9)
    n, d = np.nonzero(codes >= 0)
    np.testing.assert_array_equal(P[n, m.levels.starts[d] + codes[n, d]], 1)


@every
def test_weights_of_two_are_doubled_rows_and_order_does_not_matter(name):
    cards = (3, 2, 3)
    key = np.random.default_rng(2)
    codes = rows(50, cards, key)
    a = fitted(name, codes, cards, np.full(50, 2.0))
    b = fitted(name, np.concatenate([codes, codes])[key.permutation(100)], cards)
    np.testing.assert_allclose(a.probabilities(codes), b.probabilities(codes), atol=1e-9)


@every
def test_the_same_key_gives_the_same_numbers(name):
    cards = (3, 2, 3)
    codes = rows(50, cards, np.random.default_rng(3))
    a, b = fitted(name, codes, cards, seed=7), fitted(name, codes, cards, seed=7)
    np.testing.assert_array_equal(a.log_prob(codes), b.log_prob(codes))


TINY = {
    "two rows": (np.array([[0, 1], [1, 2]]), (2, 3)),
    "one row": (np.array([[0, 1]]), (2, 3)),
    "one column": (np.array([[0], [1], [1], [0]]), (2,)),
    "all rows equal": (np.ones((30, 3), int), (2, 3, 2)),
    "an empty column": (np.array([[0, -1, 1], [1, -1, 0]] * 8), (2, 3, 2)),
    "no cell seen": (np.full((6, 2), -1), (2, 3)),
    "no row": (np.zeros((0, 2), int), (2, 3)),
    "a level never seen": (np.array([[0, 1], [1, 0], [0, 0]] * 5), (3, 3)),
    "a column of one level": (np.array([[0, 1], [0, 0], [0, 1]] * 5), (1, 2)),
}


@every
@pytest.mark.parametrize("kind", list(TINY))
def test_every_odd_table_gives_a_proper_model(name, kind):
    codes, cards = TINY[kind]
    m = fitted(name, codes, cards)
    space = table_space(cards)
    assert np.exp(m.log_prob(space)).sum() == pytest.approx(1)
    P = m.probabilities(np.full((1, len(cards)), -1))
    assert np.isfinite(P).all()
    if name not in ("multinomial",):
        assert np.isfinite(m.log_prob(space)).all()


@every
def test_survey_weights_are_taken(name):
    cards = (2, 2)
    codes = np.array([[0, 0], [1, 1]] * 40)
    m = fitted(name, codes, cards, np.tile([0.5, 4.5], 40))
    p = m.probabilities(np.array([[-1, -1]]))[0, 1]
    assert p == pytest.approx(0.5 if name == "uniform" else 0.9, abs=0.02)


def test_frequencies_by_hand():
    codes, w, levels = np.array([[0], [0], [1], [-1]]), np.ones(4), Levels((3,))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(
            fit_multinomial(codes, w, levels).log_prob(np.array([[0], [1], [2]])),
            np.log([2 / 3, 1 / 3, 0]),
        )
    np.testing.assert_allclose(
        np.exp(fit_unigram(codes, w, levels).log_prob(np.array([[0], [1], [2]]))),
        np.array([2.01, 1.01, 0.01]) / 3.03,
    )


def test_bigram_by_hand():
    codes = np.array([[0, 0, 1], [0, 1, -1], [1, 1, 1], [0, -1, 0]])
    m = fit_bigram(codes, np.ones(4), Levels((2, 2, 2)))
    # of column 0 = 0: column 1 seen with it as 0, 1; of column 2 = 1: column 1 as 0, 1
    np.testing.assert_allclose(m.probabilities(np.array([[0, -1, 1]]))[0, 2:4], [0.5, 0.5])
    # column 0 = 0 alone: column 2 was 1 once and 0 once; nothing seen: column 0 is 0 thrice of 4
    np.testing.assert_allclose(m.probabilities(np.array([[0, -1, -1]]))[0, 4:], [0.5, 0.5])
    np.testing.assert_allclose(m.probabilities(np.array([[-1, -1, -1]]))[0, :2], [4 / 6, 2 / 6])
    # chain rule in column order: p(0) p(1 | 0) (p(1 | 0) + p(1 | 1)) / 2
    given_0, given_1 = (1 + 1) / (2 + 2), (1 + 1) / (1 + 2)
    assert m.log_prob(np.array([[0, 1, 1]]))[0] == pytest.approx(
        np.log(4 / 6 * 2 / 4 * (given_0 + given_1) / 2)
    )


def test_bigram_draws_agree_with_its_joint():
    cards = (2, 3, 2)
    key = np.random.default_rng(4)
    m = fitted("bigram", rows(40, cards, key), cards)
    space = table_space(cards)
    p = np.exp(m.log_prob(space))
    draws = m.draw(np.full((40_000, 3), -1), key)
    share = np.array([(draws == y).all(1).mean() for y in space])
    assert np.abs(share - p).max() < 5 * np.sqrt(0.25 / 40_000)


def test_bigram_keeps_seen_cells_when_drawing():
    cards = (2, 3, 2)
    key = np.random.default_rng(5)
    codes = rows(40, cards, key, missing=0.5)
    full = fitted("bigram", codes, cards).draw(codes, key)
    assert (full >= 0).all()
    np.testing.assert_array_equal(full[codes >= 0], codes[codes >= 0])


def test_tree_finds_the_chain_and_its_conditionals():
    key = np.random.default_rng(6)
    cards = (3, 3, 3, 3)
    codes = rows(20_000, cards, key, missing=0.1)
    m = fit_tree(codes, np.ones(len(codes)), Levels(cards), key=key)
    pa = m.edges.parents
    assert {frozenset((d, int(p))) for d, p in enumerate(pa) if p >= 0} == {
        frozenset(e) for e in [(0, 1), (1, 2), (2, 3)]
    }
    P = m.probabilities(np.array([[-1, -1, 1, -1]]))[0]
    np.testing.assert_allclose(P[m.levels.at(3)], [0.4 / 3, 0.6 + 0.4 / 3, 0.4 / 3], atol=0.02)


def test_tree_without_dependence_has_hardly_an_edge():
    key = np.random.default_rng(7)
    codes = key.integers(3, size=(2_000, 6))
    m = fit_tree(codes, np.ones(2_000), Levels((3,) * 6), key=key)
    loss = m.log_prob(key.integers(3, size=(500, 6))).mean() / 6
    assert loss > -np.log(3) - 0.01


def test_lca_recovers_planted_classes():
    key = np.random.default_rng(8)
    cards = (3,) * 8
    theta = key.dirichlet(np.full(3, 0.3), size=(3, 8))
    z = key.integers(3, size=4_000)
    codes = (key.random((4_000, 8, 1)) > theta[z].cumsum(2)[:, :, :-1]).sum(2)
    train, test = codes[:3_000], codes[3_000:]
    levels = Levels(cards)
    truth = Mixture(levels, np.full(3, -np.log(3)), np.log(theta.reshape(3, -1)))
    m = fit_lca(train, np.ones(len(train)), levels, key=key)
    assert truth.log_prob(test).mean() - m.log_prob(test).mean() < 0.05


def test_em_never_lowers_its_objective(monkeypatch):
    cards = (2, 3, 4, 2)
    codes = rows(200, cards, np.random.default_rng(9))
    seen = []
    em_pass = classes.em_pass

    def kept(*arguments):
        state, objective = em_pass(*arguments)
        seen.append(objective)
        return state, objective

    monkeypatch.setattr("clgp.baselines.classes.em_pass", kept)
    classes.latent_classes(
        codes,
        np.ones(200),
        Levels(cards),
        settings=classes.Settings(4, passes=60),
        restarts=5,
        key=np.random.default_rng(0),
    )
    steps = np.diff(np.array(seen), axis=0)
    assert len(steps) > 5
    assert steps.min() > -1e-3  # single precision of some hundred rows


def test_blocks_give_one_answer(monkeypatch):
    cards = (2, 3, 4, 2)
    codes = rows(100, cards, np.random.default_rng(10), missing=0.3)
    whole = {name: fitted(name, codes, cards) for name in ("lca", "bigram", "tree")}
    monkeypatch.setattr("clgp.baselines.classes.BLOCK", 100)
    monkeypatch.setattr("clgp.baselines.classes.KEPT", 0)
    monkeypatch.setattr("clgp.pairs.BLOCK", 100)
    for name, m in whole.items():
        parts = fitted(name, codes, cards)
        np.testing.assert_allclose(
            parts.probabilities(codes), m.probabilities(codes), atol=1e-4, err_msg=name
        )
