"""Goals: what must be certain, what is reported for it, and how far it is."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath import UsageError
from beatpath.arena.standing import Goal
from beatpath.inference.anytime import stage
from beatpath.inference.anytime.anytime_board import SCALE, AnytimeBoard, radius_of
from beatpath.inference.anytime.boundary import information_needed
from helpers.arenas import played, rates

NAMES = ("ada", "bob", "cyd", "dan")


def board(score, radius):
    """A board on which every difference may be off by so much, all at once."""
    score, alpha = np.array(score), 0.05 / 6
    information = np.full((4, 4), float(information_needed(np.array(radius), SCALE, alpha)))
    difference, variance = score[:, None] - score[None, :], 1 / information
    made = radius_of(variance, information, alpha)
    assert made[0, 1] == pytest.approx(radius, rel=0.01)
    return AnytimeBoard(NAMES, score, difference, made, variance, information, information / 100, 0.95, 100)


def test_the_top_needs_no_order_within_it_or_below_it():
    leaderboard = board([0.70, 0.69, 0.31, 0.30], 0.1)
    assert not Goal.of("top 2", 4).open_pairs(leaderboard).any()
    assert Goal.of("top 2", 4).sentence(leaderboard) == "The top 2 are certainly 'ada', 'bob' at every look (95 %)."
    assert Goal.of("first", 4).open_pairs(leaderboard)[0].tolist() == [False, True, False, False]
    assert Goal.of("ranking", 4).open_pairs(leaderboard).sum() == 4


def test_points_apart_needs_an_order_or_that_two_are_certainly_nearer():
    leaderboard = board([0.70, 0.69, 0.31, 0.30], 0.1)  # the near ones may be as far as 11 points apart
    assert Goal.of("10 points apart", 4).open_pairs(leaderboard).sum() == 4
    assert not Goal.of("12 points apart", 4).open_pairs(leaderboard).any()
    assert (
        Goal.of("12 points apart", 4)
        .sentence(leaderboard)
        .endswith("or certainly less than 12 percentage points apart, at every look (95 %).")
    )


def test_a_top_is_fewer_statements_than_a_board():
    leaderboard = board([0.6, 0.49, 0.46, 0.45], 0.12)
    assert not leaderboard.above[0, 1]
    assert not Goal.of("first", 4).open_pairs(leaderboard).any()  # four one-sided statements, not six of two sides


@pytest.mark.parametrize("n", [4, 6, 12])
def test_a_wrong_order_and_a_wrong_ranking_together_have_the_error_of_the_level(n):
    goal, pairs = Goal.of("ranking", n), n * (n - 1) / 2
    square = np.zeros((n, n))
    arena = AnytimeBoard(tuple(map(str, range(n))), np.zeros(n), *[square] * 5, 0.95, 100, reserved=goal.reserved(n))
    of_pair, of_goal = arena.alpha, goal.alpha(arena)
    differ = pairs * of_pair / 2 + (n - 1) * of_goal / 2  # errors in one direction
    tie = pairs * of_pair + of_goal  # any order is wrong, and any ranking
    assert max(differ, tie) == pytest.approx(0.05)
    assert of_goal > 2 * of_pair
    assert goal.alpha(replace(arena, rosters=2)) == of_pair
    assert replace(goal, own=False).alpha(arena) == of_pair


def test_a_ranking_needs_less_certainty_than_the_orders_of_a_board():
    leaderboard = replace(board([0.8, 0.6, 0.4, 0.2], 0.205), reserved=0.5)
    goal = Goal.of("ranking", 4)
    assert not leaderboard.above[0, 1]
    assert not goal.open_pairs(leaderboard).any()
    reached = goal.reached(leaderboard)
    assert reached.low.tolist() == reached.high.tolist() == [1, 2, 3, 4]


def test_orders_of_pairs_that_form_a_cycle_are_no_ranking():
    leaderboard = replace(board([0.8, 0.6, 0.4, 0.2], 0.05), reserved=0.5)
    turned = leaderboard.difference.copy()
    turned[0, 2], turned[2, 0] = -0.4, 0.4
    cyclic = replace(leaderboard, difference=turned)
    goal = Goal.of("ranking", 4)
    assert goal.open_pairs(cyclic).sum() == 12
    assert goal.reached(cyclic) is cyclic


def test_a_tie_across_the_line_keeps_all_who_are_undecided_open():
    leaderboard = board([0.6, 0.5, 0.5, 0.4], 0.15)
    assert Goal.of("top 2", 4).open_pairs(leaderboard)[1, 2]
    assert Goal.of("top 2", 4).sentence(leaderboard).startswith("The top 2 is not settled: ")


def test_battles_left_are_what_a_bound_that_shrinks_so_takes():
    leaderboard = board([0.62, 0.54, 0.46, 0.38], 0.16)
    left = Goal.of("ranking", 4).battles_left(leaderboard)
    before = leaderboard.information[0, 1]
    after = before * (1 + left / 100)  # at a pace of a hundredth a battle
    radius = radius_of(np.full((4, 4), 1 / after), np.full((4, 4), after), 0.05 / 6)[0, 1]
    assert radius == pytest.approx(
        np.hypot(0.08, before**-0.5), rel=0.01
    )  # eight points are to be resolved, give or take an error


def test_nothing_is_left_when_settled_and_nothing_known_before_the_first_battle():
    settled = board([0.9, 0.6, 0.3, 0.1], 0.01)
    assert Goal.of("ranking", 4).battles_left(settled) == 0
    none = np.zeros((4, 4))
    before = AnytimeBoard(NAMES, np.full(4, 0.5), none, np.full((4, 4), np.inf), none, none, none, 0.95, 0)
    assert Goal.of("ranking", 4).battles_left(before) is None


@pytest.mark.parametrize("policy", ["uniform", "adaptive"])
def test_half_way_the_estimate_of_battles_left_is_right_within_a_factor_of_three(policy):
    P, goal, ratios = rates(np.linspace(1.2, -1.2, 6)), Goal.of("top 2", 6), []
    for seed in range(24):
        boards = []
        for leaderboard in played(P, seed, 30_000, policy, goal="top 2"):
            boards.append(leaderboard)
            if not goal.open_pairs(leaderboard).any():
                break
        half = boards[len(boards) // 2]
        ratios.append(goal.battles_left(half) / (boards[-1].battles - half.battles))
    assert 1 / 2 < np.median(ratios) < 2
    assert np.mean([1 / 3 < one < 3 for one in ratios]) >= 0.5  # of runs whose own end is as random


def test_bets_against_sets_settle_the_top_sooner_than_all_pairs(monkeypatch):
    P, goal, battles = rates(np.linspace(1.2, -1.2, 8)), Goal.of("top 3", 8), {}
    for most in (stage.MOST_SETS, 0):
        monkeypatch.setattr(stage, "MOST_SETS", most)
        stage.top_sets.cache_clear()
        ends = []
        for seed in range(20):
            for found in played(P, seed, 30_000, "adaptive", goal="top 3"):
                if not goal.open_pairs(found).any():
                    break
            assert np.flatnonzero(goal.top(found)).tolist() == [0, 1, 2]
            ends.append(found.battles)
        battles[most] = np.mean(ends)
    stage.top_sets.cache_clear()
    pairs, sets = sorted(battles)
    assert battles[sets] < 0.85 * battles[pairs]


@pytest.mark.slow
def test_the_top_is_falsely_settled_in_at_most_one_run_of_twenty_where_agents_tie():
    P, goal, wrong = rates(np.array([1.0, 0.2, 0.2, -0.4, -1.0])), Goal.of("top 2", 5), 0
    for seed in range(60):
        wrong += any(not goal.open_pairs(found).any() for found in played(P, seed, 4_000, "adaptive", goal="top 2"))
    assert wrong <= 7  # exceeded with a probability of 0.01 at 0.05


def test_certain_orders_and_the_goal_that_was_settled_exclude_sets_too():
    made = replace(board([0.9, 0.6, 0.3, 0.2], 0.9), sets=stage.top_sets(4, 1), bets=np.zeros((4, 4)))
    goal = Goal.of("first", 4)
    assert goal.open_pairs(made)[0].tolist() == [False, True, True, True]
    claims = np.zeros((4, 4), dtype=bool)
    claims[0, 1:3] = True
    assert goal.open_pairs(replace(made, claims=claims))[0].tolist() == [False, False, False, True]
    claims[1, 3] = True  # whoever is below somebody is not first
    assert not goal.open_pairs(replace(made, claims=claims)).any()


@pytest.mark.parametrize("wrong", ["best", "top", "top 4", "top 0", "-3 points apart", "100 points apart", ""])
def test_a_goal_nobody_can_reach_or_read_is_refused(wrong):
    with pytest.raises(UsageError, match="`goal` must"):
        Goal.of(wrong, 4)


def test_agents_certainly_above_all_others_are_the_top_whatever_their_scores():
    certain = replace(board([0.70, 0.69, 0.31, 0.30], 0.1), score=np.array([0.7, 0.3, 0.69, 0.31]))
    assert Goal.of("top 2", 4).top(certain).tolist() == [True, True, False, False]
    assert Goal.of("first", 4).top(certain).tolist() == [
        True,
        False,
        False,
        False,
    ]  # by scores: the order is not certain


def test_a_top_of_which_one_is_not_certainly_above_all_below_is_that_of_the_scores():
    claims = np.zeros((4, 4), dtype=bool)
    claims[0, [1, 2]] = claims[1, [2, 3]] = True  # each of the first two above two, and ada perhaps not above dan
    leaderboard = replace(board([0.55, 0.45, 0.40, 0.60], 0.3), claims=claims)
    assert Goal.of("top 2", 4).top(leaderboard).tolist() == [True, False, False, True]


def test_the_bound_of_a_ranking_is_narrow_at_the_distance_of_neighbors():
    for n, apart in ((6, 0.05), (11, 0.05), (21, 0.025)):
        square = np.ones((n, n))
        arena = AnytimeBoard(tuple(map(str, range(n))), np.zeros(n), *[square] * 5, 0.95, 100, reserved=0.5)
        goal, late = Goal.of("ranking", n), Goal.of("ranking", n, own=False)
        alpha, ours = goal.alpha(arena), goal.scale(arena)
        best = min(float(information_needed(np.array(apart), scale, alpha)) for scale in np.geomspace(10, 1e5, 81))
        assert float(information_needed(np.array(apart), ours, alpha)) < 1.06 * best
        assert late.scale(arena) == goal.scale(replace(arena, rosters=2)) == Goal.of("first", n).scale(arena) == 100


def test_an_open_first_place_names_whom_its_own_test_leaves():
    goal = Goal.of("first", 4)
    boards = played(rates(np.array([0.9, 0.7, -0.6, -0.8])), 0, 600, "adaptive", "first")
    said = {goal.sentence(board) for board in boards}
    assert "First place is not settled: any of 4 agents may be first." in said
    assert "First place is not settled: by its own test it is between 'agent 0' and 'agent 1'." in said
