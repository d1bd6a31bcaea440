"""What can be changed on a running arena, and what that costs."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.standing import Goal
from beatpath.inference.anytime.boundary import mixture_bound
from helpers.arenas import rates

AGENTS = ["ada", "bob", "cyd", "dan"]


@pytest.fixture
def arena(address):
    made = Arena(address, agents=AGENTS, goal="first", prompts=["old"], seed=1)
    yield made
    made.close()


def play(arena, battles, strength, seed=0, batch=50):
    P, rng = rates(np.array(strength)), np.random.default_rng(seed)
    for _ in range(battles // batch):
        requested = arena.ask(batch)
        arena.tell_many(
            (one, "a" if rng.random() < P[AGENTS.index(one.a), AGENTS.index(one.b)] else "b") for one in requested
        )


def test_every_process_sees_new_settings_at_once(arena, address):
    with Arena(address, seed=2) as other:
        assert other.ask().prompt == "old"
        messages = arena.change(goal="top 2", prompts=["new"], patience=0.0, policy="uniform")
        assert len(messages) == 4
        assert {other.ask().prompt for _ in range(2)} == {"old"}  # patience has ended: what is pending comes first
        arena.change(patience=3600.0)
        assert other.ask().prompt == "new"
        assert other.resolve().goal == "top 2"
    with Arena(address, goal="top 2", prompts=["new"]) as again:
        assert again.resolve().goal == "top 2"


def test_a_higher_level_takes_back_what_was_certain_at_the_lower_one_everywhere(arena, address):
    play(arena, 700, [0.9, 0.0, -0.2, -0.4])
    with Arena(address) as other:
        before = other.resolve().board.above
        assert before.any()
        assert any("lower level" in one for one in arena.change(level=0.999999))
        seen = other.resolve().board
        assert seen.level == 0.999999
        assert not (seen.above & ~(seen.difference > seen.radius)).any()  # nothing from before
        assert seen.above.sum() < before.sum()
        arena.change(level=0.9)
        assert (other.resolve().board.above | ~before).all()


def test_a_later_goal_shares_the_error_of_the_board(arena):
    play(arena, 400, [0.9, 0.0, -0.2, -0.4])
    before = arena.board().radius
    [messages] = arena.change(goal="top 3")
    seen = arena.resolve()
    np.testing.assert_allclose(seen.board.radius, before)  # of the first goal, with its share of the error
    late, first = Goal.of("top 3", 4, own=False), Goal.of("top 3", 4)
    assert late.alpha(seen.board) == pytest.approx(0.05 * 0.9 * 0.2 / 6)  # the first set of agents has 0.9 of it
    alphas = np.array([late.alpha(seen.board), 0.05 * 0.9 * 0.8])  # one set of agents is the top
    assert first.alpha(seen.board) == pytest.approx(alphas[1])
    information = np.linspace(100, 10_000, 1_000_000)
    needed = [information[np.argmax(mixture_bound(information, 100.0, x) / information < 0.1)] for x in alphas]
    assert late.price(seen.board) == pytest.approx(needed[0] / needed[1], abs=1e-3)
    assert f"about {needed[0] / needed[1]:.2g} times the battles" in messages
    assert "costs nothing" in arena.change(goal="first")[0]


def test_what_cannot_be_changed_gets_a_sentence_and_changes_nothing(arena):
    for wrong, says in (
        ({"goal": "core"}, "can become core only where the arena was made for it"),
        ({"goal": "ada > eve"}, "'eve' does not"),
        ({"goal": "top 4"}, "leave some agent below"),
        ({"level": 2}, "`level` must be"),
        ({"prompts": []}, "at least one prompt"),
    ):
        with pytest.raises(bp.UsageError, match=says):
            arena.change(**wrong)
    assert arena.resolve().goal == "first"
    with Arena(":memory:", agents=AGENTS, goal="core") as made_for_it:
        made_for_it.change(goal="ranking")
        made_for_it.change(goal="core")
        assert made_for_it.resolve().goal == "core"


def test_the_order_of_two_agents_is_a_goal(arena):
    arena.change(goal="cyd > bob")
    assert "1 pair of agents" in arena.reason
    with pytest.raises(bp.UsageError, match="'bob' does not"):
        arena.retire("bob")
    with Arena(":memory:", agents=AGENTS, goal="cyd > bob", seed=3) as made:
        while not made.done:
            play(made, 50, [2.0, 0.5, -0.5, -2.0], seed=made.board().battles)
        seen = made.resolve()
        assert seen.reason == "'bob' is certainly above 'cyd' at every look (95 %)."
        assert seen.board.above[1, 2]
        assert seen.goal == "cyd > bob"
        battles = made.evidence()
        own = (battles.a == 1) & (battles.b == 2)
        assert own.mean() > 1.5 / 6  # of six pairs


def test_pending_battles_of_one_pair_widen_the_bound_each():
    with Arena(":memory:", agents=["ada", "bob", "cyd"], policy="uniform", seed=1) as arena:
        arena.tell_many((one, "a") for one in arena.ask(49))
        held = [one for one in arena.ask(12) if {one.a, one.b} == {"ada", "bob"}][:2]
        assert len(held) == 2
        rest = [key for key in pending(arena) if key not in {one.key for one in held}]
        arena.tell_many((key, "a") for key in rest)
        arena.tell_many((one, "b") for one in arena.ask(2000))
        one_more = arena.board().slack[0, 1]
        arena.tell(held[0], "a")
        assert arena.board().slack[0, 1] == pytest.approx(one_more / 2, rel=1e-6)


def pending(arena):
    with arena._storage.reading() as db:
        return [key for (key,) in db.exec_driver_sql("SELECT key FROM beatpath_battle WHERE answered IS NULL")]
