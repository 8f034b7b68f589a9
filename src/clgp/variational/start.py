"""Where a fit starts: the paper's initial values (section 5), or values read off the table."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, final

import numpy as np

from clgp.levels import Levels
from clgp.model.family import Model
from clgp.model.inputs import Rows
from clgp.model.kernels import Kernel
from clgp.model.level_kernels import ordinal
from clgp.model.parameters import free
from clgp.typing import Array, Codes, Float
from clgp.variational.draws import normal_points
from clgp.variational.params import Cells, OutputsNumbers, Params, Shared


@dataclass(frozen=True)
class Start(ABC):
    """Initial values."""

    @abstractmethod
    def params(self, model: Model, cells: Cells, *, M: int, key: np.random.Generator) -> Params:
        """Numbers to start from, given the table and how many inducing points."""


@final
@dataclass(frozen=True)
class Section5(Start):
    """m ~ N(0, 1), s = 0.1, lengths 0.1, mu ~ N(0, 0.01²).

    The paper leaves Z and L open: Z at some of the rows' m, L = 0.1 I.
    """

    spread: float = 0.1
    length: float = 0.1
    mu: float = 0.01
    L: float = 0.1

    def params(self, model: Model, cells: Cells, *, M: int, key: np.random.Generator) -> Params:
        m = key.normal(size=(len(cells.y), model.Q))
        Z = key.permutation(np.resize(m, (max(M, len(m)), model.Q)))[:M]
        kernel = with_lengths(model.kernel(model.Q), self.length)
        return assemble(model, m, np.log(self.spread), Z, kernel, self.mu, self.L, None, key)


@final
@dataclass(frozen=True)
class FromTable(Start):
    """Scores of a correspondence analysis with noise, biases from the levels' frequencies."""

    spread: float = 0.1
    length: float = 1.0
    noise: float = 0.5
    L: float = 0.3

    def params(self, model: Model, cells: Cells, *, M: int, key: np.random.Generator) -> Params:
        levels = Levels(model.cards)
        codes = np.where(cells.observed, cells.y, -1).astype(int)
        scores = correspondence(levels.one_hot(codes), levels, cells.observed, model.Q)
        m = scores + self.noise * key.normal(size=scores.shape)
        m /= m.std(0)
        kernel = with_lengths(model.kernel(model.Q), self.length)
        Z = normal_points(M, model.Q, key)
        bias = log_odds(levels, codes)
        return assemble(model, m, np.log(self.spread), Z, kernel, 0.01, self.L, bias, key)


def assemble(
    model: Model,
    m: Float[np.ndarray, "N Q"],
    log_s: float,
    Z: Float[np.ndarray, "M Q"],
    kernel: Kernel,
    mu: float,
    L: float,
    bias: Float[np.ndarray, " W"] | None,
    key: np.random.Generator,
) -> Params:
    """All numbers in single precision; no bias is a bias of zero."""
    layout, M = model.layout, len(Z)
    C = layout.D if model.own and not model.shared else 1
    F, D = (model.shared, 1) if model.shared else (layout.W, layout.D)
    shared = Shared(
        Z,
        np.tile(free(kernel), (C, 1)),
        np.tile(free(model.likelihood()), (C, 1)),
        free(ordinal()) if any(model.ordinal) else np.zeros(0),
        np.zeros(layout.W) if bias is None else bias,
        key.normal(size=(model.shared, layout.W)),
    )
    outputs = OutputsNumbers(mu * key.normal(size=(M, F)), np.tile(L * np.eye(M), (D, 1, 1)))
    rows = Rows(m, np.full(m.shape, log_s))
    return Params(
        Rows(*map(single, rows)),
        Shared(*map(single, shared)),
        OutputsNumbers(*map(single, outputs)),
    )


def single(a: Array) -> Array:
    """In single precision: whitened and with JITTER that is enough, and twice as fast."""
    return np.asarray(a, np.float32)


def with_lengths(part: Any, value: float) -> Any:
    """A kernel with all length scales set, inside sums and products too."""
    new = {}
    for f in fields(part):
        inside = getattr(part, f.name)
        if f.name == "lengths":
            new[f.name] = np.full(np.shape(inside), value)
        elif is_dataclass(inside):
            new[f.name] = with_lengths(inside, value)
    return replace(part, **new)


def correspondence(
    Y: Float[np.ndarray, "N L"], levels: Levels, observed: Array, Q: int
) -> Float[np.ndarray, "N Q"]:
    """Row scores of a multiple correspondence analysis, whitened; missing cells at the mean."""
    p = Y.sum(0) / np.maximum(levels.spread(np.asarray(observed).sum(0)), 1)
    seen = levels.spread(np.asarray(observed, float))
    centred = (Y - seen * p) / np.sqrt(np.maximum(p, 1 / len(Y)))
    U, _, _ = np.linalg.svd(centred, full_matrices=False)
    if U.shape[1] < Q:
        U = np.pad(U, ((0, 0), (0, Q - U.shape[1])))
    return U[:, :Q] * np.sqrt(len(Y))


def log_odds(levels: Levels, codes: Codes) -> Float[np.ndarray, " W"]:
    """Log p(level) − log p(first level) of each weight, counts from ½."""
    counts = np.log(levels.counts(codes) + 0.5)
    first = counts[levels.starts[:-1]]
    later = np.ones(levels.L, bool)
    later[levels.starts[:-1]] = False
    return (counts - levels.spread(first))[later]
