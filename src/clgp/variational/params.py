"""All numbers that the bound is maximised over, in the three sets that are updated by turns.

Rows: m_n, log s_n. Shared: Z, hyper-parameters, biases, mixing. Outputs: mu, L of q(u).
"""

from typing import NamedTuple

from clgp.model.family import Model
from clgp.model.inputs import Rows
from clgp.model.kernels import Kernel
from clgp.model.likelihoods import Likelihood
from clgp.model.parameters import bind
from clgp.typing import Array, Bool, Float


class Shared(NamedTuple):
    """What all rows share, without q(u). C is D, or 1 where one kernel serves all columns."""

    Z: Float[Array, "M Q"]
    kernel: Float[Array, "C P"]
    likelihood: Float[Array, "C P_y"]
    level: Float[Array, " P_l"]
    bias: Float[Array, " W"]
    mixing: Float[Array, "R W"]


class OutputsNumbers(NamedTuple):
    """q(u): means of all functions side by side, one factor a column."""

    mu: Float[Array, "M F"]
    L: Float[Array, "D_f M M"]


class Params(NamedTuple):
    """Everything."""

    rows: Rows
    shared: Shared
    outputs: OutputsNumbers


class Cells(NamedTuple):
    """Values of some rows' cells, anything where they are missing, and which were observed."""

    y: Float[Array, "B D"]
    observed: Bool[Array, "B D"]


def kernel_of(model: Model, theta: Float[Array, " P"]) -> Kernel:
    """The kernel with the free numbers θ."""
    return bind(model.kernel(model.Q), theta)


def likelihood_of(model: Model, theta: Float[Array, " P"]) -> Likelihood:
    """The likelihood with the free numbers θ."""
    return bind(model.likelihood(), theta)
