"""Votes as preferences."""

import numpy as np
from hypothesis import given

from beatpath.methods.rating.sco.losses import cells_of_votes, votes_of
from helpers.strategies import ballots


@given(ballots())
def test_preferences_add_up_to_the_pair_counts(b):
    votes = votes_of(b)
    cells = cells_of_votes(votes, np.ones(len(votes.winner)))
    wins = np.zeros((len(b.agents),) * 2)
    wins[cells.a, cells.b], wins[cells.b, cells.a] = cells.n_ab, cells.n_ba
    np.testing.assert_allclose(wins, b.pairs().wins(ties="drop"))
