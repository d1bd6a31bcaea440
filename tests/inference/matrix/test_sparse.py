"""The road without matrices of all pairs, beside the dense one."""

import numpy as np
import pytest
from scipy.special import expit

from beatpath import DataError
from beatpath.inference.matrix.estimate import estimate
from beatpath.inference.matrix.sparse import PairLaplacian, estimate_sparse, kernel_sums
from beatpath.inference.matrix.strengths import across, inverse_by_parts, laplacian
from helpers.matrix_worlds import scale_world


@pytest.mark.parametrize("shape", ["even", "beta"])
def test_the_sparse_road_leads_to_the_same_place(shape):
    R, _ = scale_world(10, n=40, share=0.5)
    one, two = estimate(R, shape=shape), estimate_sparse(R, shape=shape)
    assert np.allclose(one.score, two.score, atol=2e-3)
    ratio = np.diag(two.covariance(np.arange(40))) / np.diag(one.covariance)
    assert np.abs(ratio - 1).max() < 0.05
    few = two.covariance(np.array([3, 30]))
    assert np.allclose(few, two.covariance(np.arange(40))[np.ix_([3, 30], [3, 30])], atol=1e-9)
    told, drawn = two.stderr_by_draws(np.random.default_rng(1), 400)
    assert drawn == 400
    assert np.abs(told / np.sqrt(np.diag(two.covariance(np.arange(40)))) - 1).max() < 0.15


def test_conjugate_gradients_solve_as_a_dense_inverse_does():
    R, _ = scale_world(11)
    rng = np.random.default_rng(0)
    w, part = rng.random(len(R.a)) + 0.1, np.zeros(R.n, dtype=np.int64)
    C, Y = inverse_by_parts(laplacian(R.n, R.a, R.b, w), part), rng.standard_normal((R.n, 3))
    assert np.allclose(PairLaplacian(R.n, R.a, R.b, w, part).solve(Y), C @ Y, atol=1e-6)
    assert np.isclose((w * across(C, R.a, R.b)).sum(), R.n - 1)


def test_sums_over_everybody_are_exact_enough():
    rng = np.random.default_rng(0)
    theta, c = 2 * rng.standard_normal(500), rng.standard_normal((500, 2))
    m = expit(theta[:, None] - theta[None, :])
    assert np.abs(kernel_sums(theta, np.ones(500)) / 500 - m.mean(axis=1)).max() < 1e-9
    assert np.abs(kernel_sums(theta, c, slope=True) - (m * (1 - m)) @ c).max() < 1e-8 * np.abs(c).sum()


def test_chains_too_long_to_settle_are_refused_and_not_answered_wrongly():
    n = 7_000
    chain = PairLaplacian(n, np.arange(n - 1), np.arange(1, n), np.ones(n - 1), np.zeros(n, dtype=np.int64))
    ends = np.zeros((n, 1))
    ends[0], ends[-1] = 1.0, -1.0
    with pytest.raises(DataError, match="7,000 agents do not settle within 3,000 steps"):
        chain.solve(ends)
    assert np.allclose(np.diff(chain.solve(ends, most=9_000)[:, 0]), -1.0, atol=1e-5)
