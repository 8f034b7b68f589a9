"""Robustness (section 5.4): bound and Monte Carlo noise by iteration, and each variance reduction.

The noise of a scheme is the standard deviation of its estimates of the bound at the same numbers.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

from clgp.variational.backend import jax
from clgp.variational.bound import noise_size, terms
from clgp.variational.draws import JointDraws, MarginalDraws, QuasiDraws
from clgp.variational.expect import ByDraws, ByQuadrature
from clgp.variational.fit import cells_of
from clgp.variational.scheme import PAPER
from experiments.alphadigits import prepared
from experiments.common import FIGURES, fitted, main, scored

ITERATIONS, M, T, ESTIMATES = 500, 20, 20, 40


def run(given):
    found = prepared(given)
    if found is None:
        return []
    task, _ = found
    iterations, T_, estimates = (20, 4, 8) if given.smoke else (ITERATIONS, T, ESTIMATES)
    scheme = PAPER.sized(M=M, T=T_, iterations=iterations)
    last = fitted("CLGP", task, scheme, np.random.default_rng(0))
    draw(last.trace)
    kinds = {
        "joint draws (the paper)": ByDraws(JointDraws(T_)),
        "marginal draws of f": ByDraws(MarginalDraws(T_)),
        "quasi-random draws": ByDraws(QuasiDraws(T_)),
        "quasi-random x, Gauss–Hermite f": ByQuadrature(QuasiDraws(T_), nodes=8),
    }
    rows = []
    for name, expectation in kinds.items():
        mean, sd = spread(last, replace(scheme, expectation=expectation), task.seen, estimates)
        rows.append({**scored(name, 1, 0, sd), "bound": mean, "unit": "sd of the bound"})
    return rows


def spread(last, scheme, y, estimates):
    """Mean and standard deviation of that many estimates of the bound."""
    cells, key = cells_of(y), np.random.default_rng(1)
    size = noise_size(last.model, scheme, len(y))
    one = jax.jit(lambda noise: terms(last.model, scheme, last.params, cells, len(y), noise).bound)
    draws = scheme.expectation.draws
    found = [float(one(draws.noise((size,), key))) for _ in range(estimates)]
    return float(np.mean(found)), float(np.std(found))


def draw(trace):
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 5), layout="constrained", sharex=True)
    at = np.arange(1, len(trace.bound) + 1)
    top.plot(at, -trace.bound)
    top.set(yscale="log", ylabel="−bound")
    bottom.plot(at, trace.noise, color="tab:orange")
    bottom.set(yscale="log", xscale="log", xlabel="iteration", ylabel="Monte Carlo sd")
    figure.savefig(FIGURES / "robustness.png", dpi=110)


if __name__ == "__main__":
    main("robustness", run)
