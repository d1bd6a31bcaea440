"""Where an arena stands, and what it says of it."""

import numpy as np

from beatpath.arena.standing import Goal, Standing
from beatpath.inference.anytime.stage import Stage
from helpers.arenas import anytime_board
from helpers.schemas import validated

NAMES = ("<ada>", "bob", "cyd")


def standing(won, goal, battles=3000.0):
    """Of a stage in which every pair played as often, and the first of each won so many times."""
    a, b = np.triu_indices(3, 1)
    total = battles * np.array(won)
    stage = Stage(a, b, np.full(3, 1 / 3), np.full(3, 0.5), np.full(3, battles), total, total)
    return Standing.of(anytime_board(NAMES, [stage]), Goal.of(goal, 3), 7)


def test_a_settled_goal_leaves_nothing_to_play():
    state = standing([0.9, 0.9, 0.5], "first")
    assert state.done
    assert state.battles_left == 0
    assert state.sentences[0] == state.reason
    assert "certain" in state.reason


def test_an_open_goal_says_what_is_missing():
    state = standing([0.9, 0.9, 0.5], "ranking")
    assert not state.done
    assert " is not settled: " in state.reason
    assert not standing([0.0, 0.0, 0.0], "first", battles=0.0).done


def test_it_is_plain_data_by_its_schema_and_safe_in_a_notebook():
    state = standing([0.9, 0.9, 0.7], "first")
    data = validated(state.to_dict())
    assert (data["pending"], data["battles"], data["goal"]) == (7, 9000, "first")
    assert [row["agent"] for row in state.rows()] == list(NAMES)
    assert "<ada>" not in state._repr_html_()
