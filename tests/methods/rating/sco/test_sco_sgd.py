"""Algorithm 1."""

import numpy as np

from beatpath import Ballots
from beatpath.methods.rating.sco.descent import Settings, algorithm_1, ranges
from beatpath.methods.rating.sco.losses import votes_of


def test_ranges_are_written_out():
    assert ranges(np.array([3, 7]), np.array([5, 10])).tolist() == [3, 4, 7, 8, 9]


def test_descent_finds_the_order_of_a_clear_profile():
    votes = votes_of(Ballots.of(["ABC"], count=[20]))
    theta = algorithm_1(votes, Settings(iterations=2000, batch=4), np.random.default_rng(0))
    assert np.argsort(-theta).tolist() == [0, 1, 2]
