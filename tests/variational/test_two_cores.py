"""The paper's configuration ends on two cores and on one, in processes of their own."""

import os
import shutil
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
from dataclasses import replace
from clgp.model.family import build
from clgp.variational.fit import fit
from clgp.variational.scheme import PAPER
key = np.random.default_rng(0)
y = key.integers(2, size=(30, 3))
scheme = PAPER.sized(M=8, T=4, iterations=40)
print(len(fit(build("CLGP", (2, 2, 2), Q=2), y, scheme=scheme, key=key).trace.bound))
"""


@pytest.mark.skipif(shutil.which("taskset") is None, reason="taskset is Linux's")
@pytest.mark.parametrize("cores", ["0", "0,1"])
def test_ends_on_few_cores(cores):
    if max(map(int, cores.split(","))) >= (os.cpu_count() or 1):
        pytest.skip("fewer cores here")
    done = subprocess.run(
        ["taskset", "-c", cores, sys.executable, "-c", PROGRAM],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["40"]
