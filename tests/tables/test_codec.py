"""Codes: matched by name, unseen levels told, one person's answers, hidden cells."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clgp.tables import (
    InputError,
    Nominal,
    Ordinal,
    Schema,
    UnseenLevelWarning,
    collapse,
    encode,
    encode_case,
    held_back,
    hide,
    holes,
)

SCHEMA = Schema({"pain": Ordinal(["none", "mild", "severe"], missing=["dk"]),
                 "sex": Nominal(["F", "M"])})  # fmt: skip


def test_columns_are_matched_by_name():
    frame = pd.DataFrame({"extra": [1, 2], "sex": ["M", None], "pain": ["severe", "dk"]})
    assert encode(frame, SCHEMA).tolist() == [[2, 1], [-1, -1]]
    assert holes(frame, SCHEMA).tolist() == [[False, False], [True, True]]


def test_unseen_level_is_missing_with_one_warning():
    frame = pd.DataFrame({"pain": ["awful", "mild", "awful"], "sex": ["F", "X", "M"]})
    with pytest.warns(UnseenLevelWarning) as told:
        codes = encode(frame, SCHEMA)
    assert codes.tolist() == [[-1, 0], [1, -1], [-1, 1]]
    assert len(told) == 1
    text = str(told[0].message)
    assert "column 'pain': 'awful' (2 cells)" in text
    assert "column 'sex': 'X' (1 cell)" in text
    assert not holes(frame, SCHEMA).any()


def test_unseen_level_is_an_error_on_request():
    frame = pd.DataFrame({"pain": ["mild", None, "awful"], "sex": ["F", "F", "M"]})
    with pytest.raises(
        InputError, match=r"Column 'pain', row 3: level 'awful'.*none, mild, severe"
    ):
        encode(frame, SCHEMA, unseen="error")


def test_a_lacking_column_is_missing_with_one_warning():
    with pytest.warns(UserWarning, match="lacks 'sex'") as told:
        codes = encode(pd.DataFrame({"pain": ["mild"]}), SCHEMA)
    assert codes.tolist() == [[1, -1]]
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert encode([{"pain": "mild"}, {"sex": "M"}], SCHEMA).tolist() == [[1, -1], [-1, 1]]
        assert encode({"sex": "M"}, SCHEMA).tolist() == [[-1, 1]]


def test_one_case():
    assert encode_case({}, SCHEMA).tolist() == [[-1, -1]]
    assert encode_case({"sex": "M", "pain": None}, SCHEMA).tolist() == [[-1, 1]]
    with pytest.raises(InputError, match="did you mean 'pain'"):
        encode_case({"Pian": "mild"}, SCHEMA)
    with pytest.raises(InputError, match="no level 'milder'; use one of none, mild, severe"):
        encode_case({"pain": "milder"}, SCHEMA)
    ignored = SCHEMA.set("sex", kind="ignored")
    with pytest.raises(InputError, match="left unmodelled"):
        encode_case({"sex": "M"}, ignored)


def test_one_case_by_number_bin_or_label():
    schema = Schema.from_json({"columns": [
        {"name": "age", "kind": "numeric", "edges": [30, 60], "values": ["20", "40", "70"],
         "type": "integer"},
        {"name": "sex", "kind": "binary", "levels": ["1", "2"], "labels": {"1": "m", "2": "f"}},
    ]})  # fmt: skip
    for age in (30, "30", 59.5, "30 to 59"):
        assert encode_case({"age": age}, schema)[0, 0] == 1
    for sex in (2, "2", 2.0, "f"):
        assert encode_case({"sex": sex}, schema)[0, 1] == 1


def test_set_gives_a_new_schema():
    new = SCHEMA.set("pain", missing=["severe"])
    assert list(new["pain"].levels) == ["none", "mild"]
    assert list(SCHEMA["pain"].levels) == ["none", "mild", "severe"]
    assert new.levels.cards == (2, 2)
    assert SCHEMA.set("sex", levels=["F", "M", "X"])["sex"].kind == "nominal"
    assert SCHEMA.set("sex", kind="ignored").modelled == ("pain",)
    with pytest.raises(InputError, match="'sex'.*two levels"):
        SCHEMA.set("sex", levels=["F"])
    with pytest.raises(InputError, match="needs 'edges'"):
        SCHEMA.set("sex", kind="numeric")
    with pytest.raises(InputError, match="unknown kind"):
        SCHEMA.set("sex", kind="fuzzy")


def test_bad_schemas_from_python():
    with pytest.raises(InputError, match="at least one column"):
        Schema({})


def test_prints_as_a_table_to_look_at():
    lines = repr(SCHEMA).splitlines()
    assert lines[0].split() == ["column", "kind", "levels", "missing", "why"]
    assert "none, mild, severe" in lines[1]
    assert len(lines) == 3


def test_a_million_cells_in_a_second():
    rng = np.random.default_rng(0)
    texts = {f"c{d}": rng.choice(["none", "mild", "severe"], 100_000) for d in range(5)}
    numbers = {f"n{d}": rng.normal(size=100_000) for d in range(5)}
    frame = pd.DataFrame(texts | numbers)
    schema = Schema.infer(frame)
    start = time.perf_counter()
    assert encode(frame, schema, unseen="error").shape == (100_000, 10)
    assert time.perf_counter() - start < 5


codes_of = st.integers(1, 8).flatmap(lambda d: st.lists(
    st.lists(st.integers(-1, 2), min_size=d, max_size=d), min_size=1, max_size=20)
).map(np.array)  # fmt: skip


@given(codes_of, st.floats(0, 1), st.integers(0, 99))
def test_hidden_cells_are_observed_and_as_many_as_said(codes, share, seed):
    mask = hide(codes, share=share, key=np.random.default_rng(seed))
    assert not (mask & (codes < 0)).any()
    for row, hidden in zip(codes, mask, strict=True):
        n = sum(c >= 0 for c in row)
        assert hidden.sum() == (0 if n == 0 else max(1, int(share * n + 0.5)))
    assert (mask == hide(codes, share=share, key=np.random.default_rng(seed))).all()
    one = hide(codes, share="one", key=np.random.default_rng(seed))
    assert (one.sum(axis=1) == (codes >= 0).any(axis=1)).all()


def test_every_observed_cell_is_as_likely_to_be_hidden():
    codes = np.tile([0, -1, 1, 0], (20_000, 1))
    share = hide(codes, share="one", key=np.random.default_rng(0)).mean(axis=0)
    assert share[1] == 0
    assert np.allclose(share[[0, 2, 3]], 1 / 3, atol=0.015)


def test_rows_held_back():
    mask = held_back(100, share=0.1, key=np.random.default_rng(0))
    assert mask.sum() == 10
    assert held_back(3, share=0.01, key=np.random.default_rng(0)).sum() == 1
    assert held_back(2, share=1.0, key=np.random.default_rng(0)).sum() == 1


@given(codes_of)
def test_collapsed_rows_stand_for_all(codes):
    weights = np.arange(1.0, len(codes) + 1)
    unique, total, inverse = collapse(codes, weights)
    assert (unique[inverse] == codes).all()
    assert total.sum() == pytest.approx(weights.sum())
    assert len(unique) == len({tuple(row) for row in codes.tolist()})
    for k in range(len(unique)):
        assert total[k] == weights[inverse == k].sum()
