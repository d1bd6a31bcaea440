"""Who beats all others, and who loses to nobody."""

import numpy as np
import pytest
from hypothesis import given

import beatpath as bp
from beatpath._errors import DataError
from beatpath.evidence.condorcet import Condorcet, condorcet, condorcet_of_ballots, won_and_lost
from helpers.strategies import ballots


def test_a_condorcet_winner_beats_all_and_a_weak_one_loses_to_none():
    margins = bp.Margins([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], ("A", "B", "C"))
    assert condorcet(margins) == Condorcet(None, ("A", "B"))
    assert [counts.tolist() for counts in won_and_lost(margins)] == [[1, 1, 0], [0, 0, 2]]


def test_ballots_are_compared_in_blocks_as_their_pairs_are(monkeypatch):
    rng = np.random.default_rng(3)
    votes = [
        [[f"a{i}" for i in part] for part in np.array_split(rng.permutation(9)[: rng.integers(2, 9)], 2)]
        for _ in range(7)
    ]
    names = [f"a{i}" for i in range(9)]
    monkeypatch.setattr("beatpath.evidence.condorcet._BLOCK", 20)
    for weight in (None, rng.random(7)):
        ballots = bp.Ballots.of(votes, agents=names, weight=weight)
        settled = ballots.pairs().two_way(ties="half", both_bad="tie")
        for mine, theirs in zip(won_and_lost(ballots), won_and_lost(settled), strict=True):
            assert mine.tolist() == theirs.tolist()


def test_more_comparisons_than_there_is_time_for_are_refused_before_they_are_made():
    n = 60_000
    ballots = bp.Scores.from_table(np.arange(2.0 * n).reshape(n, 2), [f"m{i}" for i in range(n)], ["x", "y"]).ballots()
    with pytest.raises(
        DataError, match=r"60,000 agents on 2 ballots takes 7,200,000,000 comparisons.*Choose agents with `bp.only`"
    ):
        won_and_lost(ballots)


@given(ballots())
def test_ballots_name_those_who_beat_all_without_counting_pairs(b):
    assert condorcet_of_ballots(b) == condorcet(b.pairs().settle())


def test_weights_that_differ_by_rounding_alone_leave_a_tie():
    votes = bp.Ballots.of([[["A"], ["B"]]] * 3 + [[["B"], ["A"]]], weight=[0.1, 0.1, 0.1, 0.3])
    assert 0.1 + 0.1 + 0.1 != 0.3
    assert condorcet_of_ballots(votes) == Condorcet(None, ("A", "B"))


def test_a_cycle_of_many_has_no_winner():
    n = 30
    turned = [np.roll(np.arange(n), k) for k in range(n)]
    votes = bp.Ballots.of([[[f"{i:02d}"] for i in vote] for vote in turned])
    assert condorcet_of_ballots(votes) == Condorcet(None, ())


def test_of_no_agents_nobody_wins():
    won, lost = won_and_lost(bp.Ballots((), [], [], [0]))
    assert won.tolist() == lost.tolist() == []
