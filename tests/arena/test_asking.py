"""Asking: orders and prompts are balanced, what was not answered comes back, seeds repeat."""

import threading

import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.battles import Battle

AGENTS = ["ada", "bob", "cyd", "dan"]


@pytest.fixture
def arena(address):
    made = Arena(address, agents=AGENTS, goal="first", seed=1)
    yield made
    made.close()


def test_orders_of_showing_are_balanced_within_pairs(arena):
    shown = {}
    for one in arena.ask(400):
        shown.setdefault((one.a, one.b), []).append(one.first == one.a)
    for firsts in shown.values():
        assert abs(2 * sum(firsts) - len(firsts)) <= 1


def test_prompts_are_dealt_evenly(address):
    arena = Arena(address, agents=AGENTS, prompts=["x", "y", "z"])
    prompts = [one.prompt for one in arena.ask(5)] + [one.prompt for one in arena.ask(4)]
    assert sorted(prompts) == sorted("xyz" * 3)


def test_a_battle_not_told_in_time_or_given_back_is_asked_again(address):
    arena = Arena(address, agents=AGENTS, patience=1000)
    battle = arena.ask()
    assert arena.ask().key != battle.key
    arena.tell(battle, "failed")
    assert arena.ask().key == battle.key
    arena.tell(battle, "tie")
    with pytest.raises(bp.DataError, match="answered already, with another outcome"):
        arena.tell(battle, "failed")


def test_one_battle_is_asked_for_or_a_list_of_them(arena):
    assert isinstance(arena.ask(), Battle)
    assert [type(one) for one in arena.ask(count=1)] == [Battle]
    assert len(arena.ask(count=64)) == 64
    with pytest.raises(bp.UsageError, match="`count` must be 1 or more; got 0"):
        arena.ask(count=0)


def test_overdue_battles_of_agents_that_retired_are_not_asked_again(address):
    arena = Arena(address, agents=AGENTS, patience=0.0)
    arena.ask(count=60)
    arena.retire("dan")
    assert all("dan" not in (one.a, one.b) for one in arena.ask(count=60))


def test_the_same_seed_asks_for_the_same_battles(tmp_path):
    def drawn(name):
        arena = Arena(tmp_path / name, agents=AGENTS, seed=5)
        return [(one.a, one.b, one.first) for one in [*arena.ask(count=30), arena.ask(), *arena.ask(count=3)]]

    assert drawn("one.db") == drawn("two.db")


def test_threads_that_ask_at_once_get_battles_of_their_own(arena):
    found = []
    threads = [threading.Thread(target=lambda: found.extend(arena.ask(count=3))) for _ in range(12)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len({one.key for one in found}) == 36
