"""Our models as methods of the masked-cell harness: `run.py --plugin plugin`.

One fit serves both tasks: fits are kept by the hash of the training codes.
"""

import hashlib
import time

import numpy as np

from clgp.answers import Answers
from clgp.baselines import BASELINES
from clgp.levels import Levels
from clgp.quadrature.fit import fit
from clgp.quadrature.settings import Settings

_FITTED: dict[tuple, tuple[Answers, float]] = {}


def fitted(name: str, train: np.ndarray, card: np.ndarray, seed: int) -> tuple[Answers, float]:
    """The model of these rows and the seconds that its fit took, from the store if it is there."""
    at = (name, seed, train.shape, hashlib.sha256(np.ascontiguousarray(train)).hexdigest())
    if at not in _FITTED:
        began = time.perf_counter()
        levels = Levels(tuple(int(K) for K in card))
        key = np.random.default_rng(seed)
        model = BASELINES[name](train, np.ones(len(train)), levels, key=key)
        _FITTED[at] = model, time.perf_counter() - began
    return _FITTED[at]


def method(name: str):
    """A function of the harness's form for one of our models."""

    def fit_predict(train, card, test, seed=0):
        model, seconds = fitted(name, train, card, seed)
        began = time.perf_counter()
        P = model.probabilities(test)
        columns = [P[:, model.levels.at(d)] for d in range(model.levels.D)]
        return columns, {
            "fit_seconds": seconds,
            "predict_seconds": time.perf_counter() - began,
        }

    return fit_predict


def has_order(labels: list[str]) -> bool:
    """Levels that are all numbers are taken as ordered."""
    try:
        return all(np.isfinite(float(label)) for label in labels)
    except ValueError:
        return False


def default(train, card, test, levels, seed=0):
    """The default model."""
    at = ("default", seed, train.shape, hashlib.sha256(np.ascontiguousarray(train)).hexdigest())
    axis, fresh = Levels(tuple(int(K) for K in card)), at not in _FITTED
    if fresh:
        began = time.perf_counter()
        ordinal = tuple(has_order(labels) for labels in levels)
        result = fit(
            train.astype(np.int64),
            np.ones(len(train)),
            axis,
            ordinal,
            settings=Settings(),
            key=np.random.default_rng(seed),
        )
        _FITTED[at] = result.mixture, time.perf_counter() - began
    model, seconds = _FITTED[at]
    began = time.perf_counter()
    P = model.probabilities(test)
    columns = [P[:, axis.at(d)] for d in range(axis.D)]
    took = time.perf_counter() - began
    return columns, {"fit_seconds": seconds if fresh else 0.0, "predict_seconds": took}


METHODS = {f"clgp_{name}": method(name) for name in BASELINES}
METHODS["clgp"] = default
