"""Asking: orders are random, prompts are balanced, what was not answered comes back, seeds repeat."""

import threading

import numpy as np
import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.battles import Battle

AGENTS = ["ada", "bob", "cyd", "dan"]


def test_orders_of_showing_are_random(arena):
    """One half shows the first agent first; what was shown last says nothing of what is shown next."""
    firsts = np.array([one.first == one.a for one in arena.ask(4000)])
    assert abs(firsts.mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)
    assert abs((firsts[1:] == firsts[:-1]).mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)
    pair = [one.first == one.a for one in arena.ask(4000) if (one.a, one.b) == ("ada", "bob")]
    assert abs(2 * sum(pair) - len(pair)) > 1  # strict balance would leave at most one


def test_a_judge_with_the_same_seed_is_independent_of_the_sampled_pairs(tmp_path):
    arena = Arena(tmp_path / "arena.db", agents=AGENTS, seed=5)
    own = np.random.default_rng(5).random(4000)
    strong = np.array([one.a == "ada" for one in arena.ask(4000)])
    assert abs(np.corrcoef(own, strong)[0, 1]) < 4 / np.sqrt(4000)


def test_prompts_are_dealt_evenly(address):
    arena = Arena(address, agents=AGENTS, prompts=["x", "y", "z"])
    prompts = [one.prompt for one in arena.ask(5)] + [one.prompt for one in arena.ask(4)]
    assert sorted(prompts) == sorted("xyz" * 3)


def test_a_battle_unanswered_in_time_or_given_back_is_requested_again(address):
    arena = Arena(address, agents=AGENTS, patience=1000)
    battle = arena.ask()
    assert arena.ask().key != battle.key
    arena.tell(battle, "failed")
    assert arena.ask().key == battle.key
    arena.tell(battle, "tie")
    with pytest.raises(bp.DataError, match="answered already, with another outcome"):
        arena.tell(battle, "failed")


def test_one_battle_or_a_list_of_them_is_requested(arena):
    assert isinstance(arena.ask(), Battle)
    assert [type(one) for one in arena.ask(count=1)] == [Battle]
    assert len(arena.ask(count=64)) == 64
    for count in (0, 2.5, True, "3"):
        with pytest.raises(bp.UsageError, match="`count` must be a whole number from 1 to 1,000,000; got "):
            arena.ask(count=count)


def test_a_request_with_a_key_is_answered_once_also_elsewhere_and_later(arena, address):
    battles = arena.ask(3, key="worker 1")
    assert arena.ask(3, key="worker 1") == battles
    assert arena.ask(3, key="worker 2") != battles
    arena.close()
    with Arena(address) as again:
        assert again.ask(3, key="worker 1") == battles
        with pytest.raises(
            bp.DataError, match="`key` must be new for another request; 'worker 1' was used for 3, not 4"
        ):
            again.ask(4, key="worker 1")


def test_threads_that_ask_with_one_key_get_the_same_battles(arena):
    batches = []
    threads = [threading.Thread(target=lambda: batches.append(arena.ask(2, key="x"))) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(batches) == 8
    assert all(one == batches[0] for one in batches)


def test_overdue_battles_of_retired_agents_are_not_requested_again(address):
    arena = Arena(address, agents=AGENTS, patience=0.0)
    arena.ask(count=60)
    arena.retire("dan")
    assert all("dan" not in (one.a, one.b) for one in arena.ask(count=60))


def test_the_same_seed_asks_for_the_same_battles(tmp_path):
    def first_battles(name):
        arena = Arena(tmp_path / name, agents=AGENTS, seed=5)
        return [(one.a, one.b, one.first) for one in [*arena.ask(count=30), arena.ask(), *arena.ask(count=3)]]

    assert first_battles("one.db") == first_battles("two.db")


def test_threads_that_ask_at_once_get_battles_of_their_own(arena):
    battles = []
    threads = [threading.Thread(target=lambda: battles.extend(arena.ask(count=3))) for _ in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len({one.key for one in battles}) == 36
