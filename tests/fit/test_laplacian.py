"""Linear systems in the Laplacian of the pairs, against the matrix written out."""

import numpy as np
import pytest

from beatpath.fit.laplacian import DENSE, Laplacian, incident, solved


@pytest.mark.parametrize("n", [5, DENSE + 20])
def test_factored_and_iterated_solutions_solve_the_system(n):
    rng = np.random.default_rng(n)
    a, b = (side.astype(np.int32) for side in np.triu_indices(n, 1))
    weight = rng.random(len(a)) + 0.1
    laplacian = Laplacian(n, a, b, weight)
    rhs = rng.normal(size=n)
    rhs -= rhs.mean()
    x = laplacian.solver()(rhs, 1e-12)
    np.testing.assert_allclose(laplacian.matrix() @ x, rhs, atol=1e-8)


def test_what_pairs_hold_adds_up_by_agent():
    assert incident(3, np.array([0, 1]), np.array([1, 2]), np.array([1.0, 2.0]), np.array([4.0, 8.0])).tolist() == [
        1,
        6,
        8,
    ]


def test_a_system_that_is_singular_up_to_rounding_is_solved_on_its_range():
    singular = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    x = solved(singular, np.array([3.0, -3.0, 4.0]))
    np.testing.assert_allclose(singular @ x, [3, -3, 4], atol=1e-6)
