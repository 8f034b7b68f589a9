"""The other parts of the family: likelihoods, level kernels, layout, inducing points, the cube."""

import numpy as np
import pytest
from scipy import stats

from clgp.model.family import FAMILY, build
from clgp.model.inducing import GaussianPosterior, Outputs, Plain, Whitened, project
from clgp.model.inputs import Latent, Rows
from clgp.model.kernels import KERNELS, RBF
from clgp.model.layout import Layout
from clgp.model.level_kernels import Nominal, level_factor, ordinal, weight_factor
from clgp.model.likelihoods import Gaussian, Softmax


@pytest.mark.parametrize("K", [1, 4])
def test_softmax_sums_to_one_and_is_equation_2(K):
    f = np.random.default_rng(0).normal(size=(K, 3, 5)) * 30
    P = np.stack([np.exp(Softmax().log_prob(np.full(5, k), f)) for k in range(K + 1)])
    assert np.allclose(P.sum(0), 1)
    assert np.allclose(Softmax().probabilities(f), P)
    assert np.allclose(P[1] / P[0], np.exp(f[0]))


def test_gaussian_likelihood_is_the_density():
    y, f = np.array([0.3, -1.0]), np.array([[0.1, 0.2]])
    expected = stats.norm(f[0], np.sqrt(0.5)).logpdf(y)
    assert np.allclose(Gaussian(np.asarray(0.5)).log_prob(y, f), expected)


def test_level_kernels():
    ranks = np.arange(5.0)
    B = level_factor(ordinal(), ranks)
    C = B @ B.T
    assert np.allclose(np.diag(C), 1)
    assert C[0, 1] > C[0, 2] > C[0, 4]
    assert np.allclose(level_factor(Nominal(), ranks), np.eye(5))
    e = np.concatenate([-np.ones((4, 1)), np.eye(4)], axis=1)  # f_k − f_0
    W = weight_factor(ordinal(), ranks)
    assert np.allclose(W @ W.T, e @ C @ e.T / 2)


def test_layout_covers_each_weight_once():
    layout = Layout((1, 3, 0, 1, 3, 2))
    places = np.concatenate([group.places.ravel() for group in layout.groups])
    assert sorted(places) == list(range(layout.W))
    assert len(layout.groups) == 3


def test_projection_interpolates_at_the_inducing_points():
    Z = np.random.default_rng(0).normal(size=(5, 2))
    kernel = RBF(np.asarray(2.0), np.ones(2))
    at = project(kernel, Z, Z)
    assert np.allclose(at.alpha.T @ at.alpha, kernel.cross(Z, Z), atol=1e-3)
    assert (at.b < 1e-2).all()
    assert (at.b > 0).all()


def test_kl_is_the_same_in_either_coordinates():
    key = np.random.default_rng(0)
    Z = key.normal(size=(4, 1))
    kernel = KERNELS["matern32"](1)
    K = kernel.cross(Z, Z) + 1e-4 * np.eye(4)
    L_inv = project(kernel, Z, Z).L_inv
    mu, L = key.normal(size=(4, 3)), np.tril(key.normal(size=(4, 4))) + 2 * np.eye(4)
    S, q = L @ L.T, Plain().white(mu, L, L_inv)
    by_hand = sum(
        (np.trace(np.linalg.solve(K, S)) + m @ np.linalg.solve(K, m) - 4) / 2
        + (np.linalg.slogdet(K)[1] - np.linalg.slogdet(S)[1]) / 2
        for m in mu.T
    )
    assert np.isclose(GaussianPosterior().kl(q), by_hand)
    assert np.isclose(GaussianPosterior().kl(Whitened().white(q.mean, q.S, L_inv)), by_hand)
    assert GaussianPosterior().kl(Outputs(0 * mu, np.eye(4))) == 0


def test_kl_of_latents():
    rows = Rows(np.zeros((2, 3)), np.zeros((2, 3)))
    assert np.allclose(Latent().kl(rows), 0)
    moved = Rows(np.ones((1, 1)), np.log(np.full((1, 1), 2.0)))
    assert np.isclose(Latent().kl(moved)[0], (1 + 4 - 1) / 2 - np.log(2))


def test_the_cube_has_its_eight_corners():
    corners = {(row.inputs, row.kernel, row.outputs) for row in FAMILY.values()}
    assert len(corners) == len(FAMILY) == 8
    assert FAMILY["LGM"].posterior == "unpenalised"
    assert build("GPLVM", (1, 1), Q=2).layout.W == 2
