"""q(x*) of rows that the fit has not seen, by climbing the bound with all globals frozen.

The other way is `compile.to_mixture`: it knows every mode of a row's posterior, this one only
the mode that it starts in. See also `moves.RowsOnly`.
"""

from dataclasses import replace

import numpy as np

from clgp.levels import Levels
from clgp.mixture import Mixture
from clgp.model.inputs import Rows
from clgp.typing import Codes, Float
from clgp.variational.draws import normal_points
from clgp.variational.fit import cells_of, climb
from clgp.variational.fitted import Fitted
from clgp.variational.moves import Adam, RowsOnly
from clgp.variational.predict import point_probabilities, row_probabilities


def infer(
    fitted: Fitted, codes: Codes, key: np.random.Generator, *, iterations: int = 100
) -> Fitted:
    """The model with the new rows in place of the old ones; codes have −1 for missing cells."""
    params = fitted.params._replace(rows=start(fitted, codes, key))
    scheme = replace(
        fitted.scheme,
        moves=RowsOnly(Adam(rate=0.1, spread_rate=0.05)),
        iterations=iterations,
        restarts=1,
        block=0,
    )
    return climb(fitted.model, cells_of(codes), [params], scheme=scheme, key=key)


def start(fitted: Fitted, codes: Codes, key: np.random.Generator, *, points: int = 256) -> Rows:
    """Each row at the point of the prior that explains its seen cells best, s = 0.3."""
    X = normal_points(points, fitted.model.Q, key)
    log_tables = np.log(np.maximum(point_probabilities(fitted, X, key), 1e-12))
    weights = np.full(points, -np.log(points))
    best = Mixture(
        levels=Levels(fitted.model.cards), log_weights=weights, log_tables=log_tables
    ).responsibilities(codes)
    m = X[best.argmax(1)]
    return Rows(m, np.full(m.shape, np.log(0.3), np.float32))


def probabilities(
    fitted: Fitted, codes: Codes, key: np.random.Generator
) -> Float[np.ndarray, "N L"]:
    """Probabilities of all levels of new rows by their q(x*)."""
    return row_probabilities(infer(fitted, codes, key), key)
