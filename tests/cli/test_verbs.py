"""The verbs do what they promise, for any small file of texts with empty cells."""

import csv
import io
import re

import numpy as np
import pytest

COLUMNS = {  # levels as they stand in the file, but for quotes
    "sex": ["F", "M"],
    "pain, now": ["none", "mild; dull", "sévère", 'so-called "bad"'],
    "smokes": ["yes", "no"],
    "grade": ["1", "2", "3"],
    "always": ["same"],
}
DIALECTS = {  # delimiter, end of line, encoding, whether every field is quoted
    "plain": (",", "\n", "utf-8", False),
    "excel": (";", "\r\n", "utf-8-sig", False),
    "tabs": ("\t", "\n", "latin-1", False),
    "pipes": ("|", "\r\n", "utf-8", True),
    "latin": (";", "\n", "latin-1", True),
}


def raw(text, delimiter, *, quoted):
    """A field as it stands in a file; an empty one is a hole and stays bare."""
    if text and (quoted or delimiter in text or '"' in text):
        return '"' + text.replace('"', '""') + '"'
    return text


def people(n, seed, holes):
    """Rows in which the columns depend on each other, with empty cells."""
    key = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        kind = key.integers(2)
        row = [
            levels[int(kind if key.random() < 0.8 else key.integers(len(levels))) % len(levels)]
            for levels in COLUMNS.values()
        ]
        rows.append(["" if key.random() < holes else text for text in row])
    return rows


def write(path, rows, dialect):
    delimiter, end, encoding, quoted = DIALECTS[dialect]
    lines = [
        delimiter.join(raw(text, delimiter, quoted=quoted) for text in row)
        for row in [list(COLUMNS), *rows]
    ]
    path.write_bytes((end.join(lines) + end).encode(encoding))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_complete_changes_holes_alone(dialect, clgp, tmp_path):
    delimiter, end, encoding, quoted = DIALECTS[dialect]
    write(tmp_path / "seen.csv", people(60, 0, 0.2), dialect)
    rows = people(30, 1, 0.3)
    write(tmp_path / "holes.csv", rows, dialect)
    said = clgp("fit", "seen.csv", "--model", "tree", "-o", "m.clgp")
    assert (said.code, said.err) == (0, "")
    assert "'always' is left out" in said.out or "every answer is 'same'" in said.out
    assert clgp("complete", "m.clgp", "holes.csv", "-o", "full.csv").code == 0
    told = clgp("complete", "m.clgp", "holes.csv", "--min-prob", "0.9", "-o", "sure.csv", "--json")
    for name, least in (("full.csv", True), ("sure.csv", False)):
        text = (tmp_path / name).read_bytes().decode(encoding)
        found = fillings(text, rows, delimiter, end, quoted)
        filled = [(d, t) for d, t in found if t]
        assert all(t in levels_of(d) for d, t in filled)
        if least:
            assert {d for d, t in found if not t} == {4}
        else:
            left = sum(d != 4 and not t for d, t in found)
            assert (told.json["filled"], told.json["left"]) == (len(filled), left)
            assert left > 0 < len(filled)


def levels_of(d):
    return list(COLUMNS.values())[d]


def fillings(text, rows, delimiter, end, quoted):
    """What stands in the holes, by column; all else must stand as it stood, to the byte."""
    lines = [
        re.escape(delimiter).join(
            re.escape(raw(text, delimiter, quoted=quoted)) or "(.*?)" for text in row
        )
        for row in [list(COLUMNS), *rows]
    ]
    found = re.fullmatch(re.escape(end).join([*lines, ""]), text)
    assert found, text
    holes = [d for row in rows for d, text in enumerate(row) if not text]
    return [
        (d, next(iter(next(csv.reader([t], delimiter=delimiter), [])), ""))
        for d, t in zip(holes, found.groups(), strict=True)
    ]


def test_sure_cells_are_those_of_high_probability(clgp, tmp_path):
    import clgp as package

    write(tmp_path / "seen.csv", people(200, 0, 0.1), "plain")
    clgp("fit", "seen.csv", "--model", "tree", "-o", "m.clgp")
    said = clgp("complete", "m.clgp", "seen.csv", "--min-prob", "0.7")
    full = list(csv.DictReader(io.StringIO(said.out)))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "seen.csv").read_text())))
    P = package.load(tmp_path / "m.clgp").predict_proba(rows)
    best = {}
    for cell in P:
        at = (cell["row"], cell["column"])
        best[at] = max(best.get(at, (0, "")), (cell["prob"], cell["level"]))
    assert len(best) > 50
    for (n, column), (p, level) in best.items():
        assert full[n][column] == (level if p >= 0.7 else "")


@pytest.mark.parametrize("hide", ["0.2", "one"])
def test_fit_and_evaluate(hide, clgp, tmp_path):
    write(tmp_path / "T.csv", people(60, 0, 0.2), "excel")
    write(tmp_path / "T2.csv", people(40, 1, 0.2), "plain")
    said = clgp("fit", "T.csv", "--model", "lca", "-o", "m.clgp", "--seed", "0", "--json")
    assert set(said.json["held_out"]["scores"]) >= {"lca", "uniform", "tree"}
    line = ("evaluate", "m.clgp", "T2.csv", "--hide", hide, "--seed", "1", "--json")
    told = clgp(*line).json
    assert told["bits"] == pytest.approx(told["nats"] / np.log(2))
    assert told["perplexity"] == pytest.approx(np.exp(told["nats"]))
    assert 0 < told["accuracy"] <= 1 > told["ece"] >= 0
    assert set(told["se"]) == {"nats", "bits", "perplexity", "accuracy", "ece"}
    assert told["nats"] < np.log([2, 4, 2, 3]).mean()
    assert clgp(*line).json == told
    text = clgp(*line[:-1]).out
    assert f"{told['nats']:.3f} ± {told['se']['nats']:.3f}" in text


def test_same_seed_same_file(clgp, tmp_path):
    write(tmp_path / "T.csv", people(60, 0, 0.2), "plain")
    for name in "ab":
        clgp("fit", "T.csv", "--model", "lca", "-o", f"{name}.clgp", "--seed", "3")
    for verb in (["sample", "-n", "20", "--seed", "1"], ["impute", "T.csv", "-m", "2"]):
        verb, *rest = verb
        assert clgp(verb, "a.clgp", *rest).out == clgp(verb, "b.clgp", *rest).out


def test_next_ranks_by_bits_and_tells_the_odds(clgp, wisconsin_model):
    line = ("next", wisconsin_model, "--given", "clump_thickness=5", "--target", "class")
    told = clgp(*line, "--json").json
    assert sum(told["belief"].values()) == pytest.approx(1)
    assert set(told["belief"]) == {"benign", "malignant"}
    bits = [q["bits"] for q in told["questions"]]
    assert bits == sorted(bits, reverse=True)
    assert min(bits) >= 0 < max(bits) <= 1
    names = [q["column"] for q in told["questions"]]
    assert len(names) == len(set(names)) == 8
    assert not {"class", "clump_thickness"} & set(names)
    first = names[0]
    dear = clgp(*line, "--cost", f"{first}=1000", "--json").json["questions"]
    assert dear[-1]["column"] == first
    assert dear[-1]["bits_per_cost"] == pytest.approx(bits[0] / 1000)
    less = clgp(*line, "--exclude", first, "-k", "2", "--json").json["questions"]
    assert [q["column"] for q in less] == names[1:3]
    assert clgp(*line).out.splitlines()[0].startswith("class: ")


def test_impute_is_long_and_keeps_what_is_known(clgp, wisconsin_model, tmp_path):
    from clgp import data

    clgp("impute", wisconsin_model, "wisconsin", "-m", "3", "-o", "out.csv", "--seed", "1")
    rows = list(csv.reader((tmp_path / "out.csv").read_text().splitlines()))
    first = list(csv.reader(data.path("wisconsin").read_text().splitlines()))
    N = len(first) - 1
    assert rows[0] == [".imp", ".id", *first[0]]
    assert [r[:2] for r in rows[1:]] == [[str(i), str(n + 1)] for i in range(4) for n in range(N)]
    assert [r[2:] for r in rows[1 : N + 1]] == first[1:]
    draws = set()
    for i in range(1, 4):
        for now, then in zip(rows[1 + i * N : 1 + (i + 1) * N], first[1:], strict=True):
            assert all(a == b or (b == "" and a) for a, b in zip(now[2:], then, strict=True))
        draws.add(tuple(map(tuple, (r[2:] for r in rows[1 + i * N : 1 + (i + 1) * N]))))
    assert len(draws) == 3


def test_sample_score_unusual_and_info(clgp, wisconsin_model):
    new = clgp("sample", wisconsin_model, "-n", "9", "--given", "class=malignant").out
    rows = list(csv.DictReader(io.StringIO(new)))
    assert [r["class"] for r in rows] == ["malignant"] * 9
    assert all(r["mitoses"] in map(str, range(1, 11)) for r in rows)
    scores = list(csv.DictReader(io.StringIO(clgp("score", wisconsin_model, "wisconsin").out)))
    assert [int(r["row"]) for r in scores] == list(range(1, 700))
    assert all(float(r["log_prob"]) < 0 for r in scores)
    told = clgp("unusual", wisconsin_model, "wisconsin", "--top", "4", "--json").json["rows"]
    per_cell = {int(r["row"]): float(r["log_prob"]) / int(r["cells"]) for r in scores}
    assert [r["row"] for r in told] == sorted(per_cell, key=per_cell.__getitem__)[:4]
    about = clgp("info", wisconsin_model, "--json").json
    assert (about["model"], about["rows"], about["columns"]) == ("tree", 699, 10)
    assert clgp("info", wisconsin_model).out.startswith("tree of 699 rows")


def test_streams(clgp, wisconsin_model):
    """`-` reads models and tables, and writes them, and nothing else then goes to the output."""
    from clgp import data

    model = wisconsin_model.read_bytes()
    assert clgp("info", "-", "--json", stdin=model).json["model"] == "tree"
    table = data.path("wisconsin").read_bytes()
    said = clgp("complete", wisconsin_model, "-", stdin=table)
    assert (said.code, said.err) == (0, "")
    assert [line for line in said.out.splitlines() if ",," in line] == []
    rows = clgp("complete", wisconsin_model, "-", "--json", stdin=table).json["rows"]
    assert [",".join(r.values()) for r in rows] == said.out.splitlines()[1:]
    assert clgp("inspect", "wisconsin", "-o", "-").out.startswith("# Schema")


def test_schema_weights_and_missing_codes(clgp, tmp_path):
    lines = ["age,sex,w,pain", "1,F,2,none", "2,M,1,99", "1,F,0.5,mild", "2,?,1,mild"] * 1
    (tmp_path / "T.csv").write_text("\n".join(lines + lines[1:] * 9) + "\n")
    told = clgp("inspect", "T.csv", "--json").json
    kinds = {c["name"]: c["kind"] for c in told["columns"]}
    assert kinds["sex"] == "nominal"
    assert any("'?'" in note for note in told["notes"])
    codes = ("--missing-code", "sex=?", "--missing-code", "99")
    clgp("inspect", "T.csv", *codes, "--kind", "age=ordinal", "-o", "s.toml")
    base = ("fit", "T.csv", "--model", "unigram", "--weight", "w", "-o")
    clgp(*base, "a.clgp", "--schema", "s.toml")
    clgp(*base, "b.clgp", *codes, "--kind", "age=ordinal")
    for name in ("a.clgp", "b.clgp"):
        schema = clgp("info", name, "--json").json["schema"]["columns"]
        by = {c["name"]: c for c in schema}
        assert by["sex"]["levels"] == ["F", "M"]
        assert by["age"]["kind"] == "ordinal"
        assert by["w"]["kind"] == "ignored"
        assert by["pain"]["levels"] == ["mild", "none"]
        odds = clgp("next", name, "--target", "sex", "--json").json["belief"]
        assert odds["F"] == pytest.approx(2.5 / 3.5, abs=0.01)
        full = clgp("complete", name, "T.csv").out
        assert "99" not in full
        assert "?" not in full
