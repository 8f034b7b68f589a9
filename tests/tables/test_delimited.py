"""Delimited text: what is read, and that it is written back byte for byte."""

import csv
import gzip
import io
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clgp.tables import Schema, encode, fill, read
from clgp.tables.delimited import parse_delimited
from clgp.tables.write import delimited_bytes

LAYOUTS = {
    "plain": b"a,b\nx,1\n,2\ny,1\n",
    "no last newline": b"a,b\nx,1\n,2\ny,1",
    "windows": b"a;b\r\nx;1\r\n;2\r\ny;1\r\n",
    "old mac": b"a,b\rx,1\r,2\ry,1\r",
    "tabs": b"a\tb\nx\t1\n\t2\ny\t1\n",
    "pipes": b"a|b\nx|1\n|2\ny|1\n",
    "byte order mark": b"\xef\xbb\xbfa,b\nx,1\n,2\ny,1\n",
    "utf-16": "\ufeffa,b\nx,1\n,2\ny,1\n".encode("utf-16-le"),
    "quotes that need not be": b'"a","b"\n"x","1"\n"",2\ny,"1"\n',
    "empty lines": b"\n\na,b\n\nx,1\n\n\n,2\ny,1\n\n",
    "empty lines and quotes": b'\n"a",b\n\nx,"1"\n\n\n,2\ny,1\n\n',
}
layouts = pytest.mark.parametrize("raw", LAYOUTS.values(), ids=LAYOUTS.keys())


@layouts
def test_cells_are_texts_and_an_empty_cell_is_missing(raw):
    table = parse_delimited(raw, "t.csv")
    assert table.columns == ("a", "b")
    assert table["a"].text() == ["x", None, "y"]
    assert table["b"].text() == ["1", "2", "1"]


@layouts
def test_unchanged_table_is_written_back_byte_for_byte(raw):
    assert delimited_bytes(parse_delimited(raw, "t.csv")) == raw


@layouts
def test_only_the_filled_cell_changes(raw):
    table = parse_delimited(raw, "t.csv")
    schema = Schema.infer(table)
    full = delimited_bytes(fill(table, schema, np.array([[1, 0]] * 3), np.ones((3, 2), dtype=bool)))
    lines = {b'"",2': b"y,2", b"\r;2": b"\ry;2", b"\n;2": b"\ny;2", b"\n\t2": b"\ny\t2",
             b"\n|2": b"\ny|2", b"\r,2": b"\ry,2", b"\n,2": b"\ny,2",
             "\n,2".encode("utf-16-le"): "\ny,2".encode("utf-16-le")}  # fmt: skip
    old, new = next((o, n) for o, n in lines.items() if o in raw)
    assert full == raw.replace(old, new)


def test_labels_that_look_like_missing_are_labels():
    table = parse_delimited(b"a,b\nNone,NA\nnan,?\n ,.\n", "t.csv")
    assert table["a"].text() == ["None", "nan", " "]
    assert table["b"].text() == ["NA", "?", "."]


def test_quoted_fields_hold_delimiters_quotes_and_lines():
    raw = b'a,b\n"x, ""so""\nand so",1\n,"2\n"\n'
    table = parse_delimited(raw, "t.csv")
    assert table["a"].text() == ['x, "so"\nand so', None]
    schema = Schema.infer(table, kinds={"a": "ignored"})
    assert delimited_bytes(table) == raw
    schema = Schema.from_json({"columns": [{"name": "a", "kind": "binary",
                                            "levels": ['q"', "z,\n"]}]})  # fmt: skip
    hole = np.array([[False], [True]])
    full = delimited_bytes(fill(table, schema, np.array([[0], [1]]), hole))
    assert full == b'a,b\n"x, ""so""\nand so",1\n"z,\n","2\n"\n'
    full = delimited_bytes(fill(table, schema, np.array([[0], [0]]), hole))
    assert full == b'a,b\n"x, ""so""\nand so",1\n"q""","2\n"\n'


def test_odd_quotes_of_other_cells_stay():
    raw = b'a,b,c\n"x"y,,z"w"\nu,v,w\n'
    table = parse_delimited(raw, "t.csv")
    assert table["a"].text() == ["xy", "u"]
    schema = Schema.from_json({"columns": [{"name": "b", "kind": "binary", "levels": ["v", "n"]}]})
    full = fill(table, schema, np.array([[1], [0]]), np.ones((2, 1), dtype=bool))
    assert delimited_bytes(full) == b'a,b,c\n"x"y,n,z"w"\nu,v,w\n'


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16", "utf-8-sig"])
def test_encodings(tmp_path, encoding):
    text = "größe,Straße\nklein,Überweg\ngroß,\n"
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    table = read(path)
    assert table.columns == ("größe", "Straße")
    assert table["größe"].text() == ["klein", "groß"]
    table.write(tmp_path / "back.csv")
    assert (tmp_path / "back.csv").read_bytes() == path.read_bytes()


def test_one_column_and_its_empty_lines():
    table = parse_delimited(b"a\nx\n\ny\n", "t.csv")
    assert table["a"].text() == ["x", None, "y"]
    schema = Schema.infer(table)
    full = fill(table, schema, np.array([[0]] * 3), np.ones((3, 1), dtype=bool))
    assert delimited_bytes(full) == b"a\nx\nx\ny\n"
    assert delimited_bytes(table) == b"a\nx\n\ny\n"
    assert parse_delimited(b'"a"\nx\n""\ny\n', "t.csv")["a"].text() == ["x", None, "y"]


def test_delimiter_is_not_taken_from_inside_the_cells():
    raw = b"name;place\nA, B and C;x\nD, E;y\n"
    assert parse_delimited(raw, "t.csv").columns == ("name", "place")
    assert parse_delimited(b"a b\n1 2\n", "t.csv").columns == ("a b",)
    assert parse_delimited(b"a;b\n1;2\n", "t.csv", delimiter=",").columns == ("a;b",)


def test_standard_input_and_output(monkeypatch, capsysbinary):
    class Stdin:
        buffer = io.BytesIO(b"a,b\nx,1\n")

    monkeypatch.setattr("sys.stdin", Stdin)
    table = read("-")
    table.write("-")
    assert capsysbinary.readouterr().out == b"a,b\nx,1\n"


def test_gzip(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\nx,1\n,2\n"))
    table = read(path)
    assert table["a"].text() == ["x", None]
    table.write(tmp_path / "u.csv.gz")
    assert gzip.decompress((tmp_path / "u.csv.gz").read_bytes()) == b"a,b\nx,1\n,2\n"


def test_other_delimiter_on_request(tmp_path):
    parse_delimited(b'a,b\n"x\ty",1\n,2\n', "t.csv").write(tmp_path / "t.tsv")
    assert (tmp_path / "t.tsv").read_bytes() == b'a\tb\n"x\ty"\t1\n\t2\n'


cell = st.text(st.sampled_from("ab1?é ,;\"'\n\r\t|."), max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 4).flatmap(lambda d: st.lists(
    st.lists(cell, min_size=d, max_size=d), min_size=1, max_size=5)), st.data())  # fmt: skip
def test_whatever_csv_writes_is_read_and_kept(rows, data):
    names = [f"c{d}" for d in range(len(rows[0]))]
    delimiter = data.draw(st.sampled_from(",;\t|"))
    quoting = data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, quoting=quoting).writerows([names, *rows])
    raw = out.getvalue().encode()
    table = parse_delimited(raw, "t.csv", delimiter=delimiter)
    texts = [list(row) for row in zip(*(table[n].text() for n in names), strict=True)]
    assert texts == [[text or None for text in row] for row in rows]
    assert delimited_bytes(table) == raw
    # fill one column's holes: read again, the others are as they were
    schema = Schema.from_json({"columns": [{"name": "c0", "kind": "binary",
                                            "levels": ['n,"w\n', "o"]}]})  # fmt: skip
    codes = np.zeros((len(rows), 1), int)
    back = delimited_bytes(fill(table, schema, codes, np.ones_like(codes, dtype=bool)))
    again = parse_delimited(back, "t.csv", delimiter=delimiter)
    filled = [[row[0] or 'n,"w\n', *(text or None for text in row[1:])] for row in rows]
    assert [list(r) for r in zip(*(again[n].text() for n in names), strict=True)] == filled


def test_many_rows_in_seconds(tmp_path):
    N, D = 200_000, 10
    rng = np.random.default_rng(0)
    columns = [rng.choice(["none", "mild", "severe", ""], N) for _ in range(D)]
    header = ",".join(f"c{d}" for d in range(D))
    path = tmp_path / "many.csv"
    path.write_text("\n".join([header, *map(",".join, zip(*columns, strict=True))]) + "\n")
    start = time.perf_counter()
    table = read(path)
    schema = Schema.infer(table)
    codes = encode(table, schema)
    assert time.perf_counter() - start < 10
    assert codes.shape == (N, D)
    assert list(schema["c3"].levels) == ["mild", "none", "severe"]
    levels = np.array(["mild", "none", "severe", ""])
    assert (levels[codes[:, 3]] == columns[3]).all()
