"""Frames of every maker: the same codes, and the same frame back with its holes filled."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from clgp.tables import InputError, Schema, Table, as_table, encode, fill, rows

PLAIN = {
    "text": ["x", None, "y", "x", "None"],
    "whole": [1, 3, None, 2, 10],
    "flag": [True, None, False, True, True],
    "price": [0.5, 1.5, None, 0.5, 2.5],
}
MAKERS = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda d: pd.DataFrame(d).convert_dtypes(),
    "pandas pyarrow": lambda d: pd.DataFrame(d).convert_dtypes(dtype_backend="pyarrow"),
    "pandas object": lambda d: pd.DataFrame(d, dtype=object),
    "pandas category": lambda d: pd.DataFrame(d).astype("category"),
    "polars": pl.DataFrame,
    "polars categorical": lambda d: pl.DataFrame(d).with_columns(
        pl.col("text").cast(pl.Categorical)
    ),
    "pyarrow": pa.table,
    "dicts": lambda d: [dict(zip(d, row, strict=True)) for row in zip(*d.values(), strict=True)],
    "table": Table.of,
}
makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
CODES = np.array([[2, 0, 1, 0], [-1, 2, -1, 1], [1, -1, 0, -1], [2, 1, 1, 0], [0, 3, 1, 2]])
FULL = {
    "text": ["x", "y", "y", "x", "None"],
    "whole": [1, 3, 10, 2, 10],
    "flag": [True, False, False, True, True],
    "price": [0.5, 1.5, 1.5, 0.5, 2.5],
}


def schema_of(**more):
    return Schema.from_json({"columns": [
        {"name": "text", "kind": "nominal", "levels": ["None", "y", "x"]},
        {"name": "whole", "kind": "ordinal", "levels": ["1", "2", "3", "10"], "type": "integer"},
        {"name": "flag", "kind": "binary", "levels": ["False", "True"], "type": "boolean"},
        {"name": "price", "kind": "ordinal", "levels": ["0.5", "1.5", "2.5"], "type": "number"},
    ]})  # fmt: skip


@makers
def test_codes_are_the_same_from_every_maker(make):
    assert encode(make(PLAIN), schema_of(), unseen="error").tolist() == CODES.tolist()


@makers
def test_inferred_levels_are_the_same_from_every_maker(make):
    schema = Schema.infer(make(PLAIN))
    assert [list(schema[n].levels) for n in PLAIN] == [
        ["None", "x", "y"], ["1", "2", "3", "10"], ["False", "True"], ["0.5", "1.5", "2.5"],
    ]  # fmt: skip
    assert [schema[n].kind for n in PLAIN] == ["nominal", "ordinal", "binary", "ordinal"]


@makers
def test_filled_frame_is_the_same_frame_but_for_the_holes(make):
    frame = make(PLAIN)
    guess = CODES.copy()
    guess[1, 0], guess[1, 2], guess[2, 1], guess[2, 3] = 1, 0, 3, 1
    full = fill(frame, schema_of(), guess, np.ones_like(CODES, dtype=bool))
    assert type(full) is type(frame)
    if isinstance(frame, pd.DataFrame):
        assert full.dtypes.equals(frame.dtypes)
        assert full.to_dict("list") == FULL
    elif isinstance(frame, pl.DataFrame):
        assert full.schema == frame.schema
        assert full.to_dict(as_series=False) == FULL
    elif isinstance(frame, pa.Table):
        assert full.schema == frame.schema
        assert full.to_pydict() == FULL
    elif isinstance(frame, list):
        assert {k: [row[k] for row in full] for k in FULL} == FULL
    else:
        assert {n: full[n].python() for n in full.columns} == FULL
    assert encode(make(PLAIN), schema_of()).tolist() == CODES.tolist(), "the caller's is untouched"


def test_pandas_index_extra_columns_and_order_stay():
    index = pd.MultiIndex.from_tuples([("a", 3), ("a", 1), ("b", 3)], names=["u", "v"])
    frame = pd.DataFrame({"z": [datetime.date(2020, 1, 1)] * 3, 7: ["p", None, "q"],
                          "a": pd.Series([1.0, 2.0, np.nan])}).set_index(index)  # fmt: skip
    frame.attrs["source"] = "clinic"
    schema = Schema.from_json({"columns": [
        {"name": "a", "kind": "binary", "levels": ["1", "2"]},
        {"name": "7", "kind": "binary", "levels": ["p", "q"]},
    ]})  # fmt: skip
    codes = encode(frame, schema)
    assert codes.tolist() == [[0, 0], [1, -1], [-1, 1]]
    full = fill(frame, schema, np.array([[0, 0], [1, 1], [1, 1]]), codes < 0)
    assert full.index.equals(index)
    assert list(full.columns) == ["z", 7, "a"]
    assert full[7].tolist() == ["p", "q", "q"]
    assert full["a"].tolist() == [1.0, 2.0, 2.0]
    assert full.dtypes.equals(frame.dtypes)
    assert full.attrs == {"source": "clinic"}
    assert frame["a"].isna().sum() == 1


ORDERED = {
    "pandas": lambda v: pd.DataFrame({"a": pd.Categorical(v, ["lo", "mid", "hi"], ordered=True)}),
    "polars": lambda v: pl.DataFrame({"a": v}, schema={"a": pl.Enum(["lo", "mid", "hi"])}),
    "pyarrow": lambda v: pa.table({"a": pa.DictionaryArray.from_arrays(
        pa.array([None if x is None else ["lo", "mid", "hi"].index(x) for x in v], pa.int8()),
        ["lo", "mid", "hi"], ordered=True)}),
}  # fmt: skip


@pytest.mark.parametrize("make", ORDERED.values(), ids=ORDERED.keys())
def test_ordered_categories_are_ordinal_and_keep_unseen_levels(make):
    frame = make(["hi", None, "lo"])
    schema = Schema.infer(frame)
    assert schema["a"].kind == "ordinal"
    assert list(schema["a"].levels) == ["lo", "mid", "hi"]
    assert schema.ordinal.tolist() == [True]
    full = fill(frame, schema, np.array([[2], [1], [0]]), np.ones((3, 1), dtype=bool))
    back = as_table(full)["a"]
    assert back.text() == ["hi", "mid", "lo"]
    assert back.known.declared == ("lo", "mid", "hi")
    assert back.known.ordered
    if isinstance(frame, pd.DataFrame):
        assert full.dtypes.equals(frame.dtypes)
    else:
        assert full.schema == frame.schema


def test_a_level_that_the_categories_lack_is_added_to_them():
    schema = Schema.from_json({"columns": [{"name": "a", "kind": "nominal",
                                            "levels": ["lo", "hi", "new"]}]})  # fmt: skip
    hole = np.array([[2], [2]])
    where = np.array([[False], [True]])
    assert fill(pd.DataFrame({"a": pd.Categorical(["lo", None])}), schema, hole, where)[
        "a"
    ].tolist() == ["lo", "new"]
    frame = pl.DataFrame({"a": ["lo", None]}, schema={"a": pl.Enum(["lo", "hi"])})
    assert fill(frame, schema, hole, where)["a"].to_list() == ["lo", "new"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pd", "pl", "pa"])
def test_an_empty_column_takes_the_schemas_type(make):
    schema = Schema.from_json({"columns": [
        {"name": "a", "kind": "binary", "levels": ["F", "M"]},
        {"name": "b", "kind": "binary", "levels": ["1", "2"], "type": "integer"},
    ]})  # fmt: skip
    frame = make({"a": [None, None], "b": [None, None]})
    full = as_table(fill(frame, schema, np.array([[0, 1], [1, 0]]), np.ones((2, 2), dtype=bool)))
    assert full["a"].python() == ["F", "M"]
    assert full["b"].python() == [2, 1]


def test_text_into_a_column_of_nothing_but_nan():
    schema = Schema.from_json({"columns": [{"name": "a", "kind": "binary", "levels": ["F", "M"]}]})
    frame = pd.DataFrame({"a": [np.nan, np.nan]})
    full = fill(frame, schema, np.array([[0], [1]]), np.ones((2, 1), dtype=bool))
    assert full["a"].tolist() == ["F", "M"]


def test_nan_of_polars_is_missing():
    assert as_table(pl.DataFrame({"a": [1.0, float("nan")]}))["a"].text() == ["1", None]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pd", "pl", "pa"])
def test_an_empty_text_is_a_hole_as_in_a_file(make):
    frame = make({"a": ["x", "", "y"]})
    schema = Schema.infer(frame)
    assert list(schema["a"].levels) == ["x", "y"]
    assert encode(frame, schema).tolist() == [[0], [-1], [1]]
    full = fill(frame, schema, np.array([[1]] * 3), np.ones((3, 1), dtype=bool))
    assert as_table(full)["a"].text() == ["x", "y", "y"]


def test_an_answer_is_never_overwritten():
    schema = Schema.from_json({"columns": [{"name": "a", "kind": "nominal", "levels": ["x", "y"],
                                            "missing": ["?"]}]})  # fmt: skip
    frame = pd.DataFrame({"a": ["x", "unheard of", "?", None]})
    full = fill(frame, schema, np.array([[1]] * 4), np.ones((4, 1), dtype=bool))
    assert full["a"].tolist() == ["x", "unheard of", "y", "y"]


def test_one_dict_comes_back_as_one_dict_with_its_gaps():
    schema = schema_of()
    full = fill({"text": "x"}, schema, np.array([[2, 3, 0, 1]]), np.ones((1, 4), dtype=bool))
    assert full == {"text": "x", "whole": 10, "flag": False, "price": 1.5}


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "dicts", "table"])
def test_new_rows_have_the_types_of_the_training_table(kind):
    made = as_table(rows(schema_of(), np.array([[2, 3, 0, 1], [-1, 0, 1, 2]]), kind=kind))
    assert {n: made[n].python() for n in made.columns} == {
        "text": ["x", None], "whole": [10, 1], "flag": [False, True], "price": [1.5, 2.5],
    }  # fmt: skip


def test_table_becomes_each_frame_and_back():
    table = Table.of(PLAIN)
    for frame in (table.to_pandas(), table.to_polars(), table.to_arrow(), table.to_dicts()):
        back = as_table(frame)
        assert {n: back[n].text() for n in back.columns} == {
            n: table[n].text() for n in table.columns
        }


def test_categories_of_whole_numbers_and_labels():
    frame = pd.DataFrame({"a": pd.Categorical([3, 1, None], [3, 1, 2])})
    schema = Schema.infer(frame)
    assert list(schema["a"].levels) == ["1", "2", "3"]
    full = fill(frame, schema, np.array([[0], [0], [1]]), np.ones((3, 1), dtype=bool))
    assert full["a"].tolist() == [3, 1, 2]
    assert full.dtypes.equals(frame.dtypes)
    # a schema of codes with labels serves a frame that holds the labels
    coded = Schema.from_json({"columns": [{"name": "sex", "kind": "binary", "levels": ["1", "2"],
                                           "labels": {"1": "male", "2": "female"}}]})  # fmt: skip
    labelled = pd.DataFrame({"sex": pd.Categorical(["male", None, "female"])})
    codes = encode(labelled, coded, unseen="error")
    assert codes.tolist() == [[0], [-1], [1]]
    full = fill(labelled, coded, np.array([[0], [1], [1]]), codes < 0)
    assert full["sex"].tolist() == ["male", "female", "female"]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (42, "Expected a table"),
        (np.zeros((2, 2)), "Expected a table"),
        (pl.LazyFrame({"a": [1]}), "Expected a table"),
        ([1, 2], "expected a dict"),
        ([], "no column"),
        ([{}], "no column"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "must differ"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "must differ"),
    ],
)
def test_bad_frames(data, word):
    with pytest.raises(InputError, match=word):
        as_table(data)
