"""Who beats all others, and who loses to nobody."""

import numpy as np
from hypothesis import given

import beatpath as bp
from beatpath.evidence.condorcet import Condorcet, condorcet, condorcet_of_ballots, won_and_lost
from helpers.strategies import ballots


def test_a_condorcet_winner_beats_all_and_a_weak_one_loses_to_none():
    margins = bp.Margins([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], ("A", "B", "C"))
    assert condorcet(margins) == Condorcet(None, ("A", "B"))
    assert [counts.tolist() for counts in won_and_lost(margins)] == [[1, 1, 0], [0, 0, 2]]


@given(ballots())
def test_ballots_name_those_who_beat_all_without_counting_pairs(b):
    assert condorcet_of_ballots(b) == condorcet(b.pairs().settle())


def test_weights_that_differ_by_rounding_alone_leave_a_tie():
    votes = bp.Ballots.of([[["A"], ["B"]]] * 3 + [[["B"], ["A"]]], weight=[0.1, 0.1, 0.1, 0.3])
    assert 0.1 + 0.1 + 0.1 != 0.3
    assert condorcet_of_ballots(votes) == Condorcet(None, ("A", "B"))


def test_a_circle_of_many_has_no_winner():
    n = 30
    turned = [np.roll(np.arange(n), k) for k in range(n)]
    votes = bp.Ballots.of([[[f"{i:02d}"] for i in vote] for vote in turned])
    assert condorcet_of_ballots(votes) == Condorcet(None, ())
