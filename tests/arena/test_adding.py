"""Battles from elsewhere: counted once if they have a key, never part of a verdict."""

import pytest

import beatpath as bp
from beatpath.arena.arena import Arena


@pytest.fixture
def arena(address):
    made = Arena(address, agents=["ada", "bob", "cyd"])
    yield made
    made.close()


def test_a_battle_with_a_key_counts_once_however_often_it_is_added(arena):
    rows = [("bob", "ada", "a", "game 1"), ("ada", "cyd", 0.75, "game 2", "eve"), ("ada", "bob", "tie")]
    assert arena.add(rows) == 3
    assert arena.add(rows) == 1  # only the one without a key
    assert sorted(arena.evidence().outcome.tolist()) == [0.0, 0.5, 0.5, 0.75]
    assert arena.add([("cyd", "bob", "a", "game 3")] * 2) == 1
    with pytest.raises(bp.DataError, match="battle 'game 1' is there already, and is another"):
        arena.add([("cyd", "bob", "a"), ("bob", "ada", "b", "game 1")])
    assert len(arena.evidence()) == 5
    assert arena.board().battles == 0
    assert arena.resolve().pending == 0


def test_battles_are_added_whole_or_not_at_all(arena):
    for wrong, says in (
        (("ada", "eve", "a"), "'eve' must be an agent of the arena"),
        (("ada", "ada", "a"), "between two agents"),
        (("ada", "bob", "failed"), "an outcome must be one of"),
        ((7, "bob", "a"), "'7' must be an agent"),
        (("ada", "bob", "a", 7), "a key must be a text"),
    ):
        with pytest.raises(bp.DataError, match=says):
            arena.add([("ada", "bob", "a"), wrong])
    assert len(arena.evidence()) == 0


def test_prompts_are_dealt_in_turn_whatever_is_added_in_between(address):
    arena = Arena(address, agents=["ada", "bob"], prompts=["x", "y"])
    prompts = []
    for _ in range(6):
        prompts.append(arena.ask().prompt)
        arena.add([("ada", "bob", "a")])
    assert prompts == ["x", "y"] * 3
    arena.close()
