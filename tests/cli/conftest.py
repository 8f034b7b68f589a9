"""The command line as a user meets it: arguments and bytes in, exit code and bytes out."""

import io
import json
import sys
from dataclasses import dataclass

import pytest

from clgp.cli import main


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


@pytest.fixture
def clgp(tmp_path, monkeypatch, capfd):
    """Runs a command line in a folder of its own, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*args, stdin=b""):
        capfd.readouterr()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main([str(a) for a in args])
        said = capfd.readouterr()
        return Said(code, said.out, said.err)

    return run


@pytest.fixture(scope="session")
def wisconsin_model(tmp_path_factory):
    """A tree of the bundled table, saved."""
    path = tmp_path_factory.mktemp("model") / "wisconsin.clgp"
    assert main(["fit", "wisconsin", "--model", "tree", "-o", str(path)]) == 0
    return path
