"""The loop: compilations, keys, stops, new rows, blocks, restarts."""

from dataclasses import replace

import numpy as np
import pytest

from clgp.model.family import build
from clgp.variational import fit as loop
from clgp.variational.compile import to_mixture
from clgp.variational.fit import fit
from clgp.variational.new_rows import probabilities
from clgp.variational.predict import row_probabilities
from tests.variational.problems import CARDS, SMALL, SMALL_PAPER, table


def test_same_key_same_numbers():
    y = table(key=np.random.default_rng(0))
    model = build("CLGP", CARDS, Q=2)
    one, two = (fit(model, y, scheme=SMALL_PAPER, key=np.random.default_rng(1)) for _ in range(2))
    assert np.array_equal(one.params.outputs.mu, two.params.outputs.mu)
    assert np.isfinite(one.trace.bound).all()
    assert len(one.trace.seconds) == SMALL_PAPER.iterations


@pytest.mark.parametrize("cards", [CARDS, CARDS * 2])
@pytest.mark.parametrize("N", [12, 30])
def test_one_compilation_of_the_loop_a_fit(N, cards):
    key = np.random.default_rng(0)
    y = table(N, key=key, cards=cards)
    before = loop.chunk._cache_size()
    fit(build("CLGP", cards, Q=1), y, scheme=replace(SMALL, block=8, restarts=2), key=key)
    assert loop.chunk._cache_size() == before + 1


def test_ctrl_c_keeps_the_best_so_far():
    key = np.random.default_rng(0)

    def stop(share, text):
        assert "left" in text
        raise KeyboardInterrupt

    scheme = SMALL.sized(M=6, T=8, iterations=40)
    fitted = fit(build("CLGP", CARDS, Q=2), table(key=key), scheme=scheme, key=key, progress=stop)
    assert "Ctrl-C" in fitted.notes[0]
    assert 0 < len(fitted.trace.bound) < 40


def test_a_bound_lost_names_the_step_and_the_term():
    key = np.random.default_rng(0)
    y = table(key=key)
    model = build("CLGP", CARDS, Q=2)
    start = SMALL.start.params(model, loop.cells_of(y), M=6, key=key)
    start.rows.log_s[:] = 100
    with pytest.raises(FloatingPointError, match=r"Iteration 1: .*kl_x"):
        loop.climb(model, loop.cells_of(y), [start], scheme=SMALL, key=key)


def test_new_rows_agree_with_the_mixture():
    """Rows whose posterior has one mode: all columns follow from each other."""
    key = np.random.default_rng(0)
    cards = (2,) * 6
    y = np.repeat(key.integers(2, size=(60, 1)), 6, axis=1)
    scheme = SMALL.sized(M=6, T=8, iterations=200)
    fitted = fit(build("CLGP", cards, Q=1), y, scheme=scheme, key=key)
    new = np.array([[0, 0, 0, 0, 0, -1], [1, 1, 1, 1, 1, -1]])
    by_q = probabilities(fitted, new, key)
    by_mixture = to_mixture(fitted, key).probabilities(new)
    assert np.allclose(by_q[:, 10:], by_mixture[:, 10:], atol=0.1)
    assert by_mixture[0, 10] > 0.8
    assert by_mixture[1, 11] > 0.8
    assert np.allclose(row_probabilities(fitted, key).reshape(60, 6, 2).sum(-1), 1, atol=1e-5)
