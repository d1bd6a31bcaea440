"""The goal "core": settled exactly when every completion of the certain wins has the same core."""

from itertools import product

import numpy as np
import pytest

from beatpath import Arena, Margins
from beatpath.arena.standing import Goal
from beatpath.inference.anytime.anytime_core import likely_core
from beatpath.inference.anytime.boundary import head_to_head_e_value
from beatpath.inference.anytime.stage import Stage
from beatpath.methods.tournament.solutions import top_cycle
from helpers.arenas import anytime_board, played

CORE_OF_THREE = np.full((6, 6), 0.5)  # three agents in a cycle beat three others, the last of which are in an order
for i, j in ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (3, 5)):
    CORE_OF_THREE[i, j], CORE_OF_THREE[j, i] = 0.68, 0.32
CORE_OF_THREE[:3, 3:], CORE_OF_THREE[3:, :3] = 0.75, 0.25


def board_with(wins, battles=400.0, unknown=0.0):
    """A board on which each pair has so many battles; 1 certainly won by the row, 0 open."""
    n = len(wins)
    a, b = np.triu_indices(n, 1)
    share = 0.5 + 0.4 * (wins[a, b].astype(float) - wins[b, a])
    total = battles * share
    stage = Stage(a, b, np.full(len(a), 1 / len(a)), np.full(len(a), 0.5), np.full(len(a), battles), total, total)
    return anytime_board([f"agent {k}" for k in range(n)], [stage.with_unknown(np.full(len(a), unknown))])


@pytest.mark.parametrize("seed", range(60))
def test_the_core_is_settled_if_and_only_if_all_completions_of_the_certain_wins_have_one_core(seed):
    rng, n = np.random.default_rng(seed), 4
    a, b = np.triu_indices(n, 1)
    sign = rng.choice([-1, 0, 1], len(a), p=[0.4, 0.2, 0.4])
    wins = np.zeros((n, n), dtype=bool)
    wins[a[sign > 0], b[sign > 0]] = wins[b[sign < 0], a[sign < 0]] = True
    cores = set()
    for filled in product([-1, 1], repeat=int((sign == 0).sum())):
        every = sign.copy()
        every[sign == 0] = filled
        M = np.zeros((n, n))
        M[a, b], M[b, a] = every, -every
        cores.add(tuple(top_cycle(Margins.from_wins(np.maximum(M, 0), [str(k) for k in range(n)]))))
    board, goal = board_with(wins), Goal.of("core", n)
    assert (board.beats == wins).all()
    assert (not goal.open_pairs(board).any()) == (len(cores) == 1)
    if len(cores) == 1:
        assert tuple(likely_core(board)) in cores


def test_a_win_is_certain_by_the_exact_bound_at_its_share_of_the_error_with_unknown_outcomes_as_losses():
    for won in range(12, 25):
        wins = np.zeros((3, 3))
        board = board_with(wins, 0.0)
        a, b = np.triu_indices(3, 1)
        total = np.array([won, 0.0, 0.0])
        stage = Stage(a, b, np.full(3, 1 / 3), np.full(3, 0.5), np.array([24.0, 0, 0]), total, total)
        board = anytime_board(["x", "y", "z"], [stage], reserved=0.8)
        assert board.beats[0, 1] == (head_to_head_e_value(won, 24 - won) > 3 / (0.8 * 0.05))
        board = anytime_board(["x", "y", "z"], [stage.with_unknown(np.array([2.0, 0, 0]))], reserved=0.8)
        assert board.beats[0, 1] == (head_to_head_e_value(won, 26 - won) > 3 / (0.8 * 0.05))


@pytest.mark.parametrize("policy", ["adaptive", "uniform"])
def test_the_core_of_a_cycle_is_certified_and_adaptive_sampling_takes_half_of_the_battles(policy):
    goal, took = Goal.of("core", 6), []
    for seed in range(6):
        board = next(b for b in played(CORE_OF_THREE, seed, 12_000, policy, "core") if not goal.open_pairs(b).any())
        assert np.flatnonzero(likely_core(board)).tolist() == [0, 1, 2]
        took.append(board.battles)
    assert (np.median(took) < 1_800) == (policy == "adaptive")  # uniform: about twice as many


def test_an_arena_settles_the_core_and_what_is_settled_stays_so():
    rng = np.random.default_rng(0)
    names = [f"agent {k}" for k in range(6)]
    with Arena(":memory:", agents=names, goal="core", seed=2) as arena:
        while not arena.done:
            battles = arena.ask(50)
            sides = [(names.index(one.a), names.index(one.b)) for one in battles]
            outcomes = [float(rng.random() < CORE_OF_THREE[pair]) for pair in sides]
            arena.tell_many(list(zip(battles, outcomes, strict=True)))
            assert arena.resolve().board.battles < 12_000
        settled = "The core is certainly 'agent 0', 'agent 1', 'agent 2' at every look (95 %)."
        assert arena.reason == settled
        arena.retire("agent 5")
        assert arena.reason == settled
        arena.join("agent 6")
        assert arena.reason.startswith("The core is not settled: ")
