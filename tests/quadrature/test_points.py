"""Laws of the quasi-random points."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.special import ndtri as quantile
from scipy.stats import qmc

from clgp.quadrature.points import draws, hermite, ndtri, normal_points, sobol


@pytest.mark.parametrize("Q", [1, 2, 8, 21])
def test_sobol_is_that_of_joe_and_kuo(Q):
    expected = qmc.Sobol(Q, scramble=False, bits=32).random(64)
    np.testing.assert_array_equal(np.sort(sobol(64, Q) / 2**32, 0), np.sort(expected, 0))


def test_normal_quantile():
    u = np.array([1e-12, 1e-6, 0.02, 0.0243, 0.3, 0.5, 0.7, 0.98, 1 - 1e-9])
    np.testing.assert_allclose(ndtri(u), quantile(u), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("Q", [2, 8, 30])
def test_each_axis_has_one_point_in_each_of_its_slices(Q):
    points = normal_points(256, Q, np.random.default_rng(3))
    slices = np.floor(ndtr(points) * 256).astype(int)
    for axis in slices.T:
        assert sorted(axis) == list(range(256))


def test_pairs_of_axes_are_filled_more_evenly_than_by_chance():
    key = np.random.default_rng(0)
    quasi = qmc.discrepancy(_uniform(normal_points(256, 5, key)))
    plain = qmc.discrepancy(key.random((256, 5)))
    assert quasi < plain / 2


def _uniform(x):
    return ndtr(x)


def test_draws_have_mean_zero_and_variance_one():
    eps = draws(8, 30, np.random.default_rng(1))
    np.testing.assert_allclose(eps.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose((eps**2).mean(0), 1)


def test_hermite_integrates_polynomials():
    x, w = hermite(7)
    np.testing.assert_allclose(
        [w @ x**k for k in range(9)], [1, 0, 1, 0, 3, 0, 15, 0, 105], atol=1e-9
    )


def test_same_key_same_points():
    one, two = (normal_points(16, 3, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
