"""Laws of the features: A Aᵀ and b reproduce the kernel."""

import numpy as np
import pytest

from clgp.model.kernels import KERNELS, RBF, Linear
from clgp.model.parameters import bind, free
from clgp.quadrature.features import features
from clgp.quadrature.slopes import slopes

BUILD = {**KERNELS, "linear + rbf": lambda Q: Linear(np.ones(Q)) + RBF(np.asarray(1.0), np.ones(Q))}


@pytest.mark.parametrize("name", BUILD)
def test_variance_is_split_into_features_and_rest(name):
    X = np.random.default_rng(0).standard_normal((30, 2))
    kernel = BUILD[name](2)
    A, b = features(kernel, X, X[:12])
    assert np.all(b >= 0)
    np.testing.assert_allclose((A**2).sum(1) + b, kernel.diagonal(X), rtol=1e-9)


@pytest.mark.parametrize("name", sorted(set(BUILD) - {"white"}))
def test_features_give_the_covariance_at_the_inducing_points(name):
    Z = np.random.default_rng(1).standard_normal((12, 1))
    kernel = BUILD[name](1)
    A, _ = features(kernel, Z, Z)
    np.testing.assert_allclose(A @ A.T, kernel.cross(Z, Z), atol=3e-3)


@pytest.mark.parametrize("name", BUILD)
def test_gradient_through_the_features(name):
    key = np.random.default_rng(2)
    X, kernel = key.standard_normal((20, 2)), BUILD[name](2)
    A, b = features(kernel, X, X[:8])
    dA, db = key.standard_normal(A.shape), key.standard_normal(b.shape)
    slope = slopes(kernel, X, X[:8], dA, db)

    def value(theta):
        A, b = features(bind(kernel, theta), X, X[:8])
        return (A * dA).sum() + (b * db).sum()

    theta = free(kernel)
    for i in range(len(theta)):
        e = 1e-5 * (np.arange(len(theta)) == i)
        expected = (value(theta + e) - value(theta - e)) / 2e-5
        np.testing.assert_allclose(slope[i], expected, rtol=1e-2, atol=1e-2)
