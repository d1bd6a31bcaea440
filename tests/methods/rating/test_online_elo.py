"""Elo as a state: what is rated, and what it predicts."""

import pytest

from beatpath import Battles
from beatpath.online import OnlineElo


def test_ties_that_are_dropped_are_not_rated():
    battles = Battles.of([("x", "y", 0.5), ("y", "z", 1)])
    assert OnlineElo().update(battles, ties="drop").battles == 1


def test_two_hundred_points_are_worth_what_the_table_says():
    state = OnlineElo(ratings={"x": 1200.0, "y": 1000.0})
    assert state.predict("x", "y") == pytest.approx(0.76, abs=0.005)  # Elo (1978), table 2.11
    assert state.predict("y", "x") == pytest.approx(1 - state.predict("x", "y"))
    assert state.predict("y", "nobody") == 0.5
