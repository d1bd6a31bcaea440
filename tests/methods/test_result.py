"""What a method hands back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath.methods.result import Condorcet, condorcet, levels_by_score, won_and_lost


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_ranks_count_the_agents_on_better_levels(score):
    level = levels_by_score(np.array(score, dtype=float))
    assert level.tolist() == [len({s for s in score if s > mine}) for mine in score]


def test_tied_agents_share_the_mean_of_their_ranks():
    found = bp.rank(bp.Ballots.of([[["A", "B"], ["C"]]]), "borda")
    assert [found.rank(name) for name in "ABC"] == [1, 1, 3]
    assert found.middle_ranks() == {"A": 1.5, "B": 1.5, "C": 3}
    assert found.rows()[2] == {"rank": 3, "agent": "C", "score": 0.0}
    assert found.sentences == ("borda: A = B > C",)


def test_a_condorcet_winner_beats_all_and_a_weak_one_loses_to_none():
    margins = bp.Margins([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], ("A", "B", "C"))
    assert condorcet(margins) == Condorcet(None, ("A", "B"))
    assert [counts.tolist() for counts in won_and_lost(margins)] == [[1, 1, 0], [0, 0, 2]]
