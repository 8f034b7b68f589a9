"""The letters of the paper, as the names of array axes; every annotation takes its letters here.

N rows, D columns, K levels of one column, L = ΣK_d levels of all columns side by side,
T components of a mixture (or Monte Carlo draws), Q latent axes, M inducing points,
S support points, B rows of a block. `docs/notation.md` tells them in words.
"""

from typing import Any, TypeAlias

import numpy as np
from jaxtyping import Bool, Float, Int, UInt

Array: TypeAlias = Any
"""An array of either engine: NumPy or JAX. Formulas written once for both take it."""

Codes = Int[np.ndarray, "N D"]
"""Rows of a table: the place of each cell's level in its column, or −1 for a missing cell."""

__all__ = ["Array", "Bool", "Codes", "Float", "Int", "UInt"]
