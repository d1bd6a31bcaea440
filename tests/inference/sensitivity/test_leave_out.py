"""Leave one out: every level taken out by hand, for every method."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, Factor, Scores
from beatpath._errors import DataError, UsageError
from beatpath.inference.sensitivity.leave_out import leave_one_out
from beatpath.methods.metrics import kendall_distance
from beatpath.methods.registry import METHODS
from helpers.strategies import battles as any_battles


@pytest.fixture(scope="module")
def arena():
    """Eight agents of the example, with enough battles that every method has an answer."""
    return bp.only(bp.example(), ["aurora", "basalt", "cinder", "delta", "garnet", "harbor", "nimbus", "onyx"])


@pytest.mark.parametrize("method", [key for key, made in METHODS.items() if "battles" in made.takes])
def test_every_method_ranks_as_it_does_when_the_rows_are_taken_out(arena, method):
    removals = leave_one_out(arena, method, "judge")
    judges = arena.factors["judge"]
    assert [one.name for one in removals.left_out] == list(judges.levels)
    for k, one in enumerate(removals.left_out):
        alone = bp.rank(arena.take(judges.codes != k), method, matrix="raw")
        assert one.winners == alone.winners
        assert kendall_distance(one.level, alone.level_of()) == 0
        assert one.distance == kendall_distance(removals.ranking.level_of(), alone.level_of())
        assert one.changes_winner == (alone.winners != removals.ranking.winners)


OTHER_TABLES = {"wsco", "payoff_ratings", "bradley_terry_judged"}  # these need weights, agents for tasks, judges


@pytest.mark.parametrize(
    "method", [key for key, made in METHODS.items() if "scores" in made.takes and key not in OTHER_TABLES]
)
def test_tasks_of_a_score_table_are_left_out_one_by_one(method):
    rng = np.random.default_rng(1)
    table = rng.integers(0, 9, (4, 7)).astype(float)
    tasks = [f"task {i}" for i in range(7)]
    scores = Scores.from_table(table, ["a", "b", "c", "d"], tasks)
    removals = leave_one_out(scores, method)
    for i, one in enumerate(removals.left_out):
        rest = Scores.from_table(np.delete(table, i, axis=1), ["a", "b", "c", "d"], tasks[:i] + tasks[i + 1 :])
        assert answer(lambda rest=rest: bp.rank(rest, method, matrix="raw").level_of().tolist()) == (
            one.why_not or one.level.tolist()
        )


def answer(made):
    """What a function gives, or the words it refuses with."""
    try:
        return made()
    except DataError as error:
        return str(error)


@given(battles=any_battles(weighted=True))
@settings(max_examples=15)
def test_counts_less_those_of_a_level_are_the_counts_of_the_others(battles):
    removals = leave_one_out(battles, "copeland", "cluster")
    clusters = battles.factors["cluster"]
    for k, one in enumerate(removals.left_out):
        assert (one.level == bp.rank(battles.take(clusters.codes != k), "copeland", matrix="raw").level_of()).all()


def test_an_agent_left_out_turns_the_others_round_under_borda():
    # Borda's classical case: x leads y, and y leads x once z, whom x beats more widely, is gone
    votes = [[["x"], ["z"], ["y"]], [["y"], ["x"], ["z"]]]
    ballots = Ballots.of(votes, count=[2, 3])
    assert bp.rank(ballots, "borda").levels == (("x",), ("y",), ("z",))  # 7, 6, 2
    removals = leave_one_out(ballots, "borda", "agent")
    assert [one.name for one in removals.change_winner] == ["z"]
    assert removals.change_winner[0].winners == ("y",)
    assert removals.change_winner[0].reversed_pairs() == [("y", "x")]
    assert leave_one_out(ballots, "iml", "agent").change_winner == ()


def test_leaving_out_the_winner_is_no_change_when_the_next_follows():
    ballots = Ballots.of([[["x"], ["y"], ["z"]]])
    removals = leave_one_out(ballots, "copeland", "agent")
    assert removals.change_order == ()
    assert removals.left_out[0].winners == ("y",)
    assert removals.sentences == (
        "Whichever of 3 agents is left out, the first of the others stay first by copeland.",
        "The order of no two agents changes.",
    )


def test_a_level_without_which_there_is_no_answer_says_why():
    rows = [("a", "b", 1), ("b", "a", 1), ("a", "b", 1)]
    removals = leave_one_out(
        Battles.of(rows, factors={"judge": Factor.of(["ann", "bea", "ann"])}), "bradley_terry", "judge"
    )
    assert [one.level is None for one in removals.left_out] == [True, True]
    assert "path of wins" in removals.left_out[0].why_not
    assert removals.sentences[0].startswith("bradley_terry gives no answer without 'ann', 'bea': ")


def test_battles_without_a_name_always_stay():
    rows = [("a", "b", 1), ("a", "b", 0), ("a", "b", 0)]
    battles = Battles.of(rows, factors={"judge": Factor.of([None, "bea", "bea"])})
    removals = leave_one_out(battles, "copeland", "judge")
    assert (removals.ranking.winners, removals.left_out[0].winners) == (("b",), ("a",))


def test_ballots_voters_and_pairs_with_keys_can_be_left_out(arena):
    ballots = Ballots.of([[["x"], ["y"]], [["x"], ["y"]], [["y"], ["x"]]], factors={"voter": Factor.of("aab")})
    assert [one.winners for one in leave_one_out(ballots, "plurality", "voter").left_out] == [("y",), ("x",)]
    assert [one.winners for one in leave_one_out(ballots, "plurality", "ballot").left_out] == [
        ("x", "y"),
        ("x", "y"),
        ("x",),
    ]
    by_rows, by_counts = (
        leave_one_out(evidence, "schulze", "task").to_dict() for evidence in (arena, arena.pairs(by=["task", "judge"]))
    )
    assert by_rows["left_out"] == by_counts["left_out"]


def test_settings_that_need_rows_are_served(arena):
    removals = leave_one_out(arena, "bradley_terry", "judge", position=True)
    judges = arena.factors["judge"]
    alone = bp.rank(arena.take(judges.codes != 0), "bradley_terry", position=True)
    assert (removals.left_out[0].level == alone.level_of()).all()


def test_progress_is_reported_and_results_are_plain_data(arena):
    seen = []
    removals = leave_one_out(arena, "copeland", "task", progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert json.loads(json.dumps(removals.to_dict(), allow_nan=False))["by"] == "task"


def test_hostile_names_are_shown_safely():
    rows = [("<b>\x1b", "y", 1), ("y", "<b>\x1b", 1), ("y", "<b>\x1b", 1)]
    removals = leave_one_out(Battles.of(rows, factors={"a\nb": Factor.of(["<i>", "<i>", "j"])}), "copeland", "a\nb")
    assert "\x1b" not in str(removals)
    assert "<b>" not in removals._repr_html_()
    assert "<i>" not in removals._repr_html_()


@pytest.mark.parametrize(
    ("evidence", "by", "words"),
    [
        (Battles.of([("a", "b", 1)]), "judge", "must be a column"),
        (Ballots.of([[["a"], ["b"]]]), "judge", "must be agent or a column"),
        (bp.Margins.from_wins([[0, 1], [0, 0]], ["a", "b"]), "task", "must be agent"),
    ],
)
def test_columns_that_are_not_there_are_refused(evidence, by, words):
    with pytest.raises(UsageError, match=words):
        leave_one_out(evidence, "copeland", by)


@given(st.permutations(range(30)))
@settings(max_examples=5)
def test_the_order_of_rows_changes_nothing(order):
    few = bp.example().take(np.arange(30))
    one, other = (
        leave_one_out(evidence, "copeland", "judge").to_dict() for evidence in (few, few.take(np.array(order)))
    )
    assert one == other


def test_weights_of_a_task_go_with_it():
    table = [[3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [1.0, 2.0, 3.0]]
    scores = bp.Scores.from_table(table, ["a", "b", "c"], ["r", "s", "t"])
    removals = bp.robustness.leave_one_out(scores, "borda", "task", weights={"r": 3.0})
    assert [one.name for one in removals.left_out] == ["r", "s", "t"]


def test_levels_that_change_as_much_are_all_named():
    # Each judge turns one of two like pairs: without it, that pair alone is reversed.
    rows = [("a", "b", 1, "j")] * 2 + [("b", "a", 1, "k")] + [("c", "d", 1, "k")] * 2 + [("d", "c", 1, "j")]
    battles = Battles.of([row[:3] for row in rows], factors={"judge": Factor.of([row[3] for row in rows])})
    removals = leave_one_out(battles, "copeland", "judge")
    assert {one.change() for one in removals.left_out} == {removals.left_out[0].change()}
    assert "most of all 'j', 'k' (" in removals.sentences[1]
    assert removals.sentences[1].endswith(" reversed each).")
