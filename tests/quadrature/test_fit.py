"""Laws of the joint fit, on tables of every awkward kind."""

from dataclasses import replace

import numpy as np
import pytest

from clgp.levels import Levels
from clgp.quadrature.fit import fit
from clgp.quadrature.settings import Settings
from tests.quadrature.problems import classes

SMALL = Settings(n_points=32, n_inducing=8, n_passes=4, settle=False, n_jobs=1)
ONE = replace(SMALL, n_latent=2, n_members=1)


def fitted(codes, cards, *, settings=SMALL, weights=None, ordinal=None, seed=0, arrived=None):
    weights = np.ones(len(codes)) if weights is None else weights
    ordinal = (False,) * len(cards) if ordinal is None else ordinal
    key = np.random.default_rng(seed)
    return fit(codes, weights, Levels(cards), ordinal, settings=settings, key=key, arrived=arrived)


def rows(N=120, cards=(2, 3, 4, 2, 3), seed=1):
    return classes(N, cards, np.random.default_rng(seed)), cards


HARD = {
    "level seen once": (np.array([[0, 2]] + [[1, 0], [0, 1]] * 30), (2, 4)),
    "empty column": (np.array([[0, -1], [1, -1]] * 20), (2, 3)),
    "two rows": (np.array([[0, 1, 2], [1, 0, -1]]), (2, 2, 3)),
    "one row": (np.array([[0, 1]]), (2, 2)),
    "one column": (np.array([[0], [1], [1], [2]] * 15), (3,)),
    "all rows equal": (np.array([[0, 2, 1]] * 50), (2, 3, 2)),
    "all cells missing": (np.full((20, 2), -1), (2, 3)),
    "a column with one level": (np.array([[0, 1], [0, 0]] * 25), (1, 2)),
    "26 levels": (np.arange(104).reshape(52, 2) % 26, (26, 26)),
    "69 two-level columns": (classes(40, (2,) * 69, np.random.default_rng(7)), (2,) * 69),
    "180 two-level columns": (classes(40, (2,) * 180, np.random.default_rng(8)), (2,) * 180),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_tables_give_a_proper_model(name):
    codes, cards = HARD[name]
    mixture = fitted(codes, cards).mixture
    nothing_seen = np.full((1, len(cards)), -1)
    P = mixture.probabilities(nothing_seen)
    assert np.all(P > 0)
    assert np.all(np.isfinite(P))
    np.testing.assert_allclose(Levels(cards).sum(P), 1, rtol=1e-6)
    np.testing.assert_allclose(mixture.log_prob(nothing_seen), 0, atol=1e-9)
    assert np.all(np.isfinite(mixture.log_prob(codes)))


@pytest.mark.parametrize("settle", [False, True])
def test_permuting_rows_or_columns_changes_nothing(settle):
    codes, cards = rows()
    codes[:, 4] = np.where(codes[:, 1] >= 0, codes[:, 1], codes[:, 4])  # an edge to be found
    settings = replace(ONE if settle else SMALL, settle=settle)
    key = np.random.default_rng(3)
    by_row, by_column = key.permutation(len(codes)), key.permutation(len(cards))
    plain = fitted(codes, cards, settings=settings).mixture
    mixed_cards = tuple(cards[d] for d in by_column)
    mixed = fitted(codes[by_row][:, by_column], mixed_cards, settings=settings).mixture
    np.testing.assert_allclose(
        plain.log_prob(codes), mixed.log_prob(codes[:, by_column]), atol=1e-9
    )


def test_weights_of_two_equal_doubled_rows():
    codes, cards = rows(60)
    twice = fitted(np.concatenate([codes, codes]), cards, settings=ONE).mixture
    heavy = fitted(codes, cards, weights=np.full(len(codes), 2.0), settings=ONE).mixture
    np.testing.assert_allclose(twice.log_prob(codes), heavy.log_prob(codes), atol=1e-9)


def test_one_or_four_at_once_give_one_answer():
    codes, cards = rows()
    one, four = (
        fitted(codes, cards, settings=Settings(n_points=32, n_inducing=8, n_passes=4, n_jobs=jobs))
        for jobs in (1, 4)
    )
    np.testing.assert_array_equal(one.mixture.log_tables, four.mixture.log_tables)
    np.testing.assert_array_equal(one.mixture.log_weights, four.mixture.log_weights)


def test_no_time_gives_the_first_member():
    codes, cards = rows()
    quick = fitted(
        codes, cards, settings=Settings(n_points=32, n_inducing=8, max_seconds=0.0, n_jobs=1)
    )
    assert not quick.complete
    assert np.all(np.isfinite(quick.mixture.log_prob(codes)))


def test_progress_hears_of_every_member():
    codes, cards = rows()
    heard = []
    result = fitted(codes, cards, arrived=heard.append)
    assert sorted(update.member for update in heard) == sorted(m.name for m in result.members)
    assert all(np.isfinite(update.held_back_nats) for update in heard)
    assert sum(member.weight for member in result.members) == pytest.approx(1)


def test_an_interrupt_keeps_what_is_there():
    codes, cards = rows()

    def impatient(update):
        raise KeyboardInterrupt

    result = fitted(codes, cards, arrived=impatient)
    assert np.all(np.isfinite(result.mixture.log_prob(codes)))


def test_structure_is_found():
    """Held-out rows of latent classes are likelier than under independence."""
    codes, cards = rows(800, (3,) * 8)
    train, test = codes[:600], codes[600:]
    mixture = fitted(train, cards, settings=Settings(n_points=64, n_passes=20)).mixture
    margins = mixture.probabilities(np.full((1, 8), -1))[0]
    alone = (Levels(cards).one_hot(test) * np.log(margins)).sum(1)
    assert mixture.log_prob(test).mean() > alone.mean() + 0.3


def test_a_column_of_noise_changes_other_answers_little():
    codes, cards = rows(800, (3,) * 6)
    noise = np.random.default_rng(9).integers(0, 2, (len(codes), 1))
    settings = Settings(n_points=64, n_passes=20, n_members=1, n_latent=2, settle=False)
    plain = fitted(codes, cards, settings=settings).mixture
    more = fitted(np.concatenate([codes, noise], 1), (*cards, 2), settings=settings).mixture
    hidden = codes.copy()
    hidden[:, 0] = -1
    p = plain.probabilities(hidden)[:, :3]
    q = more.probabilities(np.concatenate([hidden, np.full_like(noise, -1)], 1))[:, :3]
    assert np.abs(p - q).mean() < 0.03


def test_linear_without_the_penalty_has_the_higher_bound():
    codes, cards = rows()
    free, held = (
        fitted(codes, cards, settings=Settings(
            n_latent=2, kernel="linear", n_members=1, settle=False, penalised=penalised,
            n_points=64, n_passes=20)).mixture.log_prob(codes).mean()
        for penalised in (False, True)
    )  # fmt: skip
    assert free > held


def test_exclusive_or_is_learnt_by_the_default_model():
    """Four triplets of 25 rows each, and their last cells to be filled in: the paper's task."""
    triplets = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    asked = np.where([False, False, True], -1, triplets)
    codes = np.concatenate([np.repeat(triplets, 25, 0), asked])
    result = fitted(codes, (2, 2, 2), settings=Settings())
    p = result.mixture.probabilities(asked)[np.arange(4), 4 + triplets[:, 2]]
    assert np.exp(-np.log(p).mean()) < 1.03
    assert result.settled.gain > result.settled.error
