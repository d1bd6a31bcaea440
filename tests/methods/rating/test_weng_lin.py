"""Weng and Lin's ratings as a method."""

import pytest

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath.online import OnlineWengLin


def test_the_method_gives_the_ratings_of_the_state():
    season = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 0.5)], time=[1, 2, 3])
    ranking = bp.rank(season, "weng_lin", beta=3.0)
    state = OnlineWengLin(beta=3.0).update(season)
    assert ranking.scores == state.ratings
    assert ranking.details["deviations"] == state.deviations
    assert ranking.status == "exact"


def test_a_cycle_at_one_time_is_a_tie():
    cycle = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1)], time=[0, 0, 0])
    assert bp.rank(cycle, "weng_lin").levels == (("x", "y", "z"),)


def test_finishing_orders_are_rated_one_after_another_and_the_status_says_so():
    games = Ballots.of([[["x"], ["y"], ["z"]], [["x"], ["z"]]])
    ranking = bp.rank(games, "weng_lin")
    assert ranking.scores == OnlineWengLin().update(games).ratings
    assert ranking.details["rated"] == 2
    assert ranking.status == "rated in the order of the rows: finishing orders have no times"


def test_counts_without_an_order_are_refused():
    with pytest.raises(bp.DataError, match="weng_lin needs ballots or battles; pairs"):
        bp.rank(bp.Pairs(("x", "y"), [0], [1], [[1, 0, 0, 0]]), "weng_lin")
