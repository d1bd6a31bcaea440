"""Votes as preferences."""

import numpy as np
from hypothesis import given

from beatpath.methods.rating.sco.losses import cells_of_votes, votes_of
from helpers.strategies import ballots


@given(ballots())
def test_preferences_add_up_to_the_pair_counts(b):
    votes = votes_of(b)
    found = cells_of_votes(votes, np.ones(len(votes.winner)))
    wins = np.zeros((len(b.agents),) * 2)
    wins[found.a, found.b], wins[found.b, found.a] = found.n_ab, found.n_ba
    np.testing.assert_allclose(wins, b.pairs().wins(ties="drop"))
