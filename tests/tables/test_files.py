"""Files with types: values, labels, reasons, measures, dtypes and order come back."""

import datetime

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

from clgp.tables import InputError, Schema, Table, encode, fill, read

NAN = float("nan")


@pytest.fixture
def sav(tmp_path):
    frame = pd.DataFrame({
        "sex": [1.0, 2.0, 9.0, NAN, 1.0],
        "pain": [1.0, 3.0, 2.0, NAN, 98.0],
        "age": [20.5, 30.0, 41.0, 52.0, 63.0],
        "word": ["a", "", "b", "-1", "a"],
        "day": [datetime.date(2020, 1, d) for d in (1, 2, 3, 4, 5)],
    })  # fmt: skip
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(
        frame,
        path,
        column_labels={"sex": "What is your sex?"},
        variable_value_labels={"sex": {1: "male", 2: "female", 9: "refused"},
                               "pain": {1: "none", 2: "mild", 3: "bad"}},
        missing_ranges={"sex": [9], "pain": [{"lo": 97, "hi": 99}], "word": ["-1"]},
        variable_measure={"sex": "nominal", "pain": "ordinal", "age": "scale"},
    )  # fmt: skip
    return path


def check_sav(table):
    assert table.columns == ("sex", "pain", "age", "word", "day")
    assert table["sex"].text() == ["1", "2", None, None, "1"]
    assert table["pain"].text() == ["1", "3", "2", None, None]
    assert table["word"].text() == ["a", None, "b", None, "a"]
    assert table["age"].python() == [20.5, 30.0, 41.0, 52.0, 63.0]
    assert table["day"].text()[4] == "2020-01-05"
    sex, pain = table["sex"], table["pain"]
    assert sex.known.question == "What is your sex?"
    assert sex.known.labels == {"1": "male", "2": "female", "9": "refused"}
    assert sex.known.absent == {"9": "refused"}
    assert sex.reasons is not None
    assert sex.reasons.tolist() == [-1, -1, 0, -1, -1]
    assert pain.known.absent == {"98": ""}
    assert (sex.known.measure, pain.known.measure) == ("nominal", "ordinal")
    assert table["age"].known.measure == "scale"


def test_spss_file_keeps_what_it_knows(sav, tmp_path):
    table = read(sav)
    check_sav(table)
    for ending in ("sav", "zsav"):
        table.write(tmp_path / f"back.{ending}")
        check_sav(read(tmp_path / f"back.{ending}"))
    there, meta = pyreadstat.read_sav(tmp_path / "back.sav", user_missing=True)
    here, before = pyreadstat.read_sav(sav, user_missing=True)
    assert there.equals(here)
    assert meta.missing_ranges == before.missing_ranges
    assert meta.variable_value_labels == before.variable_value_labels
    assert meta.original_variable_types == before.original_variable_types


def test_spss_schema_has_labels_measure_and_no_missing_code(sav):
    schema = Schema.infer(read(sav))
    assert schema["sex"].kind == "binary"
    assert list(schema["sex"].levels) == ["1", "2"]
    assert schema.level_names("sex") == ["male", "female"]
    assert schema["pain"].kind == "ordinal"
    assert schema.level_names("pain") == ["none", "mild", "bad"]
    assert Schema.from_toml(schema.to_toml()) == schema


def test_filled_spss_cell_loses_its_reason_and_others_keep_theirs(sav, tmp_path):
    table = read(sav)
    schema = Schema.infer(table)
    codes = encode(table, schema)
    d = schema.modelled.index("sex")
    where = np.zeros_like(codes, dtype=bool)
    where[2, d] = True
    full = fill(table, schema, np.ones_like(codes), where)
    full.write(tmp_path / "full.sav")
    frame, _ = pyreadstat.read_sav(tmp_path / "full.sav", user_missing=True)
    assert frame["sex"].tolist()[:3] == [1.0, 2.0, 2.0]
    assert frame["pain"].tolist()[4] == 98.0
    assert read(tmp_path / "full.sav")["pain"].text() == ["1", "3", "2", None, None]


def test_stata_file_keeps_what_it_knows(tmp_path):
    path = tmp_path / "t.dta"
    frame = pd.DataFrame({"sex": [1, 2, "a", 1], "race": [3, 1, 2, 1], "x": [0.5, NAN, 1.5, 2.0],
                          "word": ["u", "v", "", "u"]}).astype({"race": "int32"})  # fmt: skip
    pyreadstat.write_dta(
        frame, path, column_labels={"sex": "Sex", "race": "Race"},
        missing_user_values={"sex": ["a"]},
        variable_value_labels={"sex": {1: "male", 2: "female", "a": "refused"},
                               "race": {1: "white", 2: "black", 3: "other"}},
    )  # fmt: skip

    def check(table):
        assert table["sex"].text() == ["1", "2", None, "1"]
        assert table["sex"].known.absent == {"a": "refused"}
        assert table["sex"].reasons.tolist() == [-1, -1, 0, -1]
        assert table["race"].known.labels == {"1": "white", "2": "black", "3": "other"}
        assert table["race"].known.question == "Race"
        assert table["race"].known.type == "integer"
        assert table["x"].python() == [0.5, None, 1.5, 2.0]
        assert table["word"].text() == ["u", "v", None, "u"]

    table = read(path)
    check(table)
    table.write(tmp_path / "back.dta")
    check(read(tmp_path / "back.dta"))
    schema = Schema.infer(table)
    assert schema["race"].kind == "nominal", "labels give no order"
    # what pandas reads from the same file, labels as ordered categories, fits the schema
    with_labels = pd.read_stata(path)
    assert encode(with_labels, schema, unseen="error").tolist() == encode(table, schema).tolist()


def test_stata_letters_become_plain_holes_in_spss(tmp_path):
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(pd.DataFrame({"a": [1, 2, "b"]}), path, missing_user_values={"a": ["b"]},
                         variable_value_labels={"a": {1: "x", "b": "lost"}})  # fmt: skip
    read(path).write(tmp_path / "t.sav")
    assert read(tmp_path / "t.sav")["a"].text() == ["1", "2", None]


ARROW = pa.table(
    {
        "small": pa.array([1, None, 2], pa.int8()),
        "level": pa.DictionaryArray.from_arrays(
            pa.array([1, None, 0], pa.int8()), ["lo", "hi", "top"], ordered=True
        ),
        "text": ["None", None, ""],
        "flag": [True, False, None],
        "when": pa.array([datetime.date(2020, 1, 1), None, None]),
        "big": pa.array(["x", None, "y"], pa.large_string()),
    }
)


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow"])
def test_arrow_files_keep_every_type(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    Table({}, frame=ARROW).write(path)
    table = read(path)
    assert table.to_arrow().equals(ARROW)
    assert table["text"].text() == ["None", None, None]
    schema = Schema.infer(table)
    assert list(schema["level"].levels) == ["lo", "hi", "top"]
    codes = encode(table, schema)
    full = fill(table, schema, np.where(codes < 0, 0, codes), codes < 0)
    full.write(tmp_path / f"full.{ending}")
    back = read(tmp_path / f"full.{ending}").to_arrow()
    assert back.schema == ARROW.schema
    assert back["small"].to_pylist() == [1, 1, 2]
    assert back["level"].to_pylist() == ["hi", "lo", "lo"]
    assert back["when"].equals(ARROW["when"])


def test_parquet_of_pandas_and_polars(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": pd.Categorical(["x", None])}, index=["r", "s"])
    frame.to_parquet(tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet").to_pandas().equals(frame)
    other = pl.DataFrame({"e": ["b", None]}, schema={"e": pl.Enum(["b", "a"])})
    other.write_parquet(tmp_path / "b.parquet")
    assert read(tmp_path / "b.parquet")["e"].text() == ["b", None]


def test_excel(tmp_path):
    book = openpyxl.Workbook()
    rows = [["n", "code", "x", "flag", "day", "mixed"],
            [1, "01", 1.5, True, datetime.date(2020, 1, 2), 1],
            [None, "None", 2, False, None, "one"],
            [3, None, None, None, None, None]]  # fmt: skip
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")

    def check(table):
        assert table.columns == ("n", "code", "x", "flag", "day", "mixed")
        assert table["n"].python() == [1, None, 3]
        assert table["code"].text() == ["01", "None", None]
        assert table["x"].text() == ["1.5", "2", None]
        assert table["flag"].python() == [True, False, None]
        assert table["day"].text() == ["2020-01-02", None, None]
        assert table["mixed"].text() == ["1", "one", None]

    table = read(tmp_path / "t.xlsx")
    check(table)
    table.write(tmp_path / "back.xlsx")
    check(read(tmp_path / "back.xlsx"))
    sheet = openpyxl.load_workbook(tmp_path / "back.xlsx").active
    assert [cell.value for cell in sheet[2]][:4] == [1, "01", 1.5, True]
    assert sheet["E2"].value == datetime.datetime(2020, 1, 2)


def test_excel_text_that_xml_would_break(tmp_path):
    texts = ['<a> & "b"', " spaces ", "two\nlines", "é漢😀", None, "x"]
    Table.of({"<&>": texts}).write(tmp_path / "t.xlsx")
    assert read(tmp_path / "t.xlsx")["<&>"].text() == texts


def test_bad_sheets(tmp_path):
    for rows, word in [([], "empty"), ([["a", "b"]], "no rows"), ([["a", "a"], [1, 2]], "'a'"),
                       ([["a", None], [1, 2]], "no name")]:  # fmt: skip
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / "t.xlsx")
        with pytest.raises(InputError, match=word):
            read(tmp_path / "t.xlsx")


@pytest.mark.parametrize(
    "ending", ["csv", "tsv", "csv.gz", "parquet", "feather", "xlsx", "sav", "dta"]
)
def test_every_format_brings_the_same_texts_back(tmp_path, ending):
    table = Table.of(
        {"a": ["x", None, "None", "y"], "b": [1, 2, None, 10], "c": [0.5, None, 2.0, 1.5]}
    )
    table.write(tmp_path / f"t.{ending}")
    back = read(tmp_path / f"t.{ending}")
    assert back.columns == ("a", "b", "c")
    assert back["a"].text() == ["x", None, "None", "y"]
    assert back["b"].text() == ["1", "2", None, "10"]
    assert back["c"].text() == ["0.5", None, "2", "1.5"]
