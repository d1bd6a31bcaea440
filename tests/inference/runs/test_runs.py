"""Runs of a table: what is one, and which tasks count."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.evidence.conventions import Conventions
from beatpath.inference.runs.runs import runs_of


def test_items_are_averaged_within_a_run_and_runs_stay_apart():
    factors = {"task": "xxxx", "item": "ijij", "replicate": "1122"}
    scores = bp.Scores(
        ("ada",), [0] * 4, [1, 3, 5, 9], {name: bp.Factor.of(levels) for name, levels in factors.items()}
    )
    made = runs_of(scores, Conventions(per="task"))
    assert made.value.tolist() == [2.0, 7.0]
    assert made.count.tolist() == [[2]]


def test_items_of_the_only_task_stand_for_tasks():
    factors = {"item": "iijj", "replicate": "1212"}
    scores = bp.Scores(
        ("ada",), [0] * 4, [1, 3, 5, 9], {name: bp.Factor.of(levels) for name, levels in factors.items()}
    )
    made = runs_of(scores)
    assert made.unit == "item"
    assert made.count.tolist() == [[2, 2]]


def test_tasks_that_somebody_lacks_are_left_out_with_a_note():
    scores = bp.Scores.from_table([[1.0, 2.0, 3.0], [2.0, np.nan, 1.0]], ["x", "y"], ["r", "s", "t"])
    made = runs_of(scores)
    assert made.tasks == ("r", "t")
    assert "1 of 3 tasks is left out" in made.notes[0]
    with pytest.raises(bp.DataError, match="'y' has none on 's'"):
        runs_of(scores, Conventions(missing="error"))


def test_agents_without_a_common_task_are_refused():
    scores = bp.Scores.from_table([[1.0, np.nan], [np.nan, 1.0]], ["x", "y"], ["r", "s"])
    with pytest.raises(bp.DataError, match="there is none"):
        runs_of(scores)


def test_lower_is_better_turns_the_sign():
    scores = bp.Scores.from_table([[1.0], [2.0]], ["x", "y"], ["r"], higher_is_better={"r": False})
    assert runs_of(scores).value.tolist() == [-1.0, -2.0]


def test_battles_have_no_runs():
    with pytest.raises(bp.DataError, match="need a table of scores"):
        runs_of(bp.example())
