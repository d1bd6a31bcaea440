"""What a method hands back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath.methods.result import levels_by_score


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_ranks_count_the_agents_on_better_levels(score):
    level = levels_by_score(np.array(score, dtype=float))
    assert level.tolist() == [len({s for s in score if s > mine}) for mine in score]


def test_tied_agents_share_the_mean_of_their_ranks():
    ranking = bp.rank(bp.Ballots.of([[["A", "B"], ["C"]]]), "borda")
    assert [ranking.rank(name) for name in "ABC"] == [1, 1, 3]
    assert ranking.middle_ranks() == {"A": 1.5, "B": 1.5, "C": 3}
    assert ranking.rows()[2] == {"rank": 3, "agent": "C", "score": 0.0}
    assert ranking.sentences == ("borda: A = B > C",)
