"""Score tables as ballots."""

import numpy as np
import pytest

from beatpath import DataError, Factor, Scores

TABLE = Scores.from_table([[3.0, np.nan], [2.0, 5.0], [2.05, 4.0]], ["a", "b", "c"], ["x", "y"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[("a",), ("c",), ("b",)], [("b",), ("c",)]]),
        ({"tolerance": 0.1}, [[("a",), ("b", "c")], [("b",), ("c",)]]),
        ({"missing": "last"}, [[("a",), ("c",), ("b",)], [("b",), ("c",), ("a",)]]),
        ({"missing": "drop_task"}, [[("a",), ("c",), ("b",)]]),
    ],
)
def test_tasks_rank_agents_as_the_policies_say(options, expected):
    assert list(TABLE.ballots(**options)) == expected


def test_a_missing_score_can_be_an_error_that_names_it():
    with pytest.raises(DataError, match="'a' has none on 'y'"):
        TABLE.ballots(missing="error")


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0, 0), (0, 4, 3)])
def test_a_table_without_rows_or_columns_holds_no_scores(shape):
    names = [f"agent {i}" for i in range(shape[0])], [f"task {i}" for i in range(shape[-1])]
    assert len(Scores.from_table(np.zeros(shape), *names)) == 0


def single_task(names):
    agent, value = [0, 0, 0, 1, 1, 1], [1.0, 5.0, 3.0, 2.0, 4.0, 6.0]
    return Scores(("ada", "bob"), agent, value, {"replicate": Factor.of(names)})


def test_the_runs_of_a_single_task_vote_those_of_one_name_together():
    scores = single_task(["s1", "s2", "s3", "s3", "s2", "s1"])
    assert scores.who_votes("auto") == "run"
    table, names = scores.table("run")
    assert dict(zip(names, table.T.tolist(), strict=True)) == {"s1": [1.0, 6.0], "s2": [5.0, 4.0], "s3": [3.0, 2.0]}
    assert len(scores.ballots()) == 3
    assert scores.ballots().conventions[0].value == "run"


def test_runs_without_a_name_in_common_go_together_by_number():
    scores = single_task(["a1", "a2", "a3", "b1", "b2", "b3"])
    table, names = scores.table("run")
    assert names == ("run 1", "run 2", "run 3")
    assert table.tolist() == [[1.0, 5.0, 3.0], [2.0, 4.0, 6.0]]


def test_runs_do_not_vote_where_there_are_items_several_tasks_or_no_names():
    scores = single_task(["s1", "s2", "s3", "s3", "s2", "s1"])
    with_items = Scores(scores.agents, scores.agent, scores.value, {**scores.factors, "item": Factor.of("uvwwvu")})
    with_tasks = Scores(scores.agents, scores.agent, scores.value, {**scores.factors, "task": Factor.of("uvwwvu")})
    assert with_items.who_votes("auto") == "item"
    assert with_tasks.who_votes("auto") == "task"
    assert Scores(scores.agents, scores.agent, scores.value, {}).who_votes("auto") == "task"


def test_runs_of_a_table_are_numbered_from_one():
    scores = Scores.from_table(np.zeros((2, 3, 1)), ["ada", "bob"], ["math"])
    assert scores.factors["replicate"].levels == ("1", "2", "3")
