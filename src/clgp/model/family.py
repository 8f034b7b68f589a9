"""The cube of figure 1 as one table: inputs × kernel × outputs, and how q(u) is charged.

A model is a row of FAMILY and nothing anywhere asks which one it is: `build` turns the names into
parts, and the engine asks only the parts.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from clgp.model.inducing import POSTERIORS, Posterior
from clgp.model.inputs import INPUTS, Inputs
from clgp.model.kernels import KERNELS, Kernel
from clgp.model.layout import Layout
from clgp.model.likelihoods import LIKELIHOODS, Likelihood


@dataclass(frozen=True)
class Row:
    """One corner of the cube."""

    inputs: str
    kernel: str
    outputs: str
    posterior: str = "gaussian"


FAMILY: dict[str, Row] = {
    "LGM": Row("latent", "linear", "categorical", "unpenalised"),
    "CLGP": Row("latent", "rbf", "categorical"),
    "logistic regression": Row("observed", "linear", "categorical"),
    "GP classification": Row("observed", "rbf", "categorical"),
    "factor analysis": Row("latent", "linear", "continuous"),
    "GPLVM": Row("latent", "rbf", "continuous"),
    "linear regression": Row("observed", "linear", "continuous"),
    "GP regression": Row("observed", "rbf", "continuous"),
}


@dataclass(frozen=True)
class Model:
    """A row of the cube for a table: Q input dimensions and D columns.

    `kernel` builds the kernel for Q dimensions: an entry of KERNELS, or any function of Q. With
    `own` every column has a kernel (and a likelihood) of its own, without it one serves all.
    `ordinal` marks the columns whose levels have an order; `shared` > 0 mixes that many functions
    linearly to all weights (the paper's footnote 2).
    """

    inputs: Inputs
    kernel: Callable[[int], Kernel]
    likelihood: Callable[[], Likelihood]
    posterior: Posterior
    cards: tuple[int, ...]
    Q: int
    own: bool = True
    ordinal: tuple[bool, ...] = ()
    shared: int = 0

    @property
    def layout(self) -> Layout:
        """The flat axis of this table's weights."""
        return Layout(tuple(self.likelihood().n_weights(card) for card in self.cards))

    def with_posterior(self, name: str) -> "Model":
        """The same model with another form of q(u)."""
        return replace(self, posterior=POSTERIORS[name]())


def build(
    name: str,
    cards: tuple[int, ...],
    *,
    Q: int,
    kernel: Callable[[int], Kernel] | None = None,
    own: bool = True,
    ordinal: tuple[bool, ...] = (),
    shared: int = 0,
) -> Model:
    """The model of that name for columns with `cards` levels; continuous ones have card 1.

    Example:
        >>> build("CLGP", (2, 3), Q=2).layout.W
        3
    """
    row = FAMILY[name]
    return Model(
        INPUTS[row.inputs](),
        kernel or KERNELS[row.kernel],
        LIKELIHOODS[row.outputs],
        POSTERIORS[row.posterior](),
        cards,
        Q,
        own,
        ordinal,
        shared,
    )
