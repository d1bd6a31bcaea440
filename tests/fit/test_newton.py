"""Newton steps that always go down."""

import numpy as np

from beatpath.fit.newton import Local, newton


def test_a_convex_minimum_is_reached():
    H, g = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, -1.0])

    def at(x):
        gradient = g - H @ x
        return Local(
            float(g @ x - x @ H @ x / 2), gradient, np.diag(H), np.abs(g), lambda accuracy: np.linalg.solve(H, gradient)
        )

    solution = newton(at, np.array([50.0, -30.0]), max_iter=50)
    assert solution.converged
    np.testing.assert_allclose(solution.x, np.linalg.solve(H, g), atol=1e-8)
