"""Corners of the cube whose evidence is known in closed form."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from clgp.model.family import build
from clgp.model.inputs import Rows
from clgp.model.kernels import RBF, Linear
from clgp.model.parameters import free
from clgp.variational.params import OutputsNumbers, Params, Shared
from tests.variational.problems import EXACT, evaluate

NOISE = 0.3


def numbers(kernel, X, Z, mu, L, *, D, log_s=-20.0):
    """Numbers of a continuous model with one kernel and one noise for all columns."""
    single = lambda a: np.asarray(a, np.float32)  # noqa: E731
    return Params(
        Rows(single(X), single(np.broadcast_to(log_s, X.shape))),
        Shared(
            single(Z), single(free(kernel)[None]), single([[np.log(NOISE)]]),
            np.zeros(0, np.float32), np.zeros(D, np.float32), np.zeros((0, D), np.float32),
        ),
        OutputsNumbers(single(mu), single(L)),
    )  # fmt: skip


def exact_posterior(K, Kxz, y, Z_factor):
    """Whitened mean and factor of q(u) that makes the bound tight: regression on α."""
    A = np.linalg.solve(Z_factor, Kxz.T)
    S = np.linalg.inv(np.eye(len(A)) + A @ A.T / NOISE)
    return S @ A @ y / NOISE, np.linalg.cholesky(S)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [("linear regression", Linear(np.array([1.5, 0.5]))),
     ("GP regression", RBF(np.asarray(1.2), np.ones(2)))],
)  # fmt: skip
def test_observed_inputs_reach_the_exact_evidence(name, kernel):
    key = np.random.default_rng(0)
    X, D = key.normal(size=(6, 2)), 2
    y = key.normal(size=(6, D))
    Z = X  # all of them: nothing is lost
    K = kernel.cross(X, X)
    factor = np.linalg.cholesky(K + 1e-4 * np.mean(np.diag(K)) * np.eye(6))
    mu, S = exact_posterior(K, K, y, factor)
    model = build(name, (1,) * D, Q=2, own=False)
    params = numbers(kernel, X, Z, mu, np.stack([S] * D), D=D)
    bound = evaluate(model, EXACT, params, y, key).bound
    evidence = stats.multivariate_normal(np.zeros(6), K + NOISE * np.eye(6))
    exact = sum(evidence.logpdf(column) for column in y.T)
    assert bound < exact + 1e-2
    assert np.isclose(bound, exact, atol=0.05)
    worse = params._replace(outputs=OutputsNumbers(params.outputs.mu + 0.2, params.outputs.L))
    assert evaluate(model, EXACT, worse, y, key).bound < bound - 0.05


def test_factor_analysis_is_ppca():
    """Latent, linear, continuous with known orthogonal loadings W: y ~ N(0, W Wᵀ + σ² I)."""
    key = np.random.default_rng(1)
    W = np.linalg.qr(key.normal(size=(4, 2)))[0] * [1.5, 0.7]
    y = key.normal(size=(9, 4))
    covariance = W @ W.T + NOISE * np.eye(4)
    exact = stats.multivariate_normal(np.zeros(4), covariance).logpdf(y).sum()
    S = np.linalg.inv(np.eye(2) + W.T @ W / NOISE)  # diagonal, as q(x_n) is
    m = y @ W @ S / NOISE
    # f = W x: the whitened outputs v of Z = I under k = x·x′ are the loadings themselves
    model = replace(
        build("factor analysis", (1,) * 4, Q=2, own=False).with_posterior("point"),
    )
    params = numbers(
        Linear(np.ones(2)), m, np.eye(2), W.T, np.zeros((4, 2, 2)), D=4,
        log_s=np.log(np.diag(S)) / 2,
    )  # fmt: skip
    scheme = EXACT.sized(M=2, T=512, iterations=1)
    found = evaluate(model, scheme, params, y, key, draws=8)
    assert np.isclose(found.likelihood - found.kl_x, exact, atol=0.15)
