"""Battles: rows of two agents and an outcome."""

import numpy as np
import pytest
from hypothesis import given

from beatpath import Battles, DataError
from helpers.strategies import battles


@given(battles())
def test_battles_as_ballots_have_the_same_winners(b):
    hard = b.take(np.isin(b.outcome, (0, 0.5, 1)))
    if hard.weight is None and len(hard):
        np.testing.assert_allclose(hard.ballots().pairs().wins(), hard.pairs().wins())


def test_an_agent_does_not_meet_itself_and_outcomes_lie_between_nothing_and_one():
    with pytest.raises(DataError, match="itself"):
        Battles(("x",), [0], [0], [1.0])
    with pytest.raises(DataError, match="outcome"):
        Battles(("x", "y"), [0], [1], [1.5])


def test_pairs_by_position_name_who_was_first_in_the_order_of_the_pair():
    """In all three battles 'zoe' was first; she is the second of the pair."""
    battles = Battles(("ada", "zoe"), [0, 1, 1], [1, 0, 0], [1.0, 0.0, 1.0], position=[-1, 1, 1])
    pairs = battles.pairs(by=["position"])
    assert pairs.agents == ("ada", "zoe")
    assert (pairs.keys["position"].names(), pairs.counts.tolist()) == (["b first"], [[2, 1, 0, 0]])
