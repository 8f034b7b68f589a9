"""What is guessed of a column, and what the user is told."""

import datetime

import numpy as np
import pandas as pd
import pytest

from clgp.tables import InputError, Schema, Table, encode, rows
from clgp.tables.delimited import parse_delimited


def guess(values, name="a", **more):
    return Schema.infer(pd.DataFrame({name: values}), **more)


@pytest.mark.parametrize(
    ("values", "kind", "levels"),
    [
        (["x", "y", "x"], "binary", ["x", "y"]),
        ([0, 1, 1], "binary", ["0", "1"]),
        ([True, False, None], "binary", ["False", "True"]),
        (["x", "z", "y"], "nominal", ["x", "y", "z"]),
        (["10", "9", "1"], "ordinal", ["1", "9", "10"]),
        ([3, 1, 2, np.nan], "ordinal", ["1", "2", "3"]),
        ([0.5, 2.5, 1.0], "ordinal", ["0.5", "1", "2.5"]),
        (["1", "1.0", "2"], "ordinal", ["1", "1.0", "2"]),
        (["1", "2", "?"], "nominal", ["1", "2", "?"]),
        (["2021-01-01", "2020-01-01", "2020-06-01"], "ordinal",
         ["2020-01-01", "2020-06-01", "2021-01-01"]),
    ],
)  # fmt: skip
def test_kinds_and_levels(values, kind, levels):
    column = guess(values)["a"]
    assert column.kind == kind
    assert list(column.levels) == levels
    assert column.why


def test_a_level_that_lies_between_is_kept():
    column = guess([1, 2, 3, 4, 5, 6, 7, 8, 10] * 2)["a"]
    assert list(column.levels) == [str(k) for k in range(1, 11)]
    assert "'9'" in column.why
    assert list(guess([1, 2, 5, 9])["a"].levels) == ["1", "2", "5", "9"]


@pytest.mark.parametrize(
    ("name", "values", "word"),
    [
        ("a", ["x", "x", None], "every answer is 'x'"),
        ("a", [None, None], "no answers"),
        ("name", [f"p{i}" for i in range(60)], "identifies rows"),
        ("a", [f"p{i}" for i in range(57)] + ["p1"] * 3, "identifies rows"),
        ("a", list(range(1000, 1060)), "identifies rows"),
        ("patient_id", [7, 9, 13, 20], "identifies rows"),
        ("a", [f"t{i % 150}" for i in range(450)], "too few rows a level"),
        (
            "day",
            [datetime.date(2020, 1, 1) + datetime.timedelta(i % 30) for i in range(90)],
            "dates",
        ),
        ("day", [f"2020-03-{i % 30 + 1:02d}" for i in range(90)], "dates"),
    ],
)
def test_what_is_left_unmodelled_is_named(name, values, word):
    schema = Schema.infer(pd.DataFrame({name: values, "b": ["x", "y"] * (len(values) // 2)
                                        + ["x"] * (len(values) % 2)}))  # fmt: skip
    assert schema[name].kind == "ignored"
    assert schema.modelled == ("b",)
    assert any(f"'{name}'" in note and word in note for note in schema.notes)


def test_small_tables_have_no_identifiers():
    assert guess([f"p{i}" for i in range(10)])["a"].kind == "nominal"
    assert guess([11, 12, 13, 14])["a"].kind == "ordinal"


def test_a_measurement_is_no_identifier():
    rng = np.random.default_rng(0)
    assert guess(rng.normal(size=300))["a"].kind == "numeric"
    assert guess([f"{x:.3f}" for x in rng.normal(size=300)])["a"].kind == "numeric"


def test_many_levels_with_many_rows_are_modelled():
    schema = guess([f"t{i % 120}" for i in range(1200)])
    assert (schema["a"].kind, len(schema["a"].levels)) == ("nominal", 120)
    assert "120 levels" in schema.notes[0]


def test_edges_are_short_decimals_that_cut_as_the_quantiles_do():
    x = np.linspace(0, 1, 50)
    column = guess(x)["a"]
    assert all(len(repr(e)) <= 5 for e in column.edges)
    counts = np.bincount(encode(pd.DataFrame({"a": x}), Schema({"a": column}))[:, 0])
    assert len(counts) == 8
    assert set(counts) <= {6, 7}


def test_many_numbers_become_quantile_levels():
    rng = np.random.default_rng(1)
    age = rng.integers(18, 90, 500)
    schema = guess(age)
    column = schema["a"]
    assert column.kind == "numeric"
    assert schema.ordinal.tolist() == [True]
    codes = encode(pd.DataFrame({"a": age}), schema, unseen="error")[:, 0]
    counts = np.bincount(codes)
    assert len(counts) == 8
    assert counts.min() > 35
    # codes rise with the numbers and each level's value lies within it
    assert all(age[codes == k].max() < age[codes == k + 1].min() for k in range(7))
    filled = rows(schema, np.arange(8)[:, None])["a"]
    assert filled.dtype == "int64"
    for k, value in enumerate(filled):
        assert value == np.sort(age[codes == k])[(counts[k] - 1) // 2]
    assert "72 distinct numbers" in schema.notes[0]
    beyond = encode(pd.DataFrame({"a": [-5.5, 1e6]}), schema, unseen="error")
    assert beyond.ravel().tolist() == [0, 7]


def test_quantile_levels_of_a_lumpy_column_are_not_empty():
    values = np.concatenate([np.zeros(900), np.arange(100) + 0.5])
    column = guess(values)["a"]
    codes = encode(pd.DataFrame({"a": values}), Schema({"a": column}))[:, 0]
    assert np.bincount(codes, minlength=len(column.levels)).min() > 0
    assert (codes[:900] == 0).all()
    upper = np.concatenate([np.full(900, 1e3), np.arange(100) + 0.5])
    assert len(guess(upper)["a"].levels) >= 2


def test_suspects_are_named_and_stay_levels():
    for values, suspect in [
        (["x", "y", "?"], "?"), (["x", "y", "N/A"], "N/A"), ([1, 2, 3, 99], "99"),
        ([-9, 1, 2, 3], "-9"), (["1", "2", "."], "."), (["x", "None", "z"], "None"),
        (["x", "Don't know", "z"], "Don't know"), (["x", "y", " "], " "),
        ([20, 30, 40, 50, 999], "999"),
    ]:  # fmt: skip
        schema = guess(values)
        assert list(schema["a"].suspects) == [suspect]
        assert suspect in schema["a"].levels
        assert any(repr(suspect) in note for note in schema.notes)
        assert (encode(pd.DataFrame({"a": values}), schema) >= 0).all()
        told = guess(values, missing={"a": [suspect]})
        assert suspect not in told["a"].levels
        assert not told["a"].suspects
        assert (encode(pd.DataFrame({"a": values}), told) < 0).sum() == 1


def test_common_numbers_are_no_suspects():
    for values in (range(1, 11), [18, 40, 99, 97, 95], [0, 2, 4, 5, 6, 8]):
        assert not guess(list(values))["a"].suspects


def test_missing_codes_make_numbers_of_a_mixed_column():
    rng = np.random.default_rng(2)
    values = [str(x) for x in rng.integers(0, 60, 300)] + ["?"] * 5
    assert guess(values)["a"].kind == "nominal"
    assert guess(values, missing={"a": ["?"]})["a"].kind == "numeric"
    with pytest.raises(InputError, match=r"cannot be numeric.*'\?'"):
        guess(values, kinds={"a": "numeric"})


def test_kinds_on_request():
    assert guess([1, 2, 3], kinds={"a": "nominal"})["a"].kind == "nominal"
    assert guess(list("xyz"), kinds={"a": "ordinal"})["a"].kind == "ordinal"
    assert guess(list("xyz"), kinds={"a": "ignored"})["a"].kind == "ignored"
    assert guess([1, 2, 3], kinds={"a": "numeric"})["a"].kind == "numeric"
    with pytest.raises(InputError, match="did you mean 'a'"):
        guess([1, 2], kinds={"A": "nominal"})
    with pytest.raises(InputError, match="unknown kind"):
        guess([1, 2], kinds={"a": "fuzzy"})


def test_row_and_column_order_do_not_matter():
    table = Table.of({"a": ["x", "z", "y"], "b": [3, 1, 2]})
    turned = Table.of({"b": [2, 1, 3], "a": ["y", "z", "x"]})
    one, two = Schema.infer(table), Schema.infer(turned)
    assert {n: one[n] for n in "ab"} == {n: two[n] for n in "ab"}


def test_a_table_of_commas_for_decimals_is_not_silently_wrong():
    raw = "x;y\n" + "".join(f"{i},5;{'uv'[i % 2]}\n" for i in range(40))
    schema = Schema.infer(parse_delimited(raw.encode(), "t.csv"))
    assert schema.modelled == ("y",)
    assert "'x'" in schema.notes[0]
