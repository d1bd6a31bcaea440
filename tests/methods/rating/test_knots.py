"""Where curves have their points."""

import numpy as np

from beatpath import Battles
from beatpath.methods.rating.curve_fit import knots_of
from beatpath.methods.rating.online_state import schedule


def test_an_agent_has_one_knot_per_time_whatever_its_number_of_battles():
    season = Battles.of([("x", "y", 1), ("x", "z", 1), ("x", "y", 0)], time=[5, 5, 3])
    knots = knots_of(season, schedule(season))
    assert list(zip(knots.agent, knots.time, strict=True)) == [(0, 3), (0, 5), (1, 3), (1, 5), (2, 5)]
    assert knots.first.tolist() == [True, False, True, False, True]
    assert knots.last.tolist() == [1, 3, 4]
    assert {(knots.time[i], knots.agent[i], knots.agent[j]) for i, j in zip(knots.a, knots.b, strict=True)} == {
        (3, 0, 1),
        (5, 0, 1),
        (5, 0, 2),
    }


def test_steps_vary_with_the_time_between_them():
    season = Battles.of([("x", "y", 1), ("x", "y", 1)], time=[1, 5])
    np.testing.assert_allclose(knots_of(season, schedule(season)).variance(0.5), [1, 1, 1, 1])
    np.testing.assert_allclose(knots_of(season, schedule(season)).variance(1.0), [1, 4, 1, 4])
