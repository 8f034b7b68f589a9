"""Masked cells against peers: `python -m benchmarks.cells [--bench DIR] [--method …]`.

Runs the harness in DIR (tables, fixed splits and masks, thirteen peers) with the default model
beside its peers, all in one run on one machine, then prints losses, calibration and seconds, and
how far the default model is from the peers. `--figure FILE` draws the losses table by table.
"""

import argparse
import csv
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

OURS = "clgp"
NAMED = ("logistic", "lca_avg10")  # the two strongest peers, named in advance
Row = tuple[str, int, str]  # table, split, task


def run(bench: Path, out: Path, methods: list[str], data: list[str], splits: list[int]) -> None:
    """The harness, as it stands."""
    call = [sys.executable, str(bench / "run.py"), "--plugin", "benchmarks.plugin"]
    call += ["--out", str(out), "--method", *methods, "--data", *data]
    call += ["--split", *map(str, splits)]
    here = str(Path(__file__).resolve().parents[1])
    subprocess.run(call, check=True, cwd=here, env={**os.environ, "PYTHONPATH": here})


def read(path: Path) -> dict[str, dict[Row, dict[str, float]]]:
    """Scores by method, then by table, split and task; of a repeated run the last counts."""
    scores: dict[str, dict[Row, dict[str, float]]] = defaultdict(dict)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            at = row["dataset"], int(row["split"]), row["task"]
            seconds = sum(float(row[f"{part}_seconds"]) for part in ("tune", "fit", "predict"))
            numbers = {name: float(row[name]) for name in ("nats", "accuracy", "ece")}
            scores[row["method"]][at] = {**numbers, "seconds": seconds}
    return scores


def show(scores: dict[str, dict[Row, dict[str, float]]]) -> None:
    """One line a method over the rows that ours has too, then the distances."""
    ours = scores[OURS]
    print(
        f"{'method':14} {'nats':>8} {'one':>8} {'twenty':>8} {'ours − it':>10} {'ece':>7} {'s':>8}"
    )
    for method in sorted(scores, key=lambda m: _mean(scores[m], ours, "nats")):
        theirs = scores[method]
        task = {t: [r for r in theirs if r in ours and r[2] == t] for t in ("one", "twenty")}
        losses = [np.mean([theirs[r]["nats"] for r in rows]) for rows in task.values()]
        gap = np.mean([ours[r]["nats"] - theirs[r]["nats"] for r in theirs if r in ours])
        seconds = sum(theirs[r]["seconds"] for r in theirs if r in ours)
        print(f"{method:14} {_mean(theirs, ours, 'nats'):8.4f} {losses[0]:8.4f} {losses[1]:8.4f}"
              f" {gap:+10.4f} {_mean(theirs, ours, 'ece'):7.4f} {seconds:8.1f}")  # fmt: skip
    peers = [m for m in scores if not m.startswith(OURS)]
    for kind in ("one", "twenty"):
        rows = [r for r in ours if r[2] == kind]
        best = [min(scores[m][r]["nats"] for m in peers if r in scores[m]) for r in rows]
        gap = np.mean([ours[r]["nats"] for r in rows]) - np.mean(best)
        print(f"{kind}: ours − the best peer of each table and split, with hindsight: {gap:+.4f}")
    for name in sorted({r[0] for r in ours}):
        gaps = [
            np.mean([ours[r]["nats"] - scores[m][r]["nats"] for r in ours if r[0] == name])
            for m in NAMED
            if m in scores
        ]
        print(f"{name:24} ours − the better of {', '.join(NAMED)}: {max(gaps, default=0):+.4f}")


def _mean(theirs: dict[Row, dict[str, float]], ours: dict[Row, dict[str, float]], of: str) -> float:
    return float(np.mean([theirs[r][of] for r in theirs if r in ours]))


def draw(scores: dict[str, dict[Row, dict[str, float]]], path: Path) -> None:
    """Each peer's mean loss less ours, table by table."""
    import matplotlib.pyplot as plt

    ours, names = scores[OURS], sorted({r[0] for r in scores[OURS]})
    _, axes = plt.subplots(figsize=(8, 4))
    for method in sorted(m for m in scores if not m.startswith(OURS) and m != "uniform"):
        gaps = []
        for name in names:
            rows = [r for r in ours if r[0] == name and r in scores[method]]
            each = [scores[method][r]["nats"] - ours[r]["nats"] for r in rows]
            gaps.append(np.mean(each) if each else np.nan)
        axes.plot(gaps, range(len(names)), "o", label=method, alpha=0.7)
    axes.axvline(0, color="black", lw=1)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("nats a hidden cell more than clgp")
    axes.set_xscale("symlog", linthresh=0.05)
    axes.legend(fontsize=7)
    plt.tight_layout()
    plt.savefig(path)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--bench", type=Path, default=Path("../shared/bench"))
    ask.add_argument("--out", type=Path, default=Path("cells.csv"))
    ask.add_argument("--method", nargs="+", default=["all"])
    ask.add_argument("--data", nargs="+", default=["dev"])
    ask.add_argument("--split", nargs="+", type=int, default=[0, 1, 2])
    ask.add_argument("--figure", type=Path)
    choice = ask.parse_args()
    if not (choice.bench / "run.py").exists():
        raise SystemExit(f"No harness in {choice.bench}; say where it is with --bench.")
    out = choice.out.resolve()
    run(choice.bench.resolve(), out, choice.method, choice.data, choice.split)
    scores = read(out)
    show(scores)
    if choice.figure:
        draw(scores, choice.figure)


if __name__ == "__main__":
    main()
