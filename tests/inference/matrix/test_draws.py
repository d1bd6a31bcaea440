"""Draws of the matrix have the reported covariance."""

import numpy as np
import pytest

from beatpath.inference.matrix import win_matrix
from beatpath.inference.matrix.estimate import estimate
from beatpath.inference.matrix.win_matrix import draw
from helpers.matrix_worlds import clustered, clustered_rows, independent, scale_world


@pytest.fixture
def unbounded(monkeypatch):
    """Leave draws near 0 and 1 as they are, so that their covariance is exactly the estimate's."""
    monkeypatch.setattr(win_matrix, "clip_inside", lambda values, mean, stderr: values)


@pytest.mark.usefixtures("unbounded")
def test_draws_have_the_covariance_of_the_estimate():
    made = estimate(scale_world(8)[0])
    D = draw(made, np.random.default_rng(1), 20_000)
    S = (D.sum(axis=2) - 0.5) / (made.rates.n - 1)
    assert np.allclose(np.cov(S.T), made.covariance, atol=0.04 * np.diag(made.covariance).max())
    assert np.allclose(D.std(axis=0), made.psi_stderr, rtol=0.03, atol=1e-12)


@pytest.mark.usefixtures("unbounded")
def test_draws_of_clusters_have_the_covariance_of_the_estimate():
    n, i, j, won, c, _ = clustered_rows(4)
    made = estimate(clustered(n, i, j, won, [c]))
    S = (draw(made, np.random.default_rng(1), 20_000).sum(axis=2) - 0.5) / (n - 1)
    assert np.allclose(np.cov(S.T), made.covariance, atol=0.04 * np.diag(made.covariance).max())


def test_draws_stay_inside():
    made = estimate(independent(3, [0, 0, 1], [1, 2, 2], [5.0] * 3, [0.5, 1.0, 1.0]))
    D = draw(made, np.random.default_rng(1), 500)
    assert ((D > 0) & (D < 1)).all()


@pytest.mark.parametrize("columns", [1, 2])
def test_errors_of_rates_are_drawn_with_their_variances(columns):
    """With two columns of clusters too, where errors are drawn from a sum that counts their crossing twice."""
    n, i, j, won, c, _ = clustered_rows(4)
    made = estimate(clustered(n, i, j, won, [c, np.arange(len(c)) % 7][:columns]))
    scale, extra = made.scaling
    drawn = made.noise(np.random.default_rng(2), 40_000)
    np.testing.assert_allclose(drawn.var(axis=1), made.phi * (scale**2 * made.rates.variance + extra), rtol=0.05)
