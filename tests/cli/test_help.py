"""Help is there at once, complete, and every page's example runs."""

import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clgp.cli.verbs import DEFAULT_MODEL, MODEL_NAMES, VERBS, overview
from clgp.version import __version__

SCRIPT = Path(sys.executable).with_name("clgp")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True)


def seconds(*command):
    start = time.perf_counter()
    run(*command)
    return time.perf_counter() - start


@pytest.mark.parametrize("flags", [[], ["--help"], ["-h"]])
def test_the_list_of_verbs(flags, clgp):
    said = clgp(*flags)
    assert (said.code, said.err) == (0, "")
    assert said.out.strip() == overview()
    assert all(re.search(rf"^  {verb} +\S", said.out, re.M) for verb in VERBS)
    assert max(map(len, said.out.splitlines())) <= 90


def test_script_and_module_are_the_same_command():
    for command in ([str(SCRIPT)], [sys.executable, "-m", "clgp"]):
        assert run(*command, "--help").stdout == overview() + "\n"
        assert run(*command, "--version").stdout == f"clgp {__version__}\n"


def test_help_takes_at_most_eight_times_what_python_takes():
    shares = []
    for _ in range(7):
        bare = seconds(sys.executable, "-c", "pass")
        shares.append(seconds(str(SCRIPT), "--help") / bare)
    assert sorted(shares)[3] <= 8


HEAVY = "{'numpy', 'scipy', 'sklearn', 'rich.progress', 'narwhals', 'safetensors', 'jaxtyping'}"


@pytest.mark.parametrize("verb", VERBS)
def test_a_help_page_needs_click_alone(verb):
    code = f"""
import sys
from clgp.cli import main
assert main(["{verb}", "--help"]) == 0
assert not {HEAVY} & set(sys.modules), {HEAVY} & set(sys.modules)
"""
    page = run(sys.executable, "-c", code).stdout
    assert page.startswith(f"Usage: clgp {verb} ")
    assert "--json" in page
    assert examples(page)


def examples(page):
    """The commands of the example at the end of a help page."""
    tail = page.split("\nExample:\n")[1]
    assert all(line.startswith("  $ clgp ") for line in tail.splitlines())
    return [line.removeprefix("  $ clgp ") for line in tail.splitlines()]


def test_the_examples_run_one_after_the_other(clgp, tmp_path, monkeypatch):
    monkeypatch.setattr("clgp.cli.demo.DEFAULT_MODEL", "tree")
    for verb in VERBS:
        for line in examples(clgp(verb, "--help").out):
            assert line.startswith(verb)
            said = clgp(*shlex.split(line))
            assert (said.code, said.err) == (0, ""), line
            assert said.out
            if verb != "fit":
                told = clgp(*shlex.split(line), "--json")
                assert (told.code, told.err) == (0, ""), line
                assert isinstance(told.json, dict), line
    made = {p.name for p in tmp_path.iterdir()}
    assert made >= {"schema.toml", "wisconsin.clgp", "full.csv", "imputed.csv", "new.csv", "tour"}
    kept = {p.name for p in (tmp_path / "tour").iterdir()}
    assert kept == {"wisconsin.csv", "completed.csv", "wisconsin.clgp"}


def test_the_help_of_fit_names_every_model():
    from clgp.estimator import MODELS

    assert sorted(MODEL_NAMES) == sorted(MODELS)
    assert DEFAULT_MODEL in MODELS
