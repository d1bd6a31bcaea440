"""Minimising the sigmoid loss."""

import numpy as np
from scipy.optimize import minimize

from beatpath.methods.rating.sco.losses import Cells, sigmoid_loss
from beatpath.methods.rating.sco.solver import minimized


def test_no_start_of_many_ends_lower():
    cells = Cells.from_wins(np.array([[0, 5, 2], [0, 0, 2], [3, 3, 0]]))
    found = minimized(cells, temperature=10.0)
    rng = np.random.default_rng(0)
    for start in rng.uniform(0, 100, (20, 3)):
        other = minimize(lambda t: sigmoid_loss(t, cells, 10.0), start, bounds=[(0, 100)] * 3)
        assert found.details["loss"] <= other.fun + 1e-6
