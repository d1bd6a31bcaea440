"""Boards that are looked at again and again, in worlds whose truth is known."""

import numpy as np
import pytest

from beatpath.inference.anytime.anytime_core import battles_needed
from beatpath.inference.anytime.stage import Stage
from helpers.arenas import anytime_board, played, rates

EQUAL, LADDER = np.zeros(6), np.linspace(0.8, -0.8, 6)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["uniform", "adaptive"])
def test_equal_agents_looked_at_after_every_stage_are_seldom_ordered(policy):
    wrong = sum(any(board.above.any() for board in played(rates(EQUAL), seed, 2000, policy)) for seed in range(60))
    assert wrong <= 8  # 5 % of 60 are 3; more than 8 have a chance of three in a thousand


def test_the_order_of_agents_far_apart_is_resolved_and_right():
    truth = rates(LADDER).mean(axis=1)
    *_, board = played(rates(LADDER), 3, 6000, "adaptive", goal="ranking")
    assert board.above.sum() >= 12
    assert not (board.above & (truth[:, None] < truth[None, :])).any()
    assert (np.abs(board.difference - (truth[:, None] - truth[None, :]) * 6 / 5) <= board.radius).all()


def test_estimates_are_unbiased_under_a_schedule_that_follows_outcomes():
    P = rates(LADDER)
    truth = (P.sum(axis=1) - 0.5) / 5
    ends = np.array([[*played(P, seed, 400, "adaptive")][-1].score for seed in range(200)])
    error = ends.std(axis=0) / np.sqrt(200)
    assert (np.abs(ends.mean(axis=0) - truth) < 4 * error).all()


def test_nothing_is_certain_before_the_first_battle():
    board = anytime_board(("ada", "bob"), [])
    assert board.may_be_first == ("ada", "bob")
    assert board.battles == 0


def test_ranks_hold_who_is_certainly_above():
    one = np.array([0]), np.array([1]), np.array([1.0]), np.array([0.5])
    board = anytime_board(("ada", "bob"), [Stage(*one, *(np.array([w]) for w in (400.0, 300.0, 300.0)))])
    assert [(row["agent"], row["rank_low"], row["rank_high"]) for row in board.rows()] == [("ada", 1, 1), ("bob", 2, 2)]
    assert board.to_dict()["above"] == [["ada", "bob"]]


def test_a_pair_that_has_battles_enough_but_is_not_certain_lacks_one():
    board = anytime_board(("ada", "bob"), [Stage(*(np.array([x]) for x in (0, 1, 0.5, 0.5, 4000, 3000, 3000)))])
    assert battles_needed(board, 0.05)[0, 1] == 1.0
    few = anytime_board(("ada", "bob"), [Stage(*(np.array([x]) for x in (0, 1, 0.5, 0.5, 40, 22, 22)))])
    assert battles_needed(few, 0.05)[0, 1] > 100
