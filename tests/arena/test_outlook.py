"""Who plays next, and why."""

import numpy as np
import pytest

from beatpath.arena.arena import Arena
from beatpath.arena.standing import outlook
from helpers.arenas import rates

AGENTS = ["ada", "bob", "cyd", "dan"]


def play(arena, battles, strength, seed=0):
    P, rng = rates(np.array(strength)), np.random.default_rng(seed)
    for _ in range(battles // 50):
        arena.tell_many(
            (one, "a" if rng.random() < P[AGENTS.index(one.a), AGENTS.index(one.b)] else "b") for one in arena.ask(50)
        )
    arena.ask()


def test_probabilities_are_those_with_which_pairs_are_sampled(tmp_path):
    arena = Arena(tmp_path / "arena.db", agents=AGENTS, goal="first", seed=1)
    play(arena, 1500, [1.0, 0.9, -1.5, -1.6])
    forecast = outlook(arena, most=2)
    battles = arena.ask(4000)
    assert forecast.pairs[0].agents == ("ada", "bob")
    for pair in forecast.pairs:
        share = sum((one.a, one.b) == pair.agents for one in battles) / 4000
        assert abs(share - pair.chance) < 0.03  # four standard errors of a share of 4,000
    assert len(forecast.pairs) + forecast.others == 6


def test_the_pair_that_the_goal_waits_for_is_first_and_says_so(tmp_path):
    arena = Arena(tmp_path / "arena.db", agents=AGENTS, goal="first", seed=1)
    play(arena, 1500, [1.0, 0.9, -1.5, -1.6])
    pair, *_ = outlook(arena).pairs
    assert set(pair.agents) == {"ada", "bob"}
    assert pair.why == "The goal needs their order, which is not certain yet."


@pytest.mark.parametrize("policy", ["adaptive", "uniform"])
def test_before_the_first_battle_no_pair_is_before_another(tmp_path, policy):
    forecast = outlook(Arena(tmp_path / "arena.db", agents=AGENTS, policy=policy))
    assert (forecast.pairs, forecast.others) == ((), 6)


def test_after_an_agent_joined_all_pairs_are_alike_until_somebody_asks(tmp_path):
    arena = Arena(tmp_path / "arena.db", agents=AGENTS, goal="first", seed=1)
    play(arena, 200, [1.0, 0.5, 0.0, -1.0])
    arena.join("eve")
    assert (outlook(arena).pairs, outlook(arena).others) == ((), 10)
