"""Real tables, where they are at hand: read, coded, filled and written back."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from clgp.tables import Schema, encode, fill, read
from clgp.tables.write import delimited_bytes

SHAPES = {  # rows, columns, empty cells, columns left out, as counted by other means
    "breast_cancer_wisconsin": (699, 10, 16, []),
    "bfi": (2800, 27, 731, []),
    "election2000": (1785, 16, 1948, []),
    "gss2016": (2867, 19, 4729, []),
    "house_votes_84": (435, 17, 392, []),
    "mushroom": (8124, 23, 2480, ["veil-type"]),
    "zoo": (101, 18, 0, ["animal"]),
    "soybean": (683, 36, 2337, []),
    "audiology": (226, 70, 317, []),
    "tea": (300, 35, 0, []),
    "titanic": (2201, 4, 0, []),
    "alphadigits": (1404, 321, 0, []),
}
FOLDERS = [p / "shared" / "data" for p in Path(__file__).parents]
FOLDER = next((p for p in FOLDERS if p.is_dir()), None)


def lines(text):
    """Each line as it is and its fields."""
    return list(zip(text.splitlines(), csv.reader(text.splitlines()), strict=True))


@pytest.mark.parametrize("name", SHAPES)
def test_real_table(name):
    if FOLDER is None:
        pytest.skip(f"{name}.csv is not at hand")
    path = FOLDER / f"{name}.csv"
    N, D, empty, out = SHAPES[name]
    table = read(path)
    schema = Schema.infer(table)
    assert (len(table), len(table.columns)) == (N, D)
    assert [n for n in table.columns if schema[n].kind == "ignored"] == out
    codes = encode(table, schema, unseen="error")
    assert (codes < 0).sum() == empty
    raw = path.read_bytes()
    assert delimited_bytes(table) == raw
    full = delimited_bytes(fill(table, schema, np.maximum(codes, 0), codes < 0)).decode()
    for before, after in zip(*map(lines, (raw.decode(), full)), strict=True):
        assert before[0] == after[0] or "" in before[1]
        assert [a for a, b in zip(after[1], before[1], strict=True) if b] == [
            b for b in before[1] if b
        ]
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    assert encode(frame, schema, unseen="error").tolist() == codes.tolist()


def test_wisconsin_keeps_its_ten_levels():
    if FOLDER is None:
        pytest.skip("breast_cancer_wisconsin.csv is not at hand")
    schema = Schema.infer(read(FOLDER / "breast_cancer_wisconsin.csv"))
    assert schema.levels.cards == (10,) * 9 + (2,)
    assert schema.ordinal.tolist() == [True] * 9 + [False]
