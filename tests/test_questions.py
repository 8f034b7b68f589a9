"""What a person may count on when asking a fitted model, on bundled tables and every frame."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clgp
from clgp.data import path
from tests import brute

MODELS = {
    "tree": clgp.ChowLiuTree(random_state=0, verbose=False),
    "lca": clgp.LatentClasses(n_classes=4, random_state=0, verbose=False),
    "bigram": clgp.Bigram(random_state=0, verbose=False),
}


@pytest.fixture(scope="module")
def votes():
    return pd.read_csv(path("votes"), dtype="str")


@pytest.fixture(scope="module", params=MODELS)
def model(request, votes):
    return MODELS[request.param].fit(votes)


def test_complete_keeps_what_is_there_and_fills_every_hole(model, votes):
    full = model.complete(votes)
    assert list(full.columns) == list(votes.columns)
    assert full.index.equals(votes.index)
    assert (full.dtypes == votes.dtypes).all()
    assert not full.isna().to_numpy().any()
    pd.testing.assert_frame_equal(full.where(votes.notna()), votes)
    sure = model.complete(votes, min_prob=0.9)
    assert 0 < sure.isna().to_numpy().sum() < votes.isna().to_numpy().sum()


def test_probabilities_sum_to_one_for_each_hole_and_name_it(model, votes):
    new = votes.iloc[[7, 3, 100]].set_axis(["c", "a", "b"])
    long = model.predict_proba(new)
    assert list(long.columns) == ["row", "column", "level", "prob"]
    np.testing.assert_allclose(long.groupby(["row", "column"])["prob"].sum(), 1)
    holes = {(r, c) for r in new.index for c in new.columns if pd.isna(new.loc[r, c])}
    assert set(zip(long["row"], long["column"], strict=True)) == holes
    wide = model.predict_proba(new, wide=True)
    assert wide.index.equals(new.index)
    assert wide.notna().to_numpy().sum() == len(long)


@pytest.mark.parametrize("make", [pl.DataFrame, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_every_frame_gets_its_own_kind_back(make, model, votes):
    frame = make(votes)
    full = model.complete(frame)
    assert type(full) is type(frame)
    assert type(model.predict_proba(frame)) is type(frame)
    expected = model.complete(votes)
    pd.testing.assert_frame_equal(full.to_pandas(), expected, check_dtype=False)


def test_order_of_columns_and_company_of_rows_change_no_answer(model, votes):
    some = votes.iloc[:20]
    scores = model.score_samples(some)
    turned = some[some.columns[::-1]]
    np.testing.assert_allclose(model.score_samples(turned), scores, rtol=1e-12)
    alone = [model.score_samples(some.iloc[[n]])[0] for n in range(20)]
    np.testing.assert_allclose(alone, scores, rtol=1e-12)


def test_a_level_never_seen_is_missing_with_a_warning_or_an_error(model, votes):
    new = votes.iloc[:2].assign(Class=["whig", "democrat"])
    with pytest.warns(clgp.UnseenLevelWarning, match="'Class'.*'whig'"):
        assert model.complete(new).loc[0, "Class"] == "whig"
    with pytest.raises(clgp.InputError, match="whig"):
        model.score_samples(new, unseen="error")


def test_samples_follow_what_is_given_and_repeat_with_the_seed(model):
    draws = model.sample(200, given={"Class": "democrat"}, random_state=1, kind="pandas")
    assert (draws["Class"] == "democrat").all()
    again = model.sample(200, given={"Class": "democrat"}, random_state=1, kind="pandas")
    pd.testing.assert_frame_equal(draws, again)


def test_imputations_are_complete_differ_and_keep_the_seen(model, votes):
    first, second = model.impute(votes, m=2, random_state=3)
    for one in (first, second):
        assert not one.isna().to_numpy().any()
        pd.testing.assert_frame_equal(one.where(votes.notna()), votes)
    assert (first != second).to_numpy().any()


def test_the_ranking_counts_bits_and_pays_for_cost(model):
    plain = model.rank_next({"adoption-of-the-budget-resolution": "y"}, target="Class")
    bits = [q.bits for q in plain.questions]
    assert bits == sorted(bits, reverse=True)
    entropy = -sum(p * np.log2(p) for p in plain.belief.values() if p)
    assert all(0 <= b <= entropy + 1e-9 for b in bits)
    best = plain.questions[0].column
    costly = model.rank_next({}, target="Class", cost={best: 1e6})
    assert costly.questions[-1].column == best
    assert best not in {q.column for q in model.rank_next({}, exclude=[best]).questions}


def test_unusual_rows_are_the_improbable_with_cells_to_blame(model, votes):
    odd = votes.dropna().iloc[:30].copy()
    odd.loc[odd.index[5], "Class"] = (
        "republican" if odd.loc[odd.index[5], "Class"] == "democrat" else "democrat"
    )
    found = model.unusual(odd, top=30)
    assert len({one.row for one in found}) == 30
    five = next(one for one in found if one.row == 5)
    assert five.blame[0].column == "Class"
    assert five.blame[0].prob < 0.2


def test_weights_of_two_are_doubled_rows(votes):
    some = votes.iloc[:60]
    weight = np.where(np.arange(60) % 3 == 0, 2.0, 1.0)
    doubled = some.iloc[np.repeat(np.arange(60), weight.astype(int))]
    for make in (clgp.Multinomial, clgp.Unigram, clgp.Bigram):
        schema = clgp.Schema.infer(votes)
        a = make(random_state=0, verbose=False).fit(some, schema=schema, sample_weight=weight)
        b = make(random_state=0, verbose=False).fit(doubled, schema=schema)
        np.testing.assert_allclose(a.score_samples(some), b.score_samples(some), rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"X": []}, "no column|no rows|names no column"),
        ({"X": [{"a": 1, "b": 2}]}, "two rows"),
        ({"X": [{"a": None}, {"a": None}]}, "No column can be modelled"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "row 2"),
        ({"sample_weight": [1.0]}, "a number a row"),
        ({"schema": clgp.Schema({"zz": clgp.Nominal(["a", "b"])})}, "'zz'"),
    ],
)
def test_bad_facts_about_the_data_are_met_at_the_door(change, match):
    given = {"X": [{"a": 0, "b": "u"}, {"a": 1, "b": "v"}, {"a": 1, "b": "u"}]} | change
    with pytest.raises(clgp.InputError, match=match):
        clgp.Unigram(verbose=False).fit(**given)


def test_a_fit_prints_its_report_with_the_winner_whoever_it_is(capsys):
    key = np.random.default_rng(0)
    true = brute.mixture((2, 3, 2, 2), 3, "chain", key)
    codes = true.draw(np.full((400, 4), -1), key)
    table = [dict(zip("abcd", map(str, row), strict=True)) for row in codes.tolist()]
    clgp.Uniform(random_state=0).fit(table)
    told = capsys.readouterr().out
    assert "400 rows" in told
    assert "tree" in told
    winner = next(line for line in told.splitlines() if line.endswith("best"))
    assert not winner.startswith("uniform")
