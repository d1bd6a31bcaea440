"""Weng and Lin's ratings as a method."""

import pytest

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath.online import OnlineWengLin


def test_the_method_gives_the_ratings_of_the_state():
    season = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 0.5)], time=[1, 2, 3])
    found = bp.rank(season, "weng_lin", beta=3.0)
    state = OnlineWengLin(beta=3.0).update(season)
    assert found.scores == state.ratings
    assert found.details["deviations"] == state.deviations
    assert found.status == "exact"


def test_a_circle_at_one_time_is_a_tie():
    circle = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1)], time=[0, 0, 0])
    assert bp.rank(circle, "weng_lin").levels == (("x", "y", "z"),)


def test_finishing_orders_are_rated_one_after_another_and_the_status_says_so():
    games = Ballots.of([[["x"], ["y"], ["z"]], [["x"], ["z"]]])
    found = bp.rank(games, "weng_lin")
    assert found.scores == OnlineWengLin().update(games).ratings
    assert found.details["rated"] == 2
    assert found.status == "rated in the order of the rows: finishing orders have no times"


def test_counts_without_an_order_are_refused():
    with pytest.raises(bp.DataError, match="weng_lin needs ballots or battles; pairs"):
        bp.rank(bp.Pairs(("x", "y"), [0], [1], [[1, 0, 0, 0]]), "weng_lin")
