"""Density estimation on binary tables: `python -m benchmarks.density DIR NAME [--json]`.

Fits DIR/NAME.train.csv.gz with default settings; prints the mean log-likelihood in nats of the
validation and test rows, and the seconds of the fit.
"""

import argparse
import gzip
import json
import time
from pathlib import Path

import numpy as np

from clgp.levels import Levels
from clgp.quadrature.fit import fit
from clgp.quadrature.notes import Update
from clgp.quadrature.settings import Settings


def load(folder: Path, name: str, part: str) -> np.ndarray:
    """Rows of 0 and 1."""
    with gzip.open(folder / f"{name}.{part}.csv.gz") as file:
        return np.loadtxt(file, delimiter=",", dtype=np.int64, skiprows=1)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("folder", type=Path)
    ask.add_argument("name")
    ask.add_argument("--json", action="store_true")
    ask.add_argument("--jobs", type=int, default=None)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--max-seconds", type=float, default=540.0)
    choice = ask.parse_args()
    train, valid, test = (load(choice.folder, choice.name, p) for p in ("train", "valid", "test"))
    D = train.shape[1]

    def say(update: Update) -> None:
        if not choice.json:
            nats = update.mixture.log_prob(valid).mean()
            print(
                f"{update.seconds:6.1f} s  {update.member:32} best so far: valid {nats:.3f}",
                flush=True,
            )

    begin, cpu = time.perf_counter(), time.process_time()
    fitted = fit(
        train,
        np.ones(len(train)),
        Levels((2,) * D),
        (False,) * D,
        settings=Settings(n_jobs=choice.jobs, max_seconds=choice.max_seconds),
        key=np.random.default_rng(choice.seed),
        arrived=say,
    )
    result = {
        "name": choice.name,
        "test_nats": float(fitted.mixture.log_prob(test).mean()),
        "valid_nats": float(fitted.mixture.log_prob(valid).mean()),
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
        "complete": fitted.complete,
        "members": {note.name: note.weight for note in fitted.members},
    }
    print(json.dumps(result) if choice.json else "\n".join(f"{k}: {v}" for k, v in result.items()))


if __name__ == "__main__":
    main()
