"""Goals: what must be certain, and what is said of it."""

import numpy as np
import pytest

from beatpath import UsageError
from beatpath.arena.goal import Goal
from beatpath.inference.anytime.anytime_board import AnytimeBoard

NAMES = ("ada", "bob", "cyd", "dan")


def board(score, radius):
    return AnytimeBoard(NAMES, np.array(score), np.full((4, 4), radius), 0.95, 100)


def test_the_top_needs_no_order_within_it_or_below_it():
    found = board([0.70, 0.69, 0.31, 0.30], 0.1)
    assert not Goal.of("top 2", 4).open_pairs(found).any()
    assert Goal.of("top 2", 4).sentence(found) == "Settled at 95 %, whenever one looks: top 2 are 'ada', 'bob'."
    assert Goal.of("first", 4).open_pairs(found)[0].tolist() == [False, True, False, False]
    assert Goal.of("ranking", 4).open_pairs(found).sum() == 4
    assert not Goal.of("5 points apart", 4).open_pairs(found).any()


def test_a_tie_across_the_line_keeps_all_who_are_undecided_open():
    found = board([0.6, 0.5, 0.5, 0.4], 0.15)
    assert Goal.of("top 2", 4).open_pairs(found)[1, 2]
    assert Goal.of("top 2", 4).battles_left(found) is None


def test_how_many_battles_are_left_follows_from_the_root_law():
    found = board([0.6, 0.5, 0.4, 0.3], 0.2)  # a radius of twice the gap takes four times the battles
    assert Goal.of("ranking", 4).battles_left(found) == 300


@pytest.mark.parametrize("wrong", ["best", "top", "top 4", "top 0", "-3 points apart", "100 points apart", ""])
def test_a_goal_nobody_can_reach_or_read_is_refused(wrong):
    with pytest.raises(UsageError, match="`goal` must"):
        Goal.of(wrong, 4)
