"""What the expectation over one column's weights needs, whatever the column."""

from typing import NamedTuple

from clgp.model.inducing import Outputs, Projection
from clgp.model.likelihoods import Likelihood
from clgp.typing import Array, Float
from clgp.variational.backend import jnp


class Column(NamedTuple):
    """What the expectation over one column's f needs; `factor` mixes its functions over levels."""

    likelihood: Likelihood
    at: Projection
    q: Outputs
    bias: Float[Array, " K"]
    factor: Float[Array, "K F"]

    def weights(self, g: Float[Array, "F *T"]) -> Float[Array, "K *T"]:
        """F = factor · g + bias, from the column's functions g."""
        bias = self.bias.reshape(-1, *(1,) * (g.ndim - 1))
        return jnp.tensordot(self.factor, g, axes=1) + bias
