"""Glicko-2 as a method."""

import pytest

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath.online import OnlineGlicko2


def test_the_method_gives_the_ratings_of_the_state():
    season = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 0.5)], time=[1, 2, 3])
    ranking = bp.rank(season, "glicko2", tau=0.3)
    state = OnlineGlicko2(tau=0.3).update(season)
    assert ranking.scores == state.ratings
    assert ranking.details["deviations"] == state.deviations
    assert ranking.status == "exact"


def test_a_cycle_at_one_time_is_a_tie():
    cycle = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1)], time=[0, 0, 0])
    assert bp.rank(cycle, "glicko2").levels == (("x", "y", "z"),)


def test_evidence_without_an_order_is_refused():
    with pytest.raises(bp.DataError, match="glicko2 needs battles; ballots"):
        bp.rank(Ballots.of([[["x"], ["y"]]]), "glicko2")
