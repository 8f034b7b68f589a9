"""What all estimators share: choices are in the constructor, facts about the data in `fit`.

An estimator learns the schema, asks its engine for two fits (one without some rows, for the
held-out report; one on all) and keeps a `fitted.Model` that takes all questions.
"""

import hashlib
import json
import time
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from clgp.answers import Answers
from clgp.ask.embed import Map
from clgp.baselines import BASELINES
from clgp.evaluate import score
from clgp.fitted import HeldOut, Model, versions
from clgp.levels import MISSING
from clgp.progress import Progress, silent
from clgp.questions import Questions
from clgp.tables import InputError, Schema, Table, as_table, encode, held_back, hide
from clgp.tables.errors import listing
from clgp.typing import Bool, Codes, Float

OUT = 0.1  # share of the rows kept out of the first fit for the report
OUT_ROWS = 2_000  # at most, which is enough to three digits
HIDE = 0.2
BESIDE = ("uniform", "multinomial", "unigram", "bigram", "tree", "lca")
PLAIN = (str, int, float, type(None))
BESIDE_ROWS = 20_000  # rows that baselines of the report are fitted to, at most


@dataclass(frozen=True)
class Task:
    """The rows to learn from, in the form that every engine takes."""

    schema: Schema
    codes: Codes
    weights: Float[np.ndarray, " N"]
    out: Bool[np.ndarray, " N"]
    seed: np.random.SeedSequence
    progress: Progress

    @property
    def key(self) -> np.random.Generator:
        """A generator that starts anew: every fit of the same rows draws the same numbers."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True)
class Fit:
    """What an engine hands over: a trial that has not seen the rows kept out, and the answers."""

    trial: Answers | None
    answers: Answers
    map: Map | None = None
    notes: tuple[str, ...] = ()


class Estimator(Questions, BaseEstimator):
    """A model to be fitted to a table of categories with holes."""

    name: ClassVar[str]
    random_state: int | None
    verbose: bool

    @abstractmethod
    def _fit(self, task: Task) -> Fit:
        """Both fits."""

    @property
    def fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise InputError(f"This {type(self).__name__} is not fitted; call fit(table) first.")
        return self.model_

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:  # noqa: N803
        return repr(self.model_) if hasattr(self, "model_") else super().__repr__(N_CHAR_MAX)

    def save(self, path: str | Path) -> None:
        """Write the fitted model to one data-only file."""
        self.fitted.save(path)

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any = None,
        *,
        schema: Schema | None = None,
        sample_weight: Any = None,
        progress: Progress = silent,
    ) -> "Estimator":
        """Learn the distribution of the rows of a table.

        Args:
            X: A table: clgp.read(…), a pandas, polars or pyarrow frame, or a list of dicts.
            y: Not used; here for pipelines.
            schema: What the columns mean; guessed if not given.
            sample_weight: How much each row counts, as in a weighted survey.
            progress: Told how far the fit is.
        """
        started = time.perf_counter()
        table = as_table(X)
        task = self._task(table, schema, sample_weight, progress)
        with threadpool_limits(1):  # on tables of this size threads wait more than they work
            fit = self._fit(task)
            held_out = self._report(task, fit)
        log_prob = fit.answers.log_prob(task.codes[:5_000])
        a_cell = log_prob / np.maximum((task.codes[:5_000] >= 0).sum(1), 1)
        self.model_ = Model(
            name=self.name,
            schema=task.schema,
            answers=fit.answers,
            held_out=held_out,
            map=fit.map,
            notes=(*task.schema.notes, *fit.notes),
            origin=self._origin(task, time.perf_counter() - started),
            usual=np.quantile(a_cell, np.linspace(0, 1, 101)),
        )
        progress(1.0, "done")
        if self.verbose:
            print(self.model_)
        return self

    def _task(
        self, table: Table, schema: Schema | None, sample_weight: Any, progress: Progress
    ) -> Task:
        if len(table) < 2:
            raise InputError(
                f"Expected at least two rows to learn from; {table.source} has {len(table)}."
            )
        if schema is None:
            schema = Schema.infer(table)
        lacking = [name for name in schema.columns if name not in table.cells]
        if lacking:
            raise InputError(
                f"The schema names {listing(map(repr, lacking))}, which {table.source} lacks; "
                "correct the schema or add the column."
            )
        codes = encode(table, schema)
        if not (codes >= 0).any():
            raise InputError(f"All modelled cells of {table.source} are missing; nothing to learn.")
        weights = _weights(sample_weight, len(codes))
        seed = np.random.SeedSequence(self.random_state)
        share = min(OUT, OUT_ROWS / len(codes))
        out = held_back(len(codes), share=share, key=np.random.default_rng(seed))
        return Task(schema, codes, weights, out, seed, progress)

    def _report(self, task: Task, fit: Fit) -> HeldOut | None:
        """Scores on hidden cells of the rows kept out, beside the baselines on the same cells."""
        codes = task.codes[task.out]
        hidden = hide(codes, share=HIDE, key=np.random.default_rng(0))
        if fit.trial is None or not hidden.any() or (np.where(hidden, MISSING, codes) < 0).all():
            return None
        scores = {self.name: score(fit.trial, codes, hidden)}
        seen = np.flatnonzero(~task.out)[:BESIDE_ROWS]
        for name in BESIDE:
            if name != self.name:
                task.progress(0.97, f"{name}, for comparison")
                beside = BASELINES[name](
                    task.codes[seen], task.weights[seen], task.schema.levels, key=task.key
                )
                scores[name] = score(beside, codes, hidden)
        return HeldOut(HIDE, scores)

    def _origin(self, task: Task, seconds: float) -> dict[str, Any]:
        chosen = {k: v for k, v in self.get_params(deep=False).items() if k != "verbose"}
        settings = {k: v if isinstance(v, PLAIN) else repr(v) for k, v in chosen.items()}
        about = json.dumps(task.schema.to_json(), sort_keys=True).encode()
        digest = hashlib.sha256(about + task.codes.astype("<i4").tobytes())
        return {
            "rows": len(task.codes),
            "weight": float(task.weights.sum()),
            "missing": float((task.codes < 0).mean()),
            "table_sha256": digest.hexdigest(),
            "settings": settings,
            "seed": task.seed.entropy,
            "seconds": round(seconds, 3),
            "versions": versions(),
        }


def _weights(sample_weight: Any, n: int) -> Float[np.ndarray, " N"]:
    """Row weights, checked; ones if none were given."""
    if sample_weight is None:
        return np.ones(n)
    weights = np.asarray(sample_weight, float)
    if weights.shape != (n,):
        raise InputError(f"sample_weight must hold a number a row: {n}; got {weights.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise InputError(
            f"sample_weight must be finite and not negative; row {wrong[0] + 1} has "
            f"{weights[wrong[0]]}."
        )
    if not weights.any():
        raise InputError("sample_weight is 0 for every row; expected some above 0.")
    return weights
