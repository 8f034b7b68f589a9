"""What the bound must not change with, and that its gradients are finite at bad places."""

import numpy as np
import pytest
from scipy.special import logsumexp

from clgp.model.family import FAMILY, build
from clgp.model.inputs import Rows
from clgp.model.kernels import KERNELS
from clgp.variational.backend import jax
from clgp.variational.bound import noise_size, terms
from clgp.variational.compile import to_mixture
from clgp.variational.fit import cells_of, fit
from clgp.variational.fitted import Fitted, Trace
from clgp.variational.start import Section5
from tests.variational.problems import CARDS, EXACT, SMALL, evaluate, table


def still(model, y, key, scheme=EXACT):
    """Numbers whose bound needs no luck: every q(x_n) is a point, every column has one weight."""
    params = scheme.start.params(model, cells_of(y), M=6, key=key)
    m = key.normal(size=params.rows.m.shape).astype(np.float32)
    mu = key.normal(size=params.outputs.mu.shape).astype(np.float32)
    return params._replace(
        rows=Rows(m, np.full(m.shape, -20, np.float32)), outputs=params.outputs._replace(mu=mu)
    )


def test_order_of_rows_and_columns_and_added_holes_change_nothing():
    key = np.random.default_rng(0)
    cards = (2,) * 5
    y = table(9, key=key, cards=cards)
    model = build("CLGP", cards, Q=2)
    params = still(model, y, key)
    whole = evaluate(model, EXACT, params, y, key)
    rows = key.permutation(9)
    shuffled = params._replace(rows=Rows(*(a[rows] for a in params.rows)))
    assert np.isclose(evaluate(model, EXACT, shuffled, y[rows], key).bound, whole.bound, rtol=1e-5)
    order = key.permutation(5)
    shared, (mu, L) = params.shared, params.outputs
    turned = params._replace(
        shared=shared._replace(kernel=shared.kernel[order], bias=shared.bias[order]),
        outputs=type(params.outputs)(mu[:, order], L[order]),
    )
    assert np.isclose(
        evaluate(model, EXACT, turned, y[:, order], key).bound, whole.bound, rtol=1e-5
    )
    empty = params._replace(rows=Rows(*(np.concatenate([a, a[:1]]) for a in params.rows)))
    padded = np.concatenate([y, np.full((1, 5), -1)])
    same = evaluate(model, EXACT, empty, padded, key)
    assert np.isclose(same.likelihood, whole.likelihood, rtol=1e-5)
    assert np.isclose(same.kl_u, whole.kl_u, rtol=1e-5)


@pytest.mark.parametrize("name", FAMILY)
def test_gradients_finite_at_coincident_points_and_in_an_almost_empty_column(name):
    key = np.random.default_rng(0)
    row = FAMILY[name]
    continuous = row.outputs == "continuous"
    y = key.normal(size=(8, 2)) if continuous else table(8, key=key, cards=(2, 3))
    y[1:, 0] = np.nan if continuous else -1
    model = build(name, (1, 1) if continuous else (2, 3), Q=2)
    params = Section5().params(model, cells_of(y), M=6, key=key)
    m = np.array(params.rows.m)
    m[:4] = params.shared.Z[0]
    params = params._replace(rows=params.rows._replace(m=m))
    noise = SMALL.expectation.draws.noise((noise_size(model, SMALL, 8),), key)
    loss = lambda p: terms(model, SMALL, p, cells_of(y), 8, noise).bound  # noqa: E731
    for gradient in jax.tree.leaves(jax.jit(jax.grad(loss))(params)):
        assert np.isfinite(gradient).all()


def test_below_the_evidence_and_touching_it_as_the_posterior_gets_exact():
    """With u a point the evidence is that of a mixture over the prior of x."""
    key = np.random.default_rng(2)
    model = build("CLGP", (2, 2), Q=1).with_posterior("point")
    y = np.array([[0, 1], [1, 0], [1, 1]])
    params = still(model, y, key, SMALL)
    weak = params._replace(
        outputs=params.outputs._replace(mu=0.05 * params.outputs.mu),
        rows=Rows(np.zeros((3, 1), np.float32), np.zeros((3, 1), np.float32)),
    )
    gaps = []
    for numbers in (params._replace(rows=weak.rows), weak):
        scheme = SMALL.sized(M=6, T=256, iterations=1)
        fitted = Fitted(model, scheme, numbers, Trace(*(np.zeros(0),) * 5))
        evidence = to_mixture(fitted, key, prior=2048, posterior=1).log_prob(y).sum()
        found = evaluate(model, scheme, numbers, y, key, draws=4)
        gaps.append(evidence - (found.likelihood - found.kl_x))
    assert gaps[0] > 0.01
    assert -0.02 < gaps[1] < 0.1


@pytest.mark.parametrize("part", ["ordinal", "shared", "product"])
def test_other_parts_fit(part):
    key = np.random.default_rng(0)
    y = table(10, key=key)
    options = {
        "ordinal": {"ordinal": (False, True, False)},
        "shared": {"shared": 2},
        "product": {"kernel": lambda Q: KERNELS["rbf"](Q) * KERNELS["matern52"](Q)},
    }[part]
    fitted = fit(build("CLGP", CARDS, Q=2, **options), y, scheme=SMALL, key=key)
    assert fitted.trace.bound[-5:].mean() > fitted.trace.bound[:5].mean()
    mixture = to_mixture(fitted, key, prior=32, posterior=8)
    assert np.isclose(logsumexp(mixture.log_weights), 0)
    P = mixture.probabilities(y)
    assert np.allclose(mixture.levels.sum(P), 1)
