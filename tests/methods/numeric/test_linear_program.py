"""Linear programs, against scipy."""

import numpy as np
import pytest
from scipy.optimize import linprog

from beatpath.methods.numeric.linear_program import linear_program


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    A, b, c = rng.random((4, 3)), rng.random(4) + 1, -rng.random(3)
    x, _ = linear_program(c, A, np.full(4, -np.inf), b, x_low=np.zeros(3), x_high=np.full(3, np.inf))
    other = linprog(c, A_ub=A, b_ub=b)
    assert c @ x == pytest.approx(other.fun)
    assert (A @ x <= b + 1e-9).all()
