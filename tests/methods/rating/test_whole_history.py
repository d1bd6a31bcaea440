"""Whole-history rating as a method."""

import pytest

import beatpath as bp
from beatpath import Ballots, Battles

SEASON = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 0.5)], time=[1, 2, 3])


def test_the_method_gives_the_last_points_of_the_curves():
    ranking, curves = bp.rank(SEASON, "whole_history", drift=0.5), bp.online.strength_curves(SEASON, drift=0.5)
    assert ranking.scores == {row["agent"]: row["strength"] for row in curves.rows()}
    assert ranking.status == "converged"


def test_a_cycle_at_one_time_is_a_tie():
    cycle = Battles.of([("x", "y", 1), ("y", "z", 1), ("z", "x", 1)], time=[0, 0, 0])
    assert bp.rank(cycle, "whole_history").levels == (("x", "y", "z"),)


def test_evidence_without_times_is_refused():
    with pytest.raises(bp.DataError, match="whole_history needs battles; ballots"):
        bp.rank(Ballots.of([[["x"], ["y"]]]), "whole_history")
    with pytest.raises(bp.DataError, match="need the time of every battle"):
        bp.rank(Battles.of([("x", "y", 1)]), "whole_history")
