"""Descent in a box, against scipy."""

import numpy as np
import pytest
from scipy.optimize import minimize

from beatpath.methods.numeric.boxed_descent import boxed_descent


@pytest.mark.parametrize("seed", range(5))
def test_a_convex_loss_is_minimized_in_the_box(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    H, g = root @ root.T + np.eye(6), rng.normal(size=6) * 5

    def smooth(x):
        return float(x @ H @ x / 2 - g @ x), H @ x - g

    minimizer, _ = boxed_descent(smooth, np.zeros(6), -0.5, 0.5, tol=1e-9, max_iter=500)
    other = minimize(smooth, np.zeros(6), jac=True, bounds=[(-0.5, 0.5)] * 6, tol=1e-12)
    np.testing.assert_allclose(minimizer, other.x, atol=1e-5)
