"""Where an arena stands, and what it says of it."""

import numpy as np

from beatpath.arena.goal import Goal
from beatpath.arena.standing import Standing
from beatpath.inference.anytime.anytime_board import AnytimeBoard
from helpers.schemas import validated

NAMES = ("<ada>", "bob", "cyd")


def standing(score, radius, goal):
    return Standing.of(AnytimeBoard(NAMES, np.array(score), np.full((3, 3), radius), 0.95, 100), Goal.of(goal, 3), 7)


def test_a_settled_goal_leaves_nothing_to_play():
    found = standing([0.8, 0.4, 0.3], 0.2, "first")
    assert found.done
    assert found.battles_left == 0
    assert found.sentences[0] == found.reason
    assert "first is" in found.reason


def test_an_open_goal_says_what_is_missing():
    found = standing([0.6, 0.5, 0.4], 0.15, "ranking")
    assert not found.done
    assert "2 pairs of agents must still be told apart" in found.reason


def test_it_is_plain_data_by_its_schema_and_safe_in_a_notebook():
    found = standing([0.8, 0.4, 0.3], 0.2, "first")
    data = validated(found.to_dict())
    assert (data["pending"], data["battles"], data["goal"]) == (7, 100, "first")
    assert [row["agent"] for row in found.rows()] == list(NAMES)
    assert "<ada>" not in found._repr_html_()
