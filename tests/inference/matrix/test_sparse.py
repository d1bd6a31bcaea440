"""The implementation without matrices of all pairs, against the dense one."""

import numpy as np
import pytest
from scipy.special import expit

from beatpath import DataError
from beatpath.fit.laplacian import Laplacian, across, centered_inverse
from beatpath.inference.matrix.estimate import estimate
from beatpath.inference.matrix.sparse import estimate_sparse, kernel_sums
from helpers.matrix_worlds import scale_world


def test_the_sparse_estimate_is_the_dense_one():
    R, _ = scale_world(10, n=40, share=0.5)
    one, two = estimate(R), estimate_sparse(R)
    assert np.allclose(one.score, two.score, atol=2e-3)
    stderr, draws = two.stderr_by_draws(np.random.default_rng(1), 2000)
    assert draws == 2000
    assert np.abs(stderr / np.sqrt(np.diag(one.covariance)) - 1).max() < 0.08


def test_conjugate_gradients_solve_as_a_dense_inverse_does():
    R, _ = scale_world(11)
    rng = np.random.default_rng(0)
    w = rng.random(len(R.a)) + 0.1
    L, Y = Laplacian(R.n, R.a, R.b, w), rng.standard_normal((R.n, 3))
    C = centered_inverse(L.matrix())
    assert np.allclose(L.iterative_solver()(Y, 1e-8), C @ Y, atol=1e-6)
    assert np.isclose((w * across(C, R.a, R.b)).sum(), R.n - 1)


def test_sums_over_everybody_are_exact_enough():
    rng = np.random.default_rng(0)
    theta, c = 2 * rng.standard_normal(500), rng.standard_normal((500, 2))
    m = expit(theta[:, None] - theta[None, :])
    assert np.abs(kernel_sums(theta, np.ones(500)) / 500 - m.mean(axis=1)).max() < 1e-9
    assert np.abs(kernel_sums(theta, c, slope=True) - (m * (1 - m)) @ c).max() < 1e-8 * np.abs(c).sum()


def test_chains_too_long_to_settle_are_refused_and_not_answered_wrongly():
    n = 7_000
    short, long = (
        Laplacian(n, np.arange(n - 1), np.arange(1, n), np.ones(n - 1), most_steps=k) for k in (3_000, 9_000)
    )
    ends = np.zeros((n, 1))
    ends[0], ends[-1] = 1.0, -1.0
    with pytest.raises(DataError, match="7,000 agents do not converge within 3,000 steps"):
        short.solver()(ends, 1e-8)
    assert np.allclose(np.diff(long.solver()(ends, 1e-8)[:, 0]), -1.0, atol=1e-5)
