"""The package as others get it: built, installed into an empty environment, imported, light."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {"jax", "torch", "pandas", "pyarrow", "sklearn", "matplotlib"}


def run(*command, cwd=None):
    plain = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME"}}
    done = subprocess.run(command, cwd=cwd, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_import_is_light():
    loaded = run(sys.executable, "-c", "import clgp, sys; print(*sys.modules)").split()
    assert "clgp" in loaded
    assert not HEAVY & set(loaded)


def test_a_loaded_model_answers_without_the_tools_that_fitted_it(tmp_path):
    program = """
import clgp, sys
from clgp.data import path
clgp.Multinomial(random_state=0, verbose=False).fit(clgp.read(path("votes"))).fitted.save("m.clgp")
"""
    run(sys.executable, "-c", program, cwd=tmp_path)
    program = """
import clgp, sys
model = clgp.load("m.clgp")
model.rank_next({}, target="Class"); model.complete([{"Class": "democrat"}]); model.sample(3)
print(*sys.modules)
"""
    loaded = run(sys.executable, "-c", program, cwd=tmp_path).split()
    assert not (HEAVY | {"scipy"}) & set(loaded)


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_it_builds_installs_and_runs_in_an_empty_environment(kind, tmp_path):
    run(sys.executable, "-m", "build", f"--{kind}", "--outdir", str(tmp_path / "dist"), cwd=ROOT)
    (built,) = (tmp_path / "dist").iterdir()
    run(sys.executable, "-m", "venv", str(tmp_path / "empty"))
    python = str(tmp_path / "empty" / "bin" / "python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(built))
    listed = json.loads(run(python, "-m", "pip", "list", "--format", "json"))
    names = {one["name"] for one in listed} - {"pip", "setuptools", "wheel"}
    assert "clgp" in names
    assert len(names) <= 20, sorted(names)
    clgp = str(tmp_path / "empty" / "bin" / "clgp")
    run(clgp, "fit", "votes", "--model", "lca", "-o", "m.clgp", "--seed", "0", cwd=tmp_path)
    told = json.loads(run(clgp, "next", "m.clgp", "--target", "Class", "--json", cwd=tmp_path))
    assert told["questions"][0]["bits"] > 0.5
