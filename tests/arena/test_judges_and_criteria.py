"""Several judges on one battle, several criteria, comments; boards of some judges or prompts alone."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.battles import withdraw

AGENTS = ["ada", "bob", "cyd"]


@pytest.fixture
def arena(address):
    made = Arena(address, agents=AGENTS, prompts=["sums", "verse"], policy="uniform", seed=1)
    yield made
    made.close()


def test_several_judges_of_a_battle_count_by_their_mean_and_are_known_one_by_one(arena):
    battles = arena.ask(4)
    arena.tell(battles[0], {"gpt": "a", "claude": "tie", "llama": None})
    arena.tell(battles[1], {"gpt": 0.25, "claude": "both_bad"}, judge="panel")
    arena.tell(battles[2], {"gpt": None})  # all abstain: it is requested again
    arena.tell(battles[3], "b")
    pooled, gpt, claude = arena.evidence(), arena.evidence(criterion="gpt"), arena.evidence(criterion="claude")
    assert pooled.outcome.tolist() == [0.75, 0.375, 0.0]
    assert gpt.outcome.tolist() == [1.0, 0.25]
    assert (claude.outcome.tolist(), claude.both_bad.tolist()) == ([0.5, 0.5], [False, True])
    assert (gpt.a.tolist(), gpt.position.tolist()) == (pooled.a[:2].tolist(), pooled.position[:2].tolist())
    assert arena.ask().key == battles[2].key
    assert len(arena.evidence(criterion="llama")) == 0


def test_criteria_and_comments_go_with_a_vote_and_are_withdrawn_with_it(arena, address):
    battle = arena.ask()
    details = {"judge": "eve", "criteria": {"helpful": "b", "true": None}, "comment": "'; DROP TABLE x --"}
    arena.tell(battle, "a", **details)
    arena.tell(battle, "a", **details)
    with Arena(address) as again:
        assert again.evidence(criterion="helpful").outcome.tolist() == [0.0]
        assert again.comments() == [{"battle": battle.key, "judge": "eve", "comment": "'; DROP TABLE x --"}]
    withdraw(arena, battle.key, judge="eve")
    assert arena.comments() == []
    arena.tell(battle, "b", judge="eve")
    assert len(arena.evidence(criterion="helpful")) == 0
    with pytest.raises(bp.UnknownLabel, match="an outcome must be"):
        arena.tell(arena.ask(), "a", criteria={"helpful": "yes"})


def test_a_board_of_some_judges_or_prompts_is_that_of_an_arena_with_their_battles_alone(arena):
    rng = np.random.default_rng(0)
    for _ in range(8):
        for battle in arena.ask(50):
            judge = ["gpt", "claude"][rng.integers(2)]
            favorite = {"gpt": "ada", "claude": "bob"}[judge] if battle.prompt == "sums" else "cyd"
            better = battle.a if favorite == battle.a else battle.b if favorite == battle.b else None
            arena.tell(battle, "tie" if better is None else "a" if better == battle.a else "b", judge=judge)
    sums = {judge: arena.board(judges=[judge], prompts=["sums"]) for judge in ("gpt", "claude")}
    assert {judge: board.may_be_first for judge, board in sums.items()} == {"gpt": ("ada",), "claude": ("bob",)}
    assert arena.board(prompts=["verse"]).may_be_first == ("cyd",)
    without = arena.board(without=["gpt"])
    np.testing.assert_allclose(without.difference, arena.board(judges=["claude"]).difference)
    judge = arena.evidence().factors["judge"]
    counted = int((judge.codes == judge.levels.index("claude")).sum())
    assert without.battles == counted
    assert arena.board().battles == 400
    assert arena.board(judges=[]).battles == 0
