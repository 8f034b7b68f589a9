"""Laws that every kind of column keeps."""

import numpy as np
import pytest

from clgp.tables import Binary, Ignored, InputError, Nominal, Numeric, Ordinal, Schema
from clgp.tables.cells import Cells
from clgp.tables.codec import encode_column
from clgp.tables.kinds import KINDS

COLUMNS = {
    "nominal": Nominal(["b", "a", "None"], missing=["?"]),
    "nominal labelled": Nominal(["1", "2", "7"], labels={"1": "red", "2": "blue"}, type="integer"),
    "ordinal": Ordinal(["none", "mild", "severe"], missing=["99", "dk"], suspects=["x"]),
    "ordinal numbers": Ordinal(["1", "1.5", "10"], type="number", why='said "so" \\ and\nso'),
    "binary": Binary(["False", "True"], missing=["?"], type="boolean"),
    "numeric": Numeric([18, 30.5], values=["12", "25", "60"], missing=["-9"], distinct=40),
    "numeric whole": Numeric([18, 19, 65], ["3", "18", "40", "70"], type="integer"),
}
cases = pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())


def test_every_kind_is_tried():
    assert {c.kind for c in COLUMNS.values()} | {"ignored"} == set(KINDS)


@cases
def test_encoding_what_is_decoded_gives_the_code_back(column):
    codes, unknown = encode_column(Cells.of(list(column.fillings)), column)
    assert codes.tolist() == list(range(len(column.levels)))
    assert not unknown


@cases
def test_a_level_can_be_given_by_its_name(column):
    codes, unknown = encode_column(Cells.of(list(column.names)), column)
    assert codes.tolist() == list(range(len(column.levels)))
    assert not unknown


@cases
def test_missing_stays_missing(column):
    codes, unknown = encode_column(Cells.of([None, *column.missing, None]), column)
    assert (codes == -1).all()
    assert not unknown


@cases
def test_an_unseen_level_is_reported(column):
    codes, unknown = encode_column(Cells.of(["no such level", None]), column)
    assert codes.tolist() == [-1, -1]
    assert unknown == [0]


@cases
def test_json_and_toml_bring_the_column_back(column):
    schema = Schema({'a "strange".name\té': column, "out": Ignored("it is a name")})
    assert Schema.from_toml(schema.to_toml()) == schema
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Nominal(["a", "a"]), "repeated"),
        (lambda: Nominal(["a"]), "two levels"),
        (lambda: Nominal(["a", ""]), "empty"),
        (lambda: Ordinal([]), "two levels"),
        (lambda: Binary(["a", "b", "c"]), "two levels"),
        (lambda: Nominal(["a", "b"], missing=["b"]), "both a level and a missing"),
        (lambda: Nominal("ab"), "list of texts"),
        (lambda: Nominal(["a", "b"], missing="b"), "list of texts"),
        (lambda: Numeric([2, 1], values=[1, 2, 3]), "rise"),
        (lambda: Numeric([1, 2], values=[1]), "3 levels"),
        (lambda: Numeric([float("nan")], values=[1, 2]), "finite"),
    ],
)
def test_bad_columns(make, word):
    with pytest.raises(InputError, match=word):
        make()


def test_bins_are_half_open_from_below():
    column = Numeric([18, 65], values=["9", "40", "70"], type="integer")
    cells = Cells.of_numbers(
        np.array([-1e9, 17.99, 18, 64, 65, 1e9]), np.zeros(6, bool), Cells.of([]).known
    )
    codes, _ = encode_column(cells, column)
    assert codes.tolist() == [0, 0, 1, 1, 2, 2]
    assert column.levels == ("below 18", "18 to 64", "65 or more")


def test_same_level_whatever_the_type():
    column = Ordinal(["1", "2", "10"])
    for values in ([1, 2, 10], ["1", "2", "10"], [1.0, 2.0, 10.0], np.array([1, 2, 10], np.int8)):
        assert encode_column(Cells.of(list(values)), column)[0].tolist() == [0, 1, 2]
    flags = Binary(["False", "True"])
    for values in ([False, True], ["False", "True"], ["FALSE", "true"], np.array([False, True])):
        assert encode_column(Cells.of(list(values)), flags)[0].tolist() == [0, 1]
    # one and true are two levels of a mixed column
    assert Cells.of([1, True, "x", 1.0]).texts == ["1", "True", "x"]


def test_texts_that_write_one_number_stay_apart_when_both_are_levels():
    column = Nominal(["1", "1.0"])
    assert encode_column(Cells.of(["1.0", "1", "01"]), column)[0].tolist() == [1, 0, -1]
