"""What one column tells about another, against the definition on tables written out."""

import numpy as np
import pytest

from clgp.ask.information import information_about, mutual_information, rank_next
from tests import brute


def by_definition(m, case, i, j):
    """Σ p(y_i, y_j) log p(y_i, y_j) / p(y_i) p(y_j) over all rows that agree with the case."""
    rows, p = brute.enumerate_rows(m)
    match = brute.agrees(rows, case)
    p = p[match] / p[match].sum()
    joint = np.zeros((m.levels.cards[i], m.levels.cards[j]))
    np.add.at(joint, (rows[match][:, i], rows[match][:, j]), p)
    apart = joint.sum(1)[:, None] * joint.sum(0)
    return float((joint * np.log(joint / apart)).sum())


@pytest.mark.parametrize("kind", ["none", "some", "chain", "star"])
def test_information_is_that_of_the_joint(kind):
    key = np.random.default_rng(1)
    m = brute.mixture((2, 3, 4, 2), 3, kind, key)
    for case in (np.full((1, 4), -1), np.array([[-1, 2, -1, -1]])):
        pairs = mutual_information(m, case)
        assert (pairs >= 0).all()
        np.testing.assert_allclose(pairs, pairs.T)
        open_ = np.flatnonzero(case[0] < 0)
        for i in open_:
            about = information_about(m, case, int(i))
            for j in open_:
                if i != j:
                    expected = by_definition(m, case[0], i, j)
                    assert pairs[i, j] == pytest.approx(expected, abs=1e-10)
                    assert about[j] == pytest.approx(expected, abs=1e-10)
        seen = np.flatnonzero(case[0] >= 0)
        assert not pairs[seen].any()


def test_ranking_leaves_out_what_is_known_and_pays_for_cost():
    key = np.random.default_rng(2)
    m = brute.mixture((2, 3, 2, 3), 4, "some", key)
    case = np.array([[-1, -1, 1, -1]])
    found = rank_next(m, case, target=0, cost=np.ones(4), exclude=np.zeros(0, int))
    assert sorted(found.columns) == [1, 3]
    assert list(found.nats) == sorted(found.nats, reverse=True)
    last = found.columns[-1]
    cost = np.ones(4)
    cost[last] = 1e-9
    cheap = rank_next(m, case, target=0, cost=cost, exclude=np.zeros(0, int))
    assert cheap.columns[0] == last
    none = rank_next(m, case, target=0, cost=np.ones(4), exclude=np.array([1, 3]))
    assert not len(none.columns)


def test_without_a_target_a_column_counts_what_it_tells_of_all_others():
    key = np.random.default_rng(3)
    m = brute.mixture((2, 3, 2), 3, "chain", key)
    case = np.full((1, 3), -1)
    found = rank_next(m, case, target=None, cost=np.ones(3), exclude=np.zeros(0, int))
    for d, nats in zip(found.columns, found.nats, strict=True):
        others = [by_definition(m, case[0], d, j) for j in range(3) if j != d]
        assert nats == pytest.approx(sum(others), abs=1e-10)
