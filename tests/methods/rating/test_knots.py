"""Where curves are told."""

import numpy as np

from beatpath import Battles
from beatpath.methods.rating.curve_fit import knots_of
from beatpath.methods.rating.online_state import schedule


def test_an_agent_has_one_knot_a_time_however_often_it_met():
    season = Battles.of([("x", "y", 1), ("x", "z", 1), ("x", "y", 0)], time=[5, 5, 3])
    found = knots_of(season, schedule(season))
    assert list(zip(found.agent, found.time, strict=True)) == [(0, 3), (0, 5), (1, 3), (1, 5), (2, 5)]
    assert found.first.tolist() == [True, False, True, False, True]
    assert found.last.tolist() == [1, 3, 4]
    assert {(found.time[i], found.agent[i], found.agent[j]) for i, j in zip(found.a, found.b, strict=True)} == {
        (3, 0, 1),
        (5, 0, 1),
        (5, 0, 2),
    }


def test_steps_vary_with_the_time_between_them():
    season = Battles.of([("x", "y", 1), ("x", "y", 1)], time=[1, 5])
    np.testing.assert_allclose(knots_of(season, schedule(season)).variance(0.5), [1, 1, 1, 1])
    np.testing.assert_allclose(knots_of(season, schedule(season)).variance(1.0), [1, 4, 1, 4])
