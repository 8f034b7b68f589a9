"""Laws of the M-step and the E-step."""

import numpy as np
import pytest

from clgp.model.kernels import RBF, Linear
from clgp.quadrature import hyper, maximise
from clgp.quadrature.columns import Problem
from clgp.quadrature.expect import accumulate, e_step, responsibilities
from clgp.quadrature.features import features
from clgp.quadrature.member import begin, blocks_of, height, look, one_pass
from clgp.quadrature.settings import Recipe
from tests.quadrature.problems import classes, problem

CARDS, ORDINAL = (2, 2, 3, 5, 5), (False, False, False, False, True)


def started(seed=0, *, kernel=None, cards=CARDS, ordinal=ORDINAL, penalised=True, n_points=64):
    key = np.random.default_rng(seed)
    table = problem(classes(60, cards, key), cards, ordinal)
    kernel = kernel or RBF(np.asarray(1.0), np.full(2, 1.5))
    recipe = Recipe("one", 2, kernel, n_points, 16)
    return begin(table, recipe, key, penalised=penalised)


def test_hyper_gradient_is_that_of_the_objective():
    member = started(kernel=Linear(np.ones(2)) + RBF(np.asarray(0.5), np.full(2, 1.5)))
    fixed, C = member.fixed, blocks_of(member.fixed, member.counts.C)
    seen = look(fixed, member.model, member.here, C)
    slope = hyper.gradient(fixed, member.model, seen, C=C, X=member.X, here=member.here)
    start = hyper.values(member.model)

    def value(moved):
        model = hyper.with_values(member.model, moved)
        here = features(model.kernel, member.X, fixed.Z)
        return height(fixed, model, look(fixed, model, here), C)

    for i in range(len(start)):
        e = 3e-2 * (np.arange(len(start)) == i)
        expected = (value(start + e) - value(start - e)) / 6e-2
        np.testing.assert_allclose(slope[i], expected, rtol=0.03, atol=0.03)


@pytest.mark.parametrize("penalised", [True, False])
def test_no_column_falls_in_a_natural_step(penalised):
    member = started(penalised=penalised)
    A, b = (part.astype(np.float32) for part in member.here)
    C = blocks_of(member.fixed, member.counts.C)
    for i, block in enumerate(member.fixed.problem.blocks):
        B = maximise.level_factor(block, member.model.level)
        part, seen = member.model.parts[i], member.seen[i]
        for _ in range(5):
            new, then = maximise.climb(member.fixed, block, part, seen, C=C[i], A=A, b=b, B=B)
            before = maximise.gain(seen, C[i]) - maximise.penalty(part, penalised=penalised)
            after = maximise.gain(then, C[i]) - maximise.penalty(new, penalised=penalised)
            assert np.all(after >= before - 1e-4)
            part, seen = new, then


def test_the_bound_never_falls():
    member = started()
    for i in range(12):
        anew = np.random.default_rng(i) if i % 4 == 3 else None
        member = one_pass(member, rate=0.05, learn_weights=i > 3, anew=anew)
    assert np.diff(member.bound).min() >= -1e-6 * abs(member.bound[-1])
    assert member.bound[-1] > member.bound[0]


def test_the_bound_is_below_the_exact_log_evidence_of_its_points():
    """By Jensen: Σ_n log Σ_s w_s Π_d E p ≥ the bound's data term, however the draws fall."""
    member = started()
    tables = np.concatenate(
        [np.log(np.concatenate([1 - s.p, s.p], 1) if s.p.shape[1] == 1 else s.p).reshape(-1, 64)
         for s in member.seen])  # fmt: skip
    exact = e_step(member.fixed.problem, tables.astype(np.float32), member.log_w)
    assert member.counts.evidence <= exact.evidence


def test_counts_responsibilities_and_weights_sum_to_what_they_must():
    member = started()
    table, counts = member.fixed.problem, member.counts
    np.testing.assert_allclose(counts.C.sum(1), table.levels.counts(table.codes, table.weights),
                               rtol=1e-5)  # fmt: skip
    np.testing.assert_allclose(counts.mass.sum(), table.total, rtol=1e-5)
    member = one_pass(member, rate=0.05, learn_weights=True)
    np.testing.assert_allclose(np.exp(member.log_w).sum(), 1)
    G = np.concatenate([part.g.reshape(-1, 64) for part in member.seen])
    Y = table.levels.one_hot(table.codes, np.float32)
    R, _ = responsibilities(Y, G, member.log_w, np.ones(len(Y)))
    np.testing.assert_allclose(R.sum(1), 1, rtol=1e-5)


def test_blocks_of_any_size_give_one_answer():
    member = started()
    G = np.concatenate([part.g.reshape(-1, 64) for part in member.seen])
    few, many = (e_step(member.fixed.problem, G, member.log_w, rows=rows) for rows in (7, 7000))
    np.testing.assert_allclose(few.C, many.C, rtol=1e-4, atol=1e-5)
    assert few.evidence == pytest.approx(many.evidence, rel=1e-6)


def test_a_log_probability_is_one_over_the_levels():
    member = started()
    for part in member.seen:
        assert np.all(np.exp(part.g).sum(1) <= 1 + 1e-5)
        if part.p.shape[1] > 1:
            np.testing.assert_allclose(part.p.sum(1), 1, rtol=1e-4)


def test_weights_of_two_equal_doubled_rows():
    key = np.random.default_rng(4)
    codes = classes(30, (2, 3), key)
    twice = problem(np.concatenate([codes, codes]), (2, 3))
    heavy = problem(codes, (2, 3), weights=np.full(30, 2.0))
    np.testing.assert_array_equal(twice.codes, heavy.codes)
    np.testing.assert_array_equal(twice.weights, heavy.weights)


def test_a_part_of_the_columns_can_be_put_back():
    member = started()
    part, chosen = member.model.parts[-1], np.array([0])
    same = part.put(chosen, part.at(chosen))
    np.testing.assert_array_equal(same.mu, part.mu)


def test_accumulate_counts_each_row_once():
    key = np.random.default_rng(5)
    table: Problem = problem(classes(40, (2, 3), key), (2, 3))
    all_to_one = accumulate(
        table, 1, lambda _, Y, weight: (weight[:, None], np.zeros(len(Y))), rows=9
    )
    np.testing.assert_allclose(all_to_one.C[:, 0], table.levels.counts(table.codes, table.weights))
