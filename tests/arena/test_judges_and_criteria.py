"""Several judges on one battle, several criteria, comments; boards of some judges or prompts alone."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.battles import withdraw
from helpers.hostile import NAMES

AGENTS = ["ada", "bob", "cyd"]


@pytest.fixture
def arena(address):
    made = Arena(address, agents=AGENTS, prompts=["sums", "verse"], policy="uniform", seed=1)
    yield made
    made.close()


def test_judges_of_one_battle_may_have_any_name(arena):
    names = [*NAMES[:-1], 'say "yes"', "back\\slash", "$.a[0]", "'; --", "Zoë"]  # the last of NAMES is no text
    arena.tell_many((one, dict.fromkeys(names, "a")) for one in arena.ask(6))
    assert [arena.board(judges=[name]).battles for name in names] == [6] * len(names)
    assert [arena.board(without=[name]).battles for name in names] == [0] * len(names)


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
    with pytest.raises(bp.DataError, match="`criteria` must have an outcome for each criterion by name"):
        arena.tell(arena.ask(), "a", criteria="helpful")


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


def test_a_board_of_some_of_several_judges_is_that_of_an_arena_told_their_mean(arena):
    rng = np.random.default_rng(0)
    names = ("gpt", "claude, 3", "he's")
    told = {chosen: Arena(":memory:", agents=AGENTS, policy="uniform", seed=1) for chosen in (names[:1], names[1:])}
    alike = {chosen: other.ask(200) for chosen, other in told.items()}  # the same seed requests the same pairs
    for k, battle in enumerate(arena.ask(200)):
        panel = {name: None if rng.random() < 0.3 else float(rng.random()) for name in names}
        arena.tell(battle, {**panel, "always": "tie"})
        for chosen, other in told.items():
            assert (alike[chosen][k].a, alike[chosen][k].b) == (battle.a, battle.b)
            votes = [panel[name] for name in chosen if panel[name] is not None]
            other.tell(alike[chosen][k], np.mean(votes) if votes else "tie", judge="told" if votes else "nobody")
    for chosen, other in told.items():
        board, expected = arena.board(judges=chosen), other.board(judges=["told"])
        assert board.battles == expected.battles
        np.testing.assert_allclose(board.difference, expected.difference, atol=1e-12)
        np.testing.assert_allclose(board.radius, expected.radius, atol=1e-12)
    judged = len(arena.evidence(criterion="gpt"))
    assert arena.board(without=["gpt"]).battles == 200 - judged
    assert arena.board(judges=["always"]).battles == 200


def test_a_judge_prompt_or_category_that_is_nowhere_is_named(arena):
    arena.tell(arena.ask(), "a", judge="claude")
    assert arena.board(judges="claude").battles == 1  # one name is a list of one
    for choice in ({"judges": ["cluade"]}, {"without": "cluade"}):
        with pytest.raises(bp.UnknownLabel, match=r"'cluade' must be the judge of a battle\. Did you mean 'claude'"):
            arena.board(**choice)
    with pytest.raises(bp.UnknownLabel, match="'sum' must be the prompt of a battle"):
        arena.board(prompts=["sum"])
    assert arena.board(prompts=["verse"]).battles in (0, 1)  # of the pool
    with pytest.raises(bp.UnknownLabel, match="'math' must be a category of prompts"):
        arena.board(category="math")


def test_a_board_of_a_category_is_that_of_its_prompts(tmp_path):
    pool = {"math": ("1 + 1?", "2 + 2?"), "verse": ("a haiku",)}
    with Arena(tmp_path / "arena.db", agents=AGENTS, prompts=pool, policy="uniform", seed=1) as arena:
        for battle in arena.ask(90):
            favorite = "bob" if battle.prompt == "a haiku" else "ada"
            arena.tell(battle, "a" if battle.a == favorite else "b" if battle.b == favorite else "tie")
        assert [arena.board(category=name).battles for name in pool] == [60, 30]
        math, prompts = arena.board(category="math"), arena.board(prompts=pool["math"])
        np.testing.assert_array_equal(math.difference, prompts.difference)
        assert (int(math.score.argmax()), int(arena.board(category="verse").score.argmax())) == (0, 1)
        assert arena.board(category="math", prompts=["2 + 2?"]).battles == 30
        with pytest.raises(bp.UnknownLabel, match="Did you mean 'math'"):
            arena.board(category="maths")
        arena.change(prompts={"code": ["sort"]})
        assert arena.ask().prompt == "sort"
    with Arena(tmp_path / "arena.db", prompts={"code": ("sort",)}) as again:  # as it was made, but for the kind of list
        assert again.board(category="code").battles == 0


@pytest.mark.parametrize("prompts", ["why?", {}, [], {"math": "why?"}, {"math": []}])
def test_prompts_that_are_no_lists_are_a_sentence(prompts):
    with pytest.raises(bp.UsageError, match="`prompts` must be a list of at least one prompt, or such a list for each"):
        Arena(":memory:", agents=AGENTS, prompts=prompts)


def test_a_board_of_alike_styles_counts_their_battles_alone(arena):
    """Ada writes best; where lengths differ by more than 0.25, the longer answer wins."""
    rng, lengths, alike = np.random.default_rng(0), {"ada": 0.0, "bob": 0.3, "cyd": 0.6}, 0
    for _ in range(6):
        outcomes = []
        for battle in arena.ask(100):
            length = lengths[battle.a] - lengths[battle.b] + rng.normal(0, 0.3)
            if abs(length) <= 0.25:
                won = "a" if battle.a == "ada" else "b" if battle.b == "ada" else "tie"
            else:
                won = "a" if length > 0 else "b"
            alike += abs(length) <= 0.25
            outcomes.append((battle, won, "eve", None, None, {"length": length, 'say "yes"': 3}))
        arena.tell_many(outcomes)
    board = arena.board(style={"length": 0.25})
    assert (board.battles, board.may_be_first) == (alike, ("ada",))
    assert int(arena.board().score.argmax()) == 2
    assert arena.board(style={"length": 0.25, 'say "yes"': 2.9}).battles == 0
    assert arena.board(style={'say "yes"': 3}).battles == 600
    assert len(arena.evidence(criterion="length")) == 0  # a style is no verdict
    evidence = arena.evidence()
    assert [*evidence.covariates] == ["length", 'say "yes"']
    assert int((abs(evidence.covariates["length"]) <= 0.25).sum()) == alike
    apart = np.array([lengths[name] for name in evidence.agents])
    np.testing.assert_allclose(
        (evidence.covariates["length"] - apart[evidence.a] + apart[evidence.b]).mean(), 0, atol=0.05
    )
    with pytest.raises(bp.UnknownLabel, match="'length' must be the judge of a battle"):
        arena.board(judges=["length"])
    with pytest.raises(bp.UnknownLabel, match="'eve' must be a style of a battle"):
        arena.board(style={"eve": 1})


def test_a_battle_without_a_style_is_not_known_to_be_alike(arena):
    arena.tell_many([(battle, "a", None, None, None, {"length": -0.1}) for battle in arena.ask(3)])
    battle = arena.ask()
    arena.tell(battle, "a", judge="eve", style={"length": 0.1})
    arena.tell(arena.ask(), "a")
    assert arena.board(style={"length": 0.1}).battles == 4
    np.testing.assert_array_equal(arena.evidence().covariates["length"], [-0.1] * 3 + [0.1, np.nan])
    withdraw(arena, battle.key, judge="eve")
    assert arena.board(style={"length": 0.1}).battles == 3
    for style in ("long", {"length": "long"}, {"length": float("nan")}, {"length": True}):
        with pytest.raises(bp.DataError, match="`style` must have a number for each style by name"):
            arena.tell(arena.ask(), "a", style=style)
    with pytest.raises(bp.DataError, match="'gpt' is a judge or a criterion"):
        arena.tell(arena.ask(), {"gpt": "a"}, style={"gpt": 1})


def test_a_judge_who_judges_some_pairs_rarely_biases_no_board():
    """Win rates by gpt are 1/2 of ada and bob, 0.9 and 0.6 against cyd: means 0.7, 0.55 and 0.25. Others always tie."""
    rng, rate = np.random.default_rng(1), {("ada", "bob"): 0.5, ("ada", "cyd"): 0.9, ("bob", "cyd"): 0.6}
    with Arena(":memory:", agents=AGENTS, policy="uniform", seed=1) as arena:
        for _ in range(12):
            battles = arena.ask(100)
            by_gpt = [one.b == "bob" or rng.random() < 0.2 for one in battles]
            arena.tell_many(
                (one, rate[one.a, one.b] if own else "tie", "gpt" if own else "eve")
                for one, own in zip(battles, by_gpt, strict=True)
            )
        np.testing.assert_allclose(arena.board(judges="gpt").score, [0.7, 0.55, 0.25], atol=0.02)
        np.testing.assert_allclose(arena.board(judges="eve").score, 0.5, atol=0.03)
