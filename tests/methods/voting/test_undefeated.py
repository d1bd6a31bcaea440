"""Electing in turn: who is elected comes out, and Split Cycle stands in where nobody can tell."""

import numpy as np

from beatpath.methods.voting.pairwise import TOO_MANY, elected_in_turn

CYCLE = np.array([[0.0, 5, -1], [-5, 0, 3], [1, -3, 0]])


def test_the_elected_come_out_and_the_others_elect_again():
    outcome = elected_in_turn(CYCLE, ("x", "y", "z"), lambda m: np.arange(len(m)) == len(m) - 1)
    assert outcome.level.tolist() == [2, 1, 0]
    assert outcome.status == "exact"


def test_where_nobody_can_tell_the_undefeated_of_split_cycle_share_the_first_level():
    margins = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    outcome = elected_in_turn(margins, ("x", "y", "z"), lambda m: None)
    assert outcome.level.tolist() == [0, 0, 0]
    assert outcome.status.startswith(TOO_MANY)
    assert outcome.details["possible winners, at most"] == ["x", "y", "z"]
