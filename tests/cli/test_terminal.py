"""On a real terminal: a bar with the time left; Ctrl-C and a closed pipe end without a mess."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pty = pytest.importorskip("pty")
SCRIPT = str(Path(sys.executable).with_name("clgp"))
LISTENING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""  # a job in the background is born deaf to Ctrl-C


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table that takes some seconds to learn."""
    path = tmp_path_factory.mktemp("terminal") / "T.csv"
    codes = np.random.default_rng(0).integers(0, 4, (6_000, 30))
    lines = [",".join(f"c{d}" for d in range(30)), *(",".join(map(str, row)) for row in codes)]
    path.write_text("\n".join(lines) + "\n")
    return path


class Terminal:
    """A command whose standard error is a terminal."""

    def __init__(self, *args, cwd):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", LISTENING, SCRIPT, *map(str, args)],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=slave,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "OPENBLAS_NUM_THREADS": "1"},
        )
        os.close(slave)
        self.seen = ""

    def until(self, words, seconds=120):
        """Read until the terminal shows something."""
        end = time.monotonic() + seconds
        while not re.search(words, self.seen):
            assert time.monotonic() < end, self.seen
            assert self.more(), self.seen

    def more(self):
        try:
            read = os.read(self.master, 4096)
        except OSError:  # the terminal has been closed at the other end
            return False
        self.seen += read.decode(errors="replace")
        return bool(read)

    def end(self):
        """Exit code and what went to standard output."""
        while self.more():
            pass
        out = self.process.stdout.read().decode()
        self.process.stdout.close()
        os.close(self.master)
        return self.process.wait(), out


def test_ctrl_c_stops_a_fit_with_a_sentence_and_no_file(table, tmp_path):
    (tmp_path / "m.clgp").write_bytes(b"an older model")
    terminal = Terminal("fit", table, "--model", "lca", "-o", "m.clgp", cwd=tmp_path)
    terminal.until("lca, without the rows kept out.*-:--:--|lca, without.*[0-9]+%")
    terminal.process.send_signal(signal.SIGINT)
    code, out = terminal.end()
    assert (code, out) == (130, "")
    assert "Stopped; no file was left half-written." in terminal.seen
    assert "Traceback" not in terminal.seen
    assert [p.name for p in tmp_path.iterdir()] == ["m.clgp"]
    assert (tmp_path / "m.clgp").read_bytes() == b"an older model"


def test_the_bar_shows_the_time_left_and_goes_when_done(tmp_path):
    terminal = Terminal("fit", "wisconsin", "--model", "tree", "-o", "m.clgp", cwd=tmp_path)
    code, out = terminal.end()
    assert code == 0
    assert out.startswith("tree of 699 rows")
    assert re.search(r"\d+%.*\d:\d\d:\d\d", terminal.seen)
    assert terminal.seen.rstrip().endswith("\x1b[2K")


def test_a_reader_that_goes_away_is_no_error(tmp_path, wisconsin_model):
    command = f"'{SCRIPT}' sample '{wisconsin_model}' -n 20000 | head -n 2"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == ""
