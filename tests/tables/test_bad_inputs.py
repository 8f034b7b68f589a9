"""Each bad file: one InputError of a sentence or two, saying what, where and what to do."""

import gzip
import os
import time

import numpy as np
import pandas as pd
import pytest

from clgp.tables import InputError, Schema, Table, atomic, encode, encode_case, read

RUBBISH = np.random.default_rng(0).integers(0, 256, 5_000, dtype=np.uint8).tobytes()
FILES = {
    "empty.csv": (b"", ["empty.csv", "empty"]),
    "blank.csv": (b" \n\n", ["empty"]),
    "header.csv": (b"a,b\n", ["no rows"]),
    "twice.csv": (b"a,b,a\n1,2,3\n", ["line 1", "'a'", "rename"]),
    "unnamed.csv": (b"a,,c\n1,2,3\n", ["line 1", "column 2", "name"]),
    "ragged.csv": (b"a,b\n1,2\n\n1,2,3\n", ["line 4", "expected 2", "found 3"]),
    "short.csv": (b"a,b\n1,2\n1\n", ["line 3", "expected 2", "found 1"]),
    "ragged quoted.csv": (b'a,b\n1,"2\n2"\n1,"x\ny",3\n', ["lines 4 to 5", "expected 2"]),
    "unclosed.csv": (b'a,b\n1,2\n"1,2\n3,4\n5,6\n', ["lines 3 to 5", "quotes"]),
    "rubbish.csv": (RUBBISH, ["not a text file"]),
    "controls.csv": (b"a,b\n" + bytes(range(1, 9)) * 40 + b"\xff\n", ["not a text file"]),
    "nul.csv": (b"a,b\n1,\0\n", ["line 2", "NUL"]),
    "bom.csv": (b"\xef\xbb\xbfa,b\n1,\xff\n", ["UTF-8", "byte"]),
    "odd16.csv": (b"\xff\xfea\0,\0b\0\n\0x", ["UTF-16"]),
    "cut.csv.gz": (gzip.compress(b"a,b\n1,2\n" * 999)[:-20], ["gzip"]),
    "cut.parquet": (b"PAR1 and so on", ["cut.parquet", "Parquet"]),
    "empty.parquet": (b"", ["empty"]),
    "cut.feather": (b"ARROW1", ["Arrow"]),
    "cut.arrow": (RUBBISH, ["Arrow"]),
    "cut.xlsx": (b"PK\x03\x04" + RUBBISH, ["Excel"]),
    "cut.sav": (b"$FL2" + RUBBISH, ["SPSS"]),
    "cut.dta": (b"<stata_dta>", ["Stata"]),
    "table.docx": (b"PK", ["ending", ".docx", ".csv"]),
    "noending": (b"a,b\n1,2\n", ["ending", ".csv"]),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_file(tmp_path, name):
    raw, words = FILES[name]
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(InputError) as error:
        read(tmp_path / name)
    assert one_sentence(str(error.value))
    assert [word for word in words if word not in str(error.value)] == []


def one_sentence(message):
    return "\n" not in message and len(message) < 400 and message.endswith((".", "?"))


@pytest.mark.parametrize("ending", ["parquet", "feather", "xlsx", "sav", "dta"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_file_cut_short(tmp_path, ending, share):
    path = tmp_path / f"t.{ending}"
    Table.of({"a": ["x", "y"] * 500, "b": list(range(1000))}).write(path)
    assert len(read(path)) == 1000
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * share)])
    with pytest.raises(InputError) as error:
        read(path)
    assert one_sentence(str(error.value))


def test_missing_file_and_folder(tmp_path):
    (tmp_path / "clinic.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"no file .*did you mean 'clinic.csv'"):
        read(tmp_path / "clinc.csv")
    with pytest.raises(InputError, match="nor a folder"):
        read(tmp_path / "nowhere" / "t.csv")
    with pytest.raises(InputError, match="is a folder"):
        read(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_unreadable_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    with pytest.raises(InputError, match="rights"):
        read(path)


def test_a_cell_of_a_million_characters_is_quick(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "x" * 1_000_000 + ',1\n"' + "y," * 500_000 + '",2\nz,\n')
    start = time.perf_counter()
    table = read(path)
    schema = Schema.infer(table)
    encode(table, schema)
    assert len(repr(table)) + len(repr(schema)) + len(str(schema.notes)) < 2_000
    with pytest.raises(InputError) as error:
        encode_case({"a": "q" * 1_000_000}, schema)
    assert len(str(error.value)) < 1_000
    assert time.perf_counter() - start < 5


def test_the_extra_is_named_when_it_is_not_there(tmp_path, monkeypatch):
    import clgp.tables.extra

    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(clgp.tables.extra.importlib, "import_module", absent)
    for ending in ("parquet", "feather", "xlsx", "sav", "dta"):
        (tmp_path / f"t.{ending}").write_bytes(b"something")
        with pytest.raises(InputError, match=r"clgp\[files\]"):
            read(tmp_path / f"t.{ending}")


def test_output_where_no_file_can_be(tmp_path):
    table = Table.of({"a": ["x"]})
    for path, word in [
        (tmp_path, "folder"),
        (tmp_path / "no" / "t.csv", "no folder"),
        (tmp_path / "t.docx", "ending"),
        (tmp_path / "t", "ending"),
    ]:
        with pytest.raises(InputError, match=word):
            table.write(path)


def test_a_failure_never_harms_what_was_there(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(ZeroDivisionError), atomic(path) as beside:
        beside.write_text(f"half {1 / 0}")
    assert path.read_text() == "old"
    with atomic(path) as beside:
        beside.write_text("new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    with atomic(link) as beside:
        beside.write_text("newer")
    assert link.is_symlink()
    assert path.read_text() == "newer"
    with atomic(os.devnull) as beside:
        beside.write_text("gone")
    assert os.path.exists(os.devnull)


BAD_SCHEMAS = {
    "": "names no column",
    "[columns.a]\nkind = 'ordinal'\nlevels = ['x', 'x']": "'a'.*repeated",
    "[columns.a]\nkind = 'ordinal'\nlevels = ['x']": "'a'.*two levels",
    "[columns.a]\nkind = 'ordinal'": "'a'.*needs 'levels'",
    "[columns.a]\nkind = 'fuzzy'\nlevels = ['x', 'y']": "unknown kind 'fuzzy'",
    "[columns.a]\nlevels = ['x', 'y']": "unknown kind None",
    "[columns.a]\nkind = 'nominal'\nlevel = ['x', 'y']": "did you mean 'levels'",
    "[columns.a]\nkind = 'nominal'\nlevels = 'x'": "'levels' must be a list",
    "[columns.a]\nkind = 'nominal'\nlevels = ['x', 'y']\nmissing = 'z'": "'missing' must be a list",
    "[columns.a]\nkind = 'nominal'\nlevels = ['x', 'y']\ntype = 'int'": "'type' must be one of",
    "[columns.a]\nkind = 'nominal'\nlevels = ['x', 'y']\nlabels = 1": "'labels' must be",
    "[columns.a]\nkind = 'numeric'\nedges = ['x']\nvalues = [1, 2]": "'edges' must be numbers",
    "[columns.a]\nkind = 'numeric'\nedges = [1]": "needs 'values'",
    "[columns]\na = 3": "'a'.*expected a table",
    "[columns.a\nkind = 'nominal'": "not valid TOML.*line 1",
}


@pytest.mark.parametrize("text", BAD_SCHEMAS)
def test_bad_schema(tmp_path, text):
    path = tmp_path / "schema.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=f"(?s){BAD_SCHEMAS[text]}"):
        Schema.from_toml(path)


def test_schema_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="no schema file"):
        Schema.from_toml(tmp_path / "no.toml")
    with pytest.raises(InputError, match="folder"):
        Schema.from_toml(tmp_path)
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        Schema.from_toml(str(tmp_path / "x.toml"))


def test_schema_and_table_that_do_not_belong_together():
    schema = Schema.infer(pd.DataFrame({"age": ["old", "young"], "sex": ["F", "M"]}))
    with pytest.raises(InputError, match=r"None of the schema's columns.*age, sex.*found a"):
        encode(pd.DataFrame({"a": ["x"]}), schema)
    with pytest.raises(InputError, match="no rows"):
        encode(pd.DataFrame({"age": []}), schema)
    with pytest.raises(InputError, match="did you mean 'age'"):
        schema["Age"]
    with pytest.raises(InputError, match="did you mean 'sex'"):
        schema.set("sexx", kind="nominal")
    empty = Schema.infer(pd.DataFrame({"a": [None, None]}))
    with pytest.raises(InputError, match=r"No column can be modelled.*no answers"):
        encode(pd.DataFrame({"a": ["x"]}), empty)
