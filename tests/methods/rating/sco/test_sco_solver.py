"""Minimising the sigmoid loss."""

import numpy as np
from scipy.optimize import minimize

from beatpath.methods.rating.sco.losses import Cells, classes_of, sigmoid_loss
from beatpath.methods.rating.sco.solver import _cooled, _merits, _moved, _Search, cold_enough, minimized


def test_no_start_of_many_ends_lower():
    cells = Cells.from_wins(np.array([[0, 5, 2], [0, 0, 2], [3, 3, 0]]))
    minimum = minimized(cells, temperature=10.0)
    rng = np.random.default_rng(0)
    for start in rng.uniform(0, 100, (20, 3)):
        other = minimize(lambda t: sigmoid_loss(t, cells, 10.0), start, bounds=[(0, 100)] * 3)
        assert minimum.details["loss"] <= other.fun + 1e-6


def test_moves_leave_the_minimum_that_an_upside_down_order_is_at_a_low_temperature():
    """Each of six agents beats all below it: only their order has no cost, and descent alone does not leave the reverse."""
    wins = np.triu(np.ones((6, 6)), 1)
    search = _Search(classes_of(Cells.from_wins(wins)), 0.0, 100.0)
    reversed_order = search.spread(np.arange(6)[::-1])
    stuck = search.descended(reversed_order, 0.1, 200)
    assert np.argsort(-stuck).tolist() == [5, 4, 3, 2, 1, 0]
    theta, moves = _moved(search, stuck, 0.1)
    assert np.argsort(-theta).tolist() == [0, 1, 2, 3, 4, 5]
    assert moves == 1
    assert _moved(search, theta, 0.1)[1] == 0


def test_following_the_minimum_from_a_high_temperature_ends_lower_than_descent_at_the_last_one():
    for seed in range(6):
        wins = np.random.default_rng(seed).integers(0, 10, (15, 15))
        np.fill_diagonal(wins, 0)
        classes = classes_of(Cells.from_wins(wins))
        search, last = _Search(classes, 0.0, 100.0), cold_enough(100.0, classes)
        direct = search.descended(50 * (1 + _merits(classes)[0]), last, 500)
        assert search.loss(_cooled(search, last), last) < search.loss(direct, last) - 0.1
