"""Soft covering: colder is nearer to the set."""

import numpy as np
from hypothesis import assume, given, settings

from beatpath.methods.soft_core.operators import soft_uncovered_set
from beatpath.methods.tournament.solutions import uncovered_set
from helpers.game_cases import games, named


@settings(max_examples=30, deadline=None)
@given(games(max_agents=6, largest=1))
def test_cold_scores_of_a_tournament_tell_the_uncovered_from_the_covered(M):
    M = np.asarray(M)
    assume(all(M[a, b] for a in range(len(M)) for b in range(a)))
    assume(len(M) > 1)
    score = soft_uncovered_set((M > 0).astype(float), 1e-3)
    inside = uncovered_set(named(M.astype(float)))
    assert (score[inside] > 0.5).all()
    assert (score[~inside] < 0.5).all()
