"""Bradley-Terry strengths: Firth's correction, pseudo-inverses."""

import numpy as np
from scipy.special import expit

from beatpath.fit.laplacian import across, centered_inverse, laplacian_matrix
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.inference.matrix.estimate import estimate
from helpers.matrix_worlds import independent


def test_firth_adds_half_a_win_to_a_pair_alone():
    made = estimate(independent(2, [0], [1], [10.0], [1.0]))
    assert np.isclose(expit(made.theta[0] - made.theta[1]), 10.5 / 11)


def test_the_pseudo_inverse_is_that_of_every_component():
    a, b, part = np.array([0, 1, 3]), np.array([1, 2, 4]), np.array([0, 0, 0, 1, 1])
    L = laplacian_matrix(5, a, b, np.array([1.0, 2.0, 3.0]))
    assert np.allclose(centered_inverse(L, part), np.linalg.pinv(L))
    assert np.allclose(across(centered_inverse(L, part), a, b), [1.0, 0.5, 1 / 3])  # resistances of a chain


def test_weights_that_rounding_loses_beside_others_are_solved_all_the_same():
    """Two agents whose pairs weigh next to nothing beside the rest's, where Cholesky's factor does not exist in floating point."""
    a, b = np.array([0, 0, 1, 3]), np.array([1, 2, 2, 4])
    w = np.array([1e18, 1e18, 1e18, 1e-3])
    rows = decided(5, a, b, np.array([0.6, 0.7, 0.6, 0.5]) * w, w, part=np.array([0, 0, 0, 1, 1]))
    theta = fit_pairs(rows).strength
    assert np.isfinite(theta).all()
    assert theta[0] > theta[1] > theta[2]
