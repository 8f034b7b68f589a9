"""What the experiments share: hidden cells, fits, scores, arguments, tables and figures.

Held-out labels never enter a fit: `Task.seen` has −1 there, and only `Task.score` looks at them.
"""

import argparse
import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from importlib.resources import as_file, files
from os import cpu_count
from pathlib import Path

import matplotlib as mpl
import numpy as np

from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.model.family import build
from clgp.variational.compile import to_mixture, weighed
from clgp.variational.fit import fit
from clgp.variational.fitted import Fitted
from clgp.variational.predict import row_probabilities

mpl.use("Agg")
HERE = Path(__file__).parent
FIGURES, RESULTS = HERE / "figures", HERE / "results"
Score = dict[str, object]


@dataclass(frozen=True)
class Task:
    """Training rows, test rows, and which cells of the test rows are hidden."""

    levels: Levels
    train: np.ndarray
    test: np.ndarray
    hidden: np.ndarray

    @property
    def asked(self) -> np.ndarray:
        """Test rows as the models see them."""
        return np.where(self.hidden, -1, self.test)

    @property
    def seen(self) -> np.ndarray:
        """Training rows and, after them, the partly observed test rows: the paper's set-up."""
        return np.concatenate([self.train, self.asked])

    def score(self, P: np.ndarray) -> float:
        """Mean −log p of the hidden cells, in nats, from probabilities of the test rows."""
        n, d = np.nonzero(self.hidden & (self.test >= 0))
        return float(-np.log(P[n, self.levels.starts[d] + self.test[n, d]]).mean())

    def train_score(self, P: np.ndarray) -> float:
        """The same of all cells of the training rows, which the fit has seen."""
        n, d = np.nonzero(self.train >= 0)
        return float(-np.log(P[n, self.levels.starts[d] + self.train[n, d]]).mean())


def one_cell(N: int, D: int, key: np.random.Generator) -> np.ndarray:
    """A mask with one cell a row."""
    return np.arange(D) == key.integers(D, size=(N, 1))


def fitted(name: str, task: Task, scheme, key, *, Q: int = 2, watch=None, **options) -> Fitted:
    """A model of the family on training and partly observed test rows."""
    model = build(name, task.levels.cards, Q=Q, **options)
    more = {"watch": watch} if watch else {}
    return fit(model, task.seen, scheme=scheme, key=key, **more)


def by_rows(found: Fitted, task: Task, key: np.random.Generator) -> np.ndarray:
    """Probabilities of the test rows by their q(x_n), as in the paper."""
    return row_probabilities(found, key)[len(task.train) :]


def compiled(found: Fitted, task: Task, key: np.random.Generator) -> Mixture:
    """The fitted model as a Mixture whose weights are learnt from the rows."""
    return weighed(to_mixture(found, key), task.seen)


def scored(model: str, split: int, repeat: int, nats: float, paper: float | None = None) -> Score:
    """One row of a table."""
    return {
        "model": model,
        "split": split,
        "repeat": repeat,
        "nats": nats,
        "bits": nats / np.log(2),
        "perplexity": float(np.exp(nats)),
        "paper": paper,
    }


def read_codes(path: Path, skip: tuple[str, ...] = ()) -> tuple[np.ndarray, Levels, list[str]]:
    """A CSV as codes: levels in sorted order, numbers as numbers, an empty cell missing."""
    with path.open(newline="") as lines:
        header, *body = csv.reader(lines)
    names = [name for name in header if name not in skip]
    columns, cards = [], []
    for name in names:
        values = [row[header.index(name)] for row in body]
        levels = sorted({v for v in values if v}, key=lambda v: (not v.isdigit(), v.zfill(9)))
        places = {v: k for k, v in enumerate(levels)}
        columns.append([places.get(v, -1) for v in values])
        cards.append(len(levels))
    return np.array(columns).T, Levels(tuple(cards)), names


def main(name: str, run: Callable[[argparse.Namespace], list[Score]]) -> None:
    """Parse the arguments, run, save the rows, print them as a table or as JSON."""
    parser = argparse.ArgumentParser(prog=f"python -m experiments.{name}")
    parser.add_argument("--smoke", action="store_true", help="a small size, in seconds")
    parser.add_argument("--json", action="store_true", help="rows as JSON")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--file", type=Path, help="the user's own table (survey)")
    given = parser.parse_args()
    for folder in (FIGURES, RESULTS):
        folder.mkdir(exist_ok=True)
    rows = run(given)
    if rows:
        kept = {"date": str(date.today()), "cores": cpu_count(), "smoke": given.smoke, "rows": rows}
        (RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=1))
    print(json.dumps(rows) if given.json else table(rows))


def table(rows: list[Score]) -> str:
    """Mean ± standard deviation over the repeats, with the paper's number beside ours."""
    lines = ["| model | split | nats | bits | perplexity | paper |", "|---|---|---|---|---|---|"]
    for key in dict.fromkeys((row["model"], row["split"]) for row in rows):
        mine = [row for row in rows if (row["model"], row["split"]) == key]
        nats, bits, perplexity = (
            np.array([row[unit] for row in mine], float) for unit in ("nats", "bits", "perplexity")
        )
        paper = "" if mine[0]["paper"] is None else mine[0]["paper"]
        lines.append(
            f"| {key[0]} | {key[1]} | {nats.mean():.3f} | {bits.mean():.3f} "
            f"| {perplexity.mean():.3f} ± {perplexity.std():.3f} | {paper} |"
        )
    return "\n".join(lines)


def wisconsin() -> tuple[np.ndarray, Levels]:
    """The complete rows of Breast Cancer Wisconsin, which the package brings along."""
    with as_file(files("clgp.data") / "breast_cancer_wisconsin.csv") as path:
        codes, levels, names = read_codes(path)
    codes = codes[(codes >= 0).all(1)]
    # `mitoses` never takes the value 9, which is a level all the same
    at = names.index("mitoses")
    codes[:, at] += codes[:, at] == 8
    return codes, Levels(tuple(10 if d == at else K for d, K in enumerate(levels.cards)))


def split(codes: np.ndarray, levels: Levels, share: float, key: np.random.Generator) -> Task:
    """Rows at random into training and test; one hidden cell in each test row."""
    order = key.permutation(len(codes))
    cut = int(len(codes) * share)
    test = codes[order[cut:]]
    return Task(levels, codes[order[:cut]], test, one_cell(len(test), levels.D, key))
