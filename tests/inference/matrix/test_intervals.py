"""Wilson's intervals of win rates."""

import numpy as np

from beatpath.inference.matrix.estimate import estimate
from beatpath.inference.matrix.win_matrix import psi_intervals
from beatpath.stats.intervals import wilson_ends
from helpers.matrix_worlds import scale_world


def test_wilson_solves_its_equation():
    p, n, z = np.array([0.2, 0.9, 1.0]), np.array([10.0, 50.0, 7.0]), 1.96
    for x in wilson_ends(p, n, z):
        assert np.allclose((p - x) ** 2, z**2 * x * (1 - x) / n, atol=1e-12)


def test_intervals_hold_the_estimate():
    made = estimate(scale_world(9)[0])
    low, high = psi_intervals(made)
    assert ((low <= made.psi) & (made.psi <= high)).all()
