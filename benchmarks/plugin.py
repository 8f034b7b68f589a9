"""Our default model for the masked-cell harness: `run.py --plugin benchmarks.plugin`.

One fit serves both tasks of a table and split: it is kept by a hash of the training codes.
"""

import hashlib
import time

import numpy as np

from clgp.levels import Levels
from clgp.quadrature.fit import Fitted, fit
from clgp.quadrature.settings import Settings

FITS: dict[bytes, tuple[Fitted, float]] = {}


def has_order(labels: list[str]) -> bool:
    """Levels that are all numbers are taken as ordered."""
    try:
        return all(np.isfinite(float(label)) for label in labels)
    except ValueError:
        return False


def clgp(train, card, test, levels, tuning=False, seed=0):  # noqa: FBT002
    settings = Settings()
    axis = Levels(tuple(int(K) for K in card))
    mark = hashlib.sha256(train.tobytes() + repr((settings, seed)).encode()).digest()
    fresh = mark not in FITS
    if fresh:
        begin = time.perf_counter()
        fitted = fit(
            train.astype(np.int64),
            np.ones(len(train)),
            axis,
            tuple(has_order(labels) for labels in levels),
            settings=settings,
            key=np.random.default_rng(seed),
        )
        FITS[mark] = fitted, time.perf_counter() - begin
        if not tuning:
            print(
                [(n.name, round(n.weight, 2), round(n.held_back_nats, 4)) for n in fitted.members]
            )
    fitted, seconds = FITS[mark]
    begin = time.perf_counter()
    P = fitted.mixture.probabilities(test.astype(np.int64))
    answers = [P[:, axis.at(d)] for d in range(axis.D)]
    predict = time.perf_counter() - begin
    return answers, {"fit_seconds": seconds if fresh else 0.0, "predict_seconds": predict}


METHODS = {"clgp": clgp}
