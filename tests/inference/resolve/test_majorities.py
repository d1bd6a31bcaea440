"""Majorities: who beats whom by estimates or by what was counted, and which wins are resolved."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.resolve.majorities import majorities


def met(wins, names="abcd"):
    n = len(wins)
    a, b = np.triu_indices(n, 1)
    counts = np.array([[wins[i][j], wins[j][i], 0, 0] for i, j in zip(a, b, strict=True)])
    return bp.win_matrix(bp.Pairs(tuple(names[:n]), a, b, counts))


@pytest.fixture(scope="module")
def ladder():
    return met([[0, 700, 900], [300, 0, 700], [100, 300, 0]])


def test_a_ladder_is_an_order_whose_first_beats_everybody(ladder):
    told = majorities(ladder, ladder.observed, 0.95)
    assert (told.winner, told.is_order, told.wins_resolved("a")) == ("a", True, 2)
    assert told.won.tolist() == [2, 1, 0]
    assert told.lost.tolist() == [0, 1, 2]


def test_a_circle_has_no_winner_and_is_no_order():
    found = met([[0, 700, 300], [300, 0, 700], [700, 300, 0]])
    told = majorities(found, found.observed, 0.95)
    assert told.winner is None
    assert not told.is_order


def test_two_agents_that_are_even_are_an_order_with_a_level():
    found = met([[0, 500, 900], [500, 0, 900], [100, 100, 0]])
    told = majorities(found, found.observed, 0.95)
    assert told.winner is None
    assert told.is_order
    assert told.lost.tolist() == [0, 0, 2]


def test_what_was_counted_has_intervals_of_each_pair_by_itself(ladder):
    told = majorities(ladder, ladder.observed, 0.95, "battle")
    assert told.by == "battle by battle"
    assert told.rate[0, 1] == pytest.approx(0.7)
    assert told.wins_resolved("a") == 2
    few = met([[0, 6, 6], [4, 0, 6], [4, 4, 0]])
    assert majorities(few, few.observed, 0.95, "battle").wins_resolved("a") == 0


def test_pairs_that_never_met_are_beaten_by_estimate_only():
    found = bp.win_matrix(bp.Pairs(("a", "b", "c"), [0, 1], [1, 2], [[900, 100, 0, 0], [900, 100, 0, 0]]))
    assert majorities(found, found.observed, 0.95).winner == "a"
    assert majorities(found, found.observed, 0.95, "battle").winner is None
