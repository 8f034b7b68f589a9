"""Each bad input: exit code 2, a sentence or two saying what, where and what to do; no damage."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = str(Path(sys.executable).with_name("clgp"))
RUBBISH = np.random.default_rng(0).integers(0, 256, 5_000, dtype=np.uint8).tobytes()
GOOD = b"sex,pain,smokes\n" + b"F,none,no\nM,mild,yes\nF,mild,\nM,,no\nF,none,yes\n" * 8
FILES = {
    "good.csv": GOOD,
    "empty.csv": b"",
    "header.csv": b"a,b\n",
    "twice.csv": b"a,b,a\n1,2,3\n",
    "unnamed.csv": b"a,,c\n1,2,3\n",
    "ragged.csv": b"a,b\n1,2\n1,2,3\n",
    "unclosed.csv": b'a,b\n1,2\n"1,2\n3,4\n',
    "rubbish.csv": RUBBISH,
    "nul.csv": b"a,b\n1,\0\n2,3\n",
    "encoding.csv": b"\xef\xbb\xbfa,b\n1,\xff\n",
    "cut.csv.gz": gzip.compress(GOOD * 99)[:-20],
    "cut.parquet": b"PAR1 and so on",
    "cut.xlsx": b"PK\x03\x04" + RUBBISH,
    "cut.sav": b"$FL2" + RUBBISH,
    "cut.dta": b"<stata_dta>",
    "notes.docx": b"PK",
    "noending": GOOD,
    "hollow.csv": b"a,b\n,\n,\n,\n",
    "one_row.csv": b"a,b\nx,y\n",
    "one_column.csv": b"a\nx\ny\nx\n",
    "semicolons.csv": b"a b|c d\nx|1\ny|2\nx|3\n",
    "constant.csv": b"a,b\n1,2\n1,2\n1,2\n",
    "other.csv": b"length,width\n1,2\n2,1\n",
    "huge.csv": b"a,b\n" + b"x" * 1_000_000 + b",1\ny,2\n",
    "imp.csv": GOOD.replace(b"smokes", b".imp"),
    "weights.csv": b"a,b,w\nx,1,1\ny,2,-1\nx,2,2\n",
    "no_weight.csv": b"a,b,w\nx,1,1\ny,2,\nx,2,2\n",
    "zero.csv": b"a,b,w\nx,1,0\ny,2,0\nx,2,0\n",
    "broken.toml": b"[columns.sex\nkind = 'nominal'\n",
    "alien.toml": b"[columns.height]\nkind = 'nominal'\nlevels = ['a', 'b']\n"
    b"[columns.sex]\nkind = 'nominal'\nlevels = ['F', 'M']\n",
    "fuzzy.toml": b"[columns.sex]\nkind = 'fuzzy'\nlevels = ['F', 'M']\n",
    "latin.toml": b"[columns.sex]\nkind = 'nominal'\nlevels = ['F', '\xe9']\n",
    "rubbish.clgp": RUBBISH,
    "empty.clgp": b"",
}
# a command line, and words that its complaint must hold
BAD = [
    ("inspect no.csv", "There is no file 'no.csv'"),
    ("inspect god.csv", "did you mean 'good.csv'"),
    ("inspect folder", "is a folder"),
    ("inspect empty.csv", "empty.csv is empty"),
    ("inspect header.csv", "header but no rows"),
    ("inspect twice.csv", "line 1: column names must differ, but 'a'"),
    ("inspect unnamed.csv", "line 1: column 2 of 3 has no name"),
    ("inspect ragged.csv", "line 3: expected 2 fields as in the header, found 3"),
    ("inspect unclosed.csv", "check the quotes"),
    ("inspect rubbish.csv", "not a text file"),
    ("inspect nul.csv", "line 2.*NUL"),
    ("inspect encoding.csv", "UTF-8"),
    ("inspect cut.csv.gz", "damaged gzip"),
    ("inspect cut.parquet", "Parquet"),
    ("inspect cut.xlsx", "Excel"),
    ("inspect cut.sav", "SPSS"),
    ("inspect cut.dta", "Stata"),
    ("inspect notes.docx", "ending '.docx' is not known.*csv"),
    ("inspect noending", "ending '' is not known"),
    ("inspect good.csv --delimiter ,,", "--delimiter must be one character"),
    ("inspect good.csv --missing-code height=9", "no column 'height'"),
    ("inspect good.csv --kind sex", "--kind sex: expected COLUMN=VALUE"),
    ("inspect good.csv --kind sex=fuzzy", "'sex': unknown kind 'fuzzy'; use one of"),
    ("inspect good.csv --kind sex=numeric", "'sex': cannot be numeric"),
    ("inspect good.csv -o folder", "is a folder"),
    ("inspect good.csv -o - --json", "both want standard output"),
    ("inspect -", "standard input is empty"),
    ("fit no.csv -o new.clgp", "There is no file 'no.csv'"),
    ("fit hollow.csv -o old.clgp", "No column can be modelled.*no answers"),
    ("fit constant.csv -o old.clgp", "No column can be modelled.*every answer is '1'"),
    ("fit one_row.csv -o old.clgp", "one_row.csv has 1"),
    ("fit one_column.csv -o old.clgp", "Only 'a' of the 1 columns.*--delimiter"),
    ("fit semicolons.csv --delimiter ; -o old.clgp", "Only.*--delimiter"),
    ("fit huge.csv -o old.clgp", "'a'.*1,000,000 characters.*--kind a=ignored"),
    ("fit good.csv", "Missing option '-o'"),
    ("fit good.csv -o", "Option '-o' requires an argument"),
    ("fit -o old.clgp", "Missing argument 'TABLE'"),
    ("fit good.csv other.csv -o old.clgp", "unexpected extra argument.*other.csv"),
    ("fit good.csv -o folder", "is a folder"),
    ("fit good.csv -o nowhere/m.clgp", "there is no folder 'nowhere'"),
    ("fit good.csv -o good.csv/m.clgp", "there is no folder 'good.csv'"),
    ("fit good.csv --model lda -o old.clgp", "no model 'lda': did you mean 'lca'"),
    ("fit good.csv --seed -1 -o old.clgp", "--seed.*-1"),
    ("fit good.csv --seed x -o old.clgp", "--seed.*'x'"),
    ("fit good.csv --schema no.toml -o old.clgp", "no schema file 'no.toml'"),
    ("fit good.csv --schema broken.toml -o old.clgp", "not valid TOML.*line 1"),
    ("fit good.csv --schema alien.toml -o old.clgp", "schema names 'height', which good.csv lacks"),
    ("fit good.csv --schema fuzzy.toml -o old.clgp", "'sex': unknown kind 'fuzzy'"),
    ("fit good.csv --schema latin.toml -o old.clgp", "not UTF-8"),
    ("fit good.csv --schema folder -o old.clgp", "is a folder"),
    ("fit good.csv --weight w -o old.clgp", "No column 'w' in good.csv"),
    ("fit good.csv --weight pain -o old.clgp", "--weight pain, row 1.*number.*'none'"),
    ("fit no_weight.csv --weight w -o old.clgp", "--weight w, row 2.*number"),
    ("fit weights.csv --weight w -o old.clgp", "row 2.*-1"),
    ("fit zero.csv --weight w -o old.clgp", "0 for every row"),
    ("fit good.csv -o - --json", "both want standard output"),
    ("complete no.clgp good.csv", "no model file 'no.clgp'"),
    ("complete folder good.csv", "is a folder"),
    ("complete rubbish.clgp good.csv", "not a clgp model"),
    ("complete empty.clgp good.csv", "not a clgp model"),
    ("complete good.csv good.csv", "not a clgp model"),
    ("complete half.clgp good.csv", "damaged"),
    ("complete flipped.clgp good.csv", "damaged"),
    ("complete newer.clgp good.csv", "format 99.*newer clgp"),
    ("complete m.clgp", "Missing argument 'TABLE'"),
    ("complete m.clgp ragged.csv -o old.csv", "line 3: expected 2 fields"),
    ("complete m.clgp other.csv -o old.csv", "None of the .*columns is in the table.*sex"),
    ("complete m.clgp good.csv -o folder", "is a folder"),
    ("complete m.clgp good.csv -o nowhere/full.csv", "no folder 'nowhere'"),
    ("complete m.clgp good.csv -o full.docx", "ending '.docx' is not known"),
    ("complete m.clgp good.csv --min-prob 7 -o old.csv", "between 0 and 1; got 7"),
    ("complete m.clgp good.csv --min-prob nan -o old.csv", "between 0 and 1"),
    ("complete m.clgp good.csv --min-prob high -o old.csv", "'--min-prob'.*'high'"),
    ("impute m.clgp good.csv -m 0 -o old.csv", "m must be at least 1; got 0"),
    ("impute m.clgp imp.csv -o old.csv", "column '.imp' already"),
    ("next m.clgp --given height=1", "no column 'height'"),
    ("next m.clgp --given Sex=F", "did you mean 'sex'"),
    ("next m.clgp --given sex=X", "'sex': no level 'X'; use one of F, M"),
    ("next m.clgp --given sex", "expected COLUMN=VALUE"),
    ("next m.clgp --given sex=", "expected a value after '='"),
    ("next m.clgp --given sex=F --given sex=M", "names 'sex' twice"),
    ("next m.clgp --given sex=F --target sex", "'sex' is among the answers"),
    ("next m.clgp --target height", "No modelled column 'height'"),
    ("next m.clgp --cost sex=-4", "cost of 'sex' must be above 0"),
    ("next m.clgp --cost sex=much", "--cost sex: expected a number; got 'much'"),
    ("next m.clgp --cost sex=inf", "--cost sex: expected a number"),
    ("next m.clgp --cost height=2", "no column 'height'"),
    ("next m.clgp --exclude height", "No modelled column 'height'"),
    ("next m.clgp -k 0", "-k.*0"),
    ("score m.clgp empty.csv -o old.csv", "empty"),
    ("unusual m.clgp good.csv --top 0", "--top.*0"),
    ("sample m.clgp -n 0 -o old.csv", "at least 1; got 0"),
    ("sample m.clgp -n many -o old.csv", "'-n'.*'many'"),
    ("sample m.clgp --given pain=awful -o old.csv", "'pain': no level 'awful'"),
    ("evaluate m.clgp good.csv --hide 2", "share above 0 and at most 1.*2"),
    ("evaluate m.clgp good.csv --hide 0", "share above 0"),
    ("evaluate m.clgp good.csv --hide some", "--hide: expected a number.*some"),
    ("evaluate m.clgp void.csv", "no observed cell"),
    ("embed m.clgp good.csv -o old.csv", "has no map; fit CLGP"),
    ("info good.csv", "not a clgp model"),
    ("demo good.csv", "Cannot make the folder 'good.csv'"),
    ("demo good.csv/deeper", "Cannot make the folder"),
    ("ft good.csv -o old.clgp", "no verb 'ft'; did you mean 'fit'"),
    ("xyz", "no verb 'xyz'; use one of inspect, fit"),
    ("--verbose", "--verbose"),
    ("fit good.csv --modle lca -o old.clgp", "--modle.*--model"),
]
OLD = {"old.csv": b"old,table\n1,2\n", "old.clgp": b"an older model"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Good and bad files of every kind."""
    from clgp.cli import main

    place = tmp_path_factory.mktemp("bad")
    for name, raw in (FILES | OLD).items():
        (place / name).write_bytes(raw)
    (place / "folder").mkdir()
    (place / "void.csv").write_bytes(b"sex,pain,smokes\n,,\n,,\n")
    model = place / "m.clgp"
    assert main(["fit", str(place / "good.csv"), "--model", "unigram", "-o", str(model)]) == 0
    raw = model.read_bytes()
    (place / "half.clgp").write_bytes(raw[: len(raw) // 2])
    middle = len(raw) - 9
    (place / "flipped.clgp").write_bytes(
        raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]
    )
    (place / "newer.clgp").write_bytes(raw.replace(b'\\"format\\": 1, ', b'\\"format\\": 99,', 1))
    assert b"99" in (place / "newer.clgp").read_bytes()
    return place


@pytest.fixture
def inside(folder, tmp_path):
    """A copy of the files, of which nothing may change."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    before = contents(tmp_path)
    yield tmp_path
    assert contents(tmp_path) == before


def contents(place):
    return {p.name: p.read_bytes() if p.is_file() else b"" for p in place.rglob("*")}


@pytest.mark.parametrize(("line", "words"), BAD, ids=[line for line, _ in BAD])
def test_bad_input(line, words, clgp, inside):
    said = clgp(*line.split())
    assert said.code == 2, said
    assert said.out == ""
    assert re.search(words, said.err), said.err
    assert well_said(said.err)


def well_said(text):
    """One line: Error, then at most a few sentences."""
    lines = text.splitlines()
    return (
        len([line for line in lines if line.startswith("Error: ")]) == 1
        and all(line.startswith(("Error: ", "Warning: ")) for line in lines)
        and lines[-1].endswith((".", "?"))
        and all(len(line) < 500 for line in lines)
    )


@pytest.mark.parametrize("number", range(0, len(BAD), 13))
def test_the_installed_command_says_the_same(number, clgp, inside):
    line, _ = BAD[number]
    done = subprocess.run(
        [SCRIPT, *line.split()], cwd=inside, capture_output=True, text=True, check=False, input=""
    )
    said = clgp(*line.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said.err)


def test_a_level_never_seen_is_one_plain_line(clgp, inside):
    row = b"sex,pain,smokes\nF,awful,\n"
    said = clgp("complete", "m.clgp", "-", stdin=row)
    assert said.code == 0
    assert said.out.startswith("sex,pain,smokes\nF,awful,")
    assert said.err.count("\n") == 1
    assert said.err.startswith("Warning: ")
    assert "'pain': 'awful' (1 cell)" in said.err


def test_a_row_that_lacks_columns_is_answered_with_a_warning(clgp, inside):
    said = clgp("complete", "m.clgp", "-", stdin=b"pain,name\n,Ann\nmild,Bo\n")
    assert said.code == 0
    assert re.fullmatch(r"pain,name\n(none|mild),Ann\nmild,Bo\n", said.out)
    assert said.err.startswith("Warning: The table lacks 'sex', 'smokes'")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("how", ["inspect good.csv -o /dev/full", "sample m.clgp > /dev/full"])
def test_a_full_disk_is_said_in_a_sentence(how, inside):
    done = subprocess.run(
        ["sh", "-c", f"'{SCRIPT}' {how}"], cwd=inside, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch("Error: Writing failed: .*\n", done.stderr)


def test_json_holds_no_infinity(clgp, inside):
    clgp("fit", "good.csv", "--model", "multinomial", "-o", "sure.clgp")
    rows = b"sex,pain,smokes\nF,none,no\nM,none,no\n"
    told = clgp("evaluate", "sure.clgp", "-", "--json", stdin=rows).json
    json.dumps(told, allow_nan=False)
    (inside / "sure.clgp").unlink()
