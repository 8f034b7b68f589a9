"""Every kernel named in KERNELS keeps the laws of a covariance function, in both engines."""

import numpy as np
import pytest

from clgp.model.kernels import KERNELS, RBF, Constant, Linear, Periodic
from clgp.model.parameters import bind, free

jax = pytest.importorskip("clgp.variational.backend").jax
Q = 2
PARTS = {name: build(Q) for name, build in KERNELS.items()}
PARTS["sum"] = KERNELS["rbf"](Q) + KERNELS["linear"](Q)
PARTS["product"] = KERNELS["periodic"](Q) * KERNELS["matern32"](Q)
every = pytest.mark.parametrize("kernel", PARTS.values(), ids=PARTS.keys())


@pytest.fixture
def X():
    X = np.random.default_rng(0).normal(size=(7, Q))
    return np.concatenate([X, X[:2]])  # two points twice


@every
def test_symmetric_positive_and_diagonal(kernel, X):
    K = kernel.cross(X, X)
    assert np.allclose(K, K.T)
    assert np.linalg.eigvalsh(K).min() > -1e-9
    assert np.allclose(np.diag(K), kernel.diagonal(X))


@every
def test_same_numbers_in_both_engines(kernel, X):
    K = kernel.cross(jax.numpy.asarray(X), jax.numpy.asarray(X[:4]))
    assert np.allclose(K, kernel.cross(X, X[:4]), atol=1e-5)


@every
def test_gradient_finite_where_points_coincide(kernel, X):
    X = jax.numpy.asarray(X, np.float32)
    theta = jax.numpy.asarray(free(kernel), np.float32)
    loss = lambda X, theta: bind(kernel, theta).cross(X, X).sum()  # noqa: E731
    for gradient in jax.grad(loss, (0, 1))(X, theta):
        assert np.isfinite(gradient).all()


@every
def test_free_numbers_come_back(kernel, X):
    theta = np.random.default_rng(1).normal(size=free(kernel).shape)
    assert np.allclose(free(bind(kernel, theta)), theta)
    with pytest.raises(ValueError, match="Expected"):
        bind(kernel, np.append(theta, 0.0))


def test_formulas_by_hand():
    x, z = np.array([[1.0, 2.0]]), np.array([[0.5, -1.0]])
    rbf = RBF(np.asarray(2.0), np.array([0.5, 3.0]))
    assert np.isclose(rbf.cross(x, z)[0, 0], 2 * np.exp(-((0.5 / 0.5) ** 2 + (3 / 3.0) ** 2) / 2))
    assert np.isclose(Linear(np.array([2.0, 1.0])).cross(x, z)[0, 0], 2 * 0.5 - 2)
    assert Constant(np.asarray(3.0)).cross(x, z)[0, 0] == 3
    turn = Periodic(np.asarray(1.0), np.ones(2), np.array([0.5, 3.0]))
    assert np.isclose(turn.cross(x, z)[0, 0], 1)
