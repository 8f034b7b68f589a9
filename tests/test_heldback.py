"""Laws of the held-back cells on which every choice rests."""

import numpy as np
import pytest

from clgp.heldback import hidden_cells, hold_back
from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.pairs import mutual_information, pair_counts, spanning_forest


@pytest.mark.parametrize("weights", [np.full(40, 3.0), np.linspace(0.5, 2.5, 40)])
def test_held_back_and_rest_make_the_whole(weights):
    key = np.random.default_rng(0)
    levels = Levels((3, 2, 4))
    codes = np.stack([key.integers(K, size=40) for K in levels.cards], 1)
    rest, held = hold_back(codes, weights, levels, share=0.25, key=key)
    assert np.all(rest >= 0)
    assert np.all(rest <= weights)
    gone = weights - rest
    assert 0.1 * weights.sum() < gone.sum() < 0.4 * weights.sum()
    known = {tuple(y) for y in codes[gone > 0]}
    truth = held.given.copy()
    column = levels.column[held.place]
    truth[held.row, column] = held.place - levels.starts[column]
    assert {tuple(y) for y in truth} <= known
    assert held.weight.sum() == pytest.approx(1)
    assert np.all(held.given[held.row, column] < 0)


def test_gain_is_the_mean_difference_with_the_error_of_whole_rows():
    levels = Levels((2, 2))
    codes = np.array([[0, 1], [1, 1], [0, 0]])
    held = hidden_cells(codes, np.ones(3), levels, cells=1, key=np.random.default_rng(0))
    before = np.full(len(held.place), 1.0)
    after = before - 0.25
    assert held.gain(before, after) == (pytest.approx(0.25), pytest.approx(0))
    after = before - np.array([0.0, 1.0, 2.0])[held.source]
    gain, error = held.gain(before, after)
    assert gain == pytest.approx(1)
    assert error == pytest.approx(np.sqrt(2) / 3)


def test_losses_of_a_known_model():
    levels = Levels((2, 4))
    m = Mixture(levels, np.zeros(1), np.log(np.array([[0.9, 0.1, 0.25, 0.25, 0.25, 0.25]])))
    held = hidden_cells(
        np.array([[1, 2], [1, 0]]), np.ones(2), levels, key=np.random.default_rng(1)
    )
    expected = np.where(levels.column[held.place] == 0, -np.log(0.1), np.log(4))
    np.testing.assert_allclose(held.losses(m), expected)


def test_forest_over_columns_is_the_heaviest():
    key = np.random.default_rng(3)
    gain = np.triu(key.normal(size=(5, 5)), 1)
    gain = gain + gain.T
    edges = spanning_forest(gain)
    assert len({c for _, c in edges}) == len(edges)
    # Kruskal, by hand
    tree, total = list(range(5)), 0.0
    for i, j in sorted(zip(*np.triu_indices(5, 1), strict=True), key=lambda e: -gain[e]):
        if gain[i, j] > 0 and tree[i] != tree[j]:
            total += gain[i, j]
            tree = [tree[i] if t == tree[j] else t for t in tree]
    assert sum(gain[e] for e in edges) == pytest.approx(total)


def test_mutual_information_by_hand():
    codes = np.array([[0, 0, -1], [1, 1, 0], [0, 0, 1], [1, 1, -1]])
    levels = Levels((2, 2, 2))
    found = mutual_information(pair_counts(codes, np.ones(4), levels), levels)
    assert found[0, 1] == pytest.approx(np.log(2))
    assert found[0, 2] == pytest.approx(np.log(2))
    assert found[0, 0] == pytest.approx(np.log(2))


def test_some_of_the_cells_are_cells_of_the_rows_kept():
    levels = Levels((3, 2, 4))
    key = np.random.default_rng(0)
    codes = np.stack([key.integers(K, size=30) for K in levels.cards], 1)
    held = hidden_cells(codes, np.ones(30), levels, key=key)
    few = held.some(50)
    assert len(few.given) <= 50
    assert few.weight.sum() == pytest.approx(1)
    column = levels.column[few.place]
    assert np.all(few.given[few.row, column] < 0)
    np.testing.assert_array_equal(codes[few.source, column], few.place - levels.starts[column])
    assert len(held.some(10**6).row) == len(held.row)
