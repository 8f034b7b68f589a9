"""Laws of settling: passes that never lower what they raise, and edges where they were planted."""

import numpy as np
import pytest

from clgp.baselines.classes import Settings, latent_classes
from clgp.forest import Forest
from clgp.heldback import hold_back
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.quadrature.direct import Pairs, beyond, find_edges, fit_margins
from clgp.quadrature.resettle import PRECISION, expected, maximise
from clgp.quadrature.settle import ALPHAS, settle, settle_once, settling
from tests import brute
from tests.quadrature.problems import classes

CARDS = (2, 3, 2, 4, 2)
EDGES = [(0, 1), (1, 3), (0, 4)]


def union(cards=CARDS, T=6, seed=0):
    key = np.random.default_rng(seed)
    levels = Levels(cards)
    return Mixture(levels, np.log(key.dirichlet(np.ones(T))), key.normal(size=(T, levels.L)))


def planted(strength, N, *, T=6, cards=CARDS, seed=0):
    """Rows of a union with one direct effect, from column 1 to column 3."""
    key = np.random.default_rng(seed)
    m = union(cards, T, seed=seed)
    W = strength * key.normal(size=(cards[1], cards[3]))
    tied = Mixture(m.levels, m.log_weights, m.log_tables, Forest.of(m.levels, [(1, 3, W)]))
    return m, W, tied.draw(np.full((N, len(cards)), -1), key)


def objective(m, prior, codes, weights, alpha):
    """Log-likelihood plus the logarithms of both priors, from their definition."""
    p, now = (prior.levels.softmax(x.log_tables) for x in (prior, m))
    W = np.concatenate([w.ravel() for w in m.edges.effects] + [np.zeros(0)])
    return (
        weights @ m.log_prob(codes) + alpha * (p * np.log(now)).sum() - PRECISION / 2 * (W**2).sum()
    )


@pytest.mark.parametrize("alpha", [0.5, 8.0])
@pytest.mark.parametrize("forest", [False, True])
def test_no_pass_lowers_its_objective(alpha, forest):
    prior, _, codes = planted(3.0, 300)
    weights = np.random.default_rng(1).uniform(0.5, 2, 300)
    edges = find_edges(prior, codes, weights) if forest else ()
    assert bool(edges) == forest
    steps = settling(prior, codes, weights, alpha=alpha, edges=edges)
    path = [objective(next(steps), prior, codes, weights, alpha) for _ in range(8)]
    assert path[0] > objective(prior, prior, codes, weights, alpha)
    assert np.diff(path).min() > -1e-4


def test_no_pass_lowers_its_objective_with_holes():
    prior, _, codes = planted(2.0, 300)
    codes = brute.holes(codes, 0.3, np.random.default_rng(2))
    steps = settling(prior, codes, np.ones(300), alpha=2.0)
    path = [objective(next(steps), prior, codes, np.ones(300), 2.0) for _ in range(8)]
    assert np.diff(path).min() > -1e-4


def test_one_pass_of_tables_is_the_formula():
    prior = union()
    key = np.random.default_rng(3)
    codes = brute.holes(prior.draw(np.full((60, 5), -1), key), 0.3, key)
    weights = key.uniform(0.5, 2, 60)
    new = settle_once(prior, codes, weights, alpha=3.0, passes=1, forest=False)
    R = prior.responsibilities(codes) * weights[:, None]
    C = R.T @ prior.levels.one_hot(codes)
    p = prior.levels.softmax(prior.log_tables)
    expected_tables = (C + 3 * p) / prior.levels.spread(prior.levels.sum(C) + 3)
    np.testing.assert_allclose(np.exp(new.log_tables), expected_tables, rtol=1e-4)
    assert new.T == prior.T
    assert new.forest is None
    np.testing.assert_array_equal(new.log_weights, prior.log_weights)


@pytest.mark.parametrize("forest", [False, True])
def test_a_strong_pull_leaves_the_tables(forest):
    prior, _, codes = planted(3.0, 200)
    new = settle_once(prior, codes, np.ones(200), alpha=1e9, passes=3, forest=forest)
    np.testing.assert_allclose(
        prior.levels.softmax(new.log_tables), prior.levels.softmax(prior.log_tables), atol=1e-5
    )


@pytest.mark.parametrize("strength", [1.5, 3.0])
def test_a_planted_effect_is_found_and_recovered(strength):
    prior, W, codes = planted(strength, 6_000)
    edges = find_edges(prior, codes, np.ones(6_000))
    edge = max(edges, key=lambda e: e.nats)
    assert {edge.parent, edge.child} == {1, 3}
    steps = settling(prior, codes, np.ones(6_000), alpha=1e4, edges=(edge,))
    new = [next(steps) for _ in range(6)][-1]
    (d,) = new.edges.edges
    found = new.edges.effects[d]
    found = found if found.shape == W.shape else found.T

    def interaction(W):  # what no change of the tables can take up
        return W - W.mean(0) - W.mean(1)[:, None] + W.mean()

    np.testing.assert_allclose(interaction(found), interaction(W), atol=0.12 * strength + 0.2)


def test_rows_of_the_union_itself_show_hardly_an_edge():
    found = 0
    for seed in range(10):
        m = union(seed=seed)
        codes = m.draw(np.full((500, 5), -1), np.random.default_rng(seed))
        found += len(find_edges(m, codes, np.ones(500), price=3.0))
    assert found <= 2  # of a hundred pairs


def test_margins_are_matched_and_only_they():
    m, _, codes = planted(2.0, 400)
    levels = m.levels
    from clgp.pairs import pair_counts

    N = pair_counts(codes, np.ones(400), levels)
    prior = np.exp(np.random.default_rng(0).normal(size=N.shape))
    prior = prior + prior.T
    M = fit_margins(prior, N, levels)
    i, j = levels.at(1), levels.at(3)
    np.testing.assert_allclose(M[i, j].sum(0), N[i, j].sum(0), rtol=1e-6)
    np.testing.assert_allclose(M[i, j].sum(1), N[i, j].sum(1), rtol=1e-6)
    ratio = np.log(M[i, j] / prior[i, j])
    odds = ratio[1:, 1:] - ratio[1:, :1] - ratio[:1, 1:] + ratio[0, 0]
    np.testing.assert_allclose(odds, 0, atol=1e-9)
    shared, n = beyond(m, codes, np.ones(400))
    assert (shared > -1e-6).all()
    np.testing.assert_allclose(n, 400)


def test_the_axis_of_pairs_agrees_with_loops():
    levels = Levels(CARDS)
    parents = np.array([-1, 0, -1, 1, 0])
    key = np.random.default_rng(0)
    effects = [(int(p), d, key.normal(size=(CARDS[p], CARDS[d]))) for p, d in EDGES]
    forest = Forest.of(levels, effects)
    pairs = Pairs(levels, parents)
    W = pairs.flat(forest)
    for a, b in zip(pairs.forest(W).effects, forest.effects, strict=True):
        np.testing.assert_array_equal(a, b)
    X = key.normal(size=(3, pairs.joint.L))
    summed = pairs.over_parent(X)
    for d in range(levels.D):
        by_hand = X[:, pairs.joint.at(d)].reshape(3, -1, CARDS[d]).sum(1)
        np.testing.assert_allclose(summed[:, levels.at(d)], by_hand)
    codes = brute.holes(np.stack([key.integers(K, size=50) for K in CARDS], 1), 0.3, key)
    entries = pairs.codes(codes)
    for n, y in enumerate(codes):
        for d, p in enumerate(parents):
            v = 0 if p < 0 else y[p]
            assert entries[n, d] == (v * CARDS[d] + y[d] if v >= 0 and y[d] >= 0 else -1)


def test_expected_counts_with_holes_are_those_of_the_mixture():
    key = np.random.default_rng(5)
    m = brute.mixture((2, 3, 2, 3), 4, "some", key)
    codes = brute.holes(np.stack([key.integers(K, size=80) for K in m.levels.cards], 1), 0.3, key)
    pairs = Pairs(m.levels, m.edges.parents)
    found = expected(m, pairs, codes, np.ones(80))
    R = m.responsibilities(codes)
    np.testing.assert_allclose(found.mass, R.sum(0), rtol=1e-4)
    np.testing.assert_allclose(
        found.counts, R.T @ pairs.joint.one_hot(pairs.codes(codes)), atol=1e-3
    )


def test_blocks_give_one_answer(monkeypatch):
    prior, _, codes = planted(2.0, 200)
    codes = brute.holes(codes, 0.2, np.random.default_rng(0))
    whole = settle_once(prior, codes, np.ones(200), alpha=2.0, passes=2, forest=True)
    monkeypatch.setattr("clgp.quadrature.resettle.BLOCK", 30)
    parts = settle_once(prior, codes, np.ones(200), alpha=2.0, passes=2, forest=True)
    np.testing.assert_allclose(whole.log_tables, parts.log_tables, atol=1e-4)


def test_weights_of_two_are_doubled_rows():
    prior, _, codes = planted(2.0, 100)
    a = settle_once(prior, codes, np.full(100, 2.0), alpha=2.0, passes=2, forest=True)
    twice = np.concatenate([codes, codes])
    b = settle_once(prior, twice, np.ones(200), alpha=2.0, passes=2, forest=True)
    np.testing.assert_allclose(a.log_tables, b.log_tables, atol=1e-9)


def test_the_choice_is_never_worse_on_its_own_cells_and_finds_the_effect():
    prior, _, codes = planted(3.0, 1_000, T=2)
    rest, held = hold_back(codes, np.ones(1_000), prior.levels, key=np.random.default_rng(0))
    settled = settle(prior, codes, rest, held=held)
    assert settled.choice.forest
    assert settled.gain > 0.01
    assert frozenset((1, 3)) in {frozenset((e.parent, e.child)) for e in settled.edges}
    after = held.losses(settled.mixture)
    assert held.gain(held.losses(prior), after)[0] == pytest.approx(settled.gain)


def test_the_true_union_stays_as_it_is():
    kept = 0
    for seed in range(3):
        m = union(seed=seed)
        codes = m.draw(np.full((300, 5), -1), np.random.default_rng(seed))
        rest, held = hold_back(codes, np.ones(300), m.levels, key=np.random.default_rng(seed))
        settled = settle(m, codes, rest, held=held)
        kept += settled.choice.passes == 0
        assert settled.choice.alpha in (*ALPHAS, np.inf)
    assert kept >= 2


ODD = {
    "one row": np.array([[0, 1, 1]]),
    "no cell seen": np.full((3, 3), -1),
    "an empty column": np.array([[0, -1, 1], [1, -1, 0]] * 5),
    "all rows equal": np.ones((20, 3), int),
}


@pytest.mark.parametrize("kind", list(ODD))
@pytest.mark.parametrize("forest", [False, True])
def test_odd_tables_give_a_proper_mixture(kind, forest):
    m = union((2, 3, 2), 3)
    new = settle_once(m, ODD[kind], np.ones(len(ODD[kind])), alpha=2.0, passes=3, forest=forest)
    rows = brute.enumerate_rows(m)[0]
    assert np.exp(new.log_prob(rows)).sum() == pytest.approx(1)


def test_settling_helps_latent_classes_that_are_too_few():
    key = np.random.default_rng(0)
    cards = (2,) * 8
    codes = classes(2_000, cards, key, n_classes=6, missing=0.1)
    levels = Levels(cards)
    few = latent_classes(
        codes[:1_500], np.ones(1_500), levels, settings=Settings(2), restarts=4, key=key
    )
    new = settle_once(few, codes[:1_500], np.ones(1_500), alpha=2.0, passes=10, forest=True)
    test = codes[1_500:]
    assert new.log_prob(test).mean() > few.log_prob(test).mean() + 0.01


def test_maximise_alone_takes_counts_to_their_shares():
    m = union((2, 3), 2)
    pairs = Pairs(m.levels, np.array([-1, -1]))
    key = np.random.default_rng(0)
    codes = np.stack([key.integers(2, size=50), key.integers(3, size=50)], 1)
    expect = expected(m, pairs, codes, np.ones(50))
    new = maximise(m, m, pairs, expect, alpha=1e-9)
    total = pairs.joint.spread(pairs.joint.sum(expect.counts))
    np.testing.assert_allclose(np.exp(new.log_tables), expect.counts / total, rtol=1e-4)
