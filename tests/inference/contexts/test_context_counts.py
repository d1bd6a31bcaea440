"""Battles by context and pair, and evidence that has none."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.contexts.context_counts import context_counts


def _battles(tasks, **more):
    rows = [("ada", "bob", 1.0), ("bob", "cyd", 0.5), ("cyd", "ada", 0.0), ("ada", "bob", 0.0)]
    return bp.Battles.of(rows, factors={"task": bp.Factor.of(tasks), **more})


def test_wins_are_counted_by_context_and_pair():
    found = context_counts(_battles(["x", "x", "y", "y"]), "task")
    cells = found.cells
    told = sorted(zip(cells.context.tolist(), cells.a.tolist(), cells.b.tolist(), cells.won, cells.played, strict=True))
    assert told == [(0, 0, 1, 1, 1), (0, 1, 2, 0.5, 1), (1, 0, 1, 0, 1), (1, 0, 2, 1, 1)]
    assert found.battles.tolist() == [[1, 2, 1], [2, 1, 1]]
    assert found.undecided == 0.25


def test_counts_by_pair_that_are_split_by_a_column_say_the_same():
    battles = _battles(["x", "x", "y", "y"])
    one, two = (context_counts(told, "task") for told in (battles, battles.pairs(["task"])))
    assert np.array_equal(one.cells.won, two.cells.won)
    assert one.undecided == two.undecided


def test_a_battle_that_weighs_double_is_no_two_battles():
    pairs = bp.Pairs(("a", "b"), [0, 0], [1, 1], [[4, 0, 0, 0], [2, 2, 0, 0]], squares=[[8, 0, 0, 0], [2, 2, 0, 0]],
                     keys={"task": bp.Factor.of(["x", "y"])})  # fmt: skip
    assert context_counts(pairs, "task").cells.played.tolist() == [2, 4]


def test_rows_without_a_context_are_left_out_and_it_is_said():
    found = context_counts(_battles(["x", None, "y", "y"]), "task")
    assert "1 row without a name in 'task' left out." in found.notes
    assert found.cells.played.sum() == 3


def test_the_context_itself_is_no_cluster():
    judge = bp.Factor.of(["j", "j", "k", "k"])
    found = context_counts(_battles(["x", "x", "y", "y"], judge=judge), "task", cluster=("task", "judge"))
    assert found.clusters == ("judge",)


@pytest.mark.parametrize(
    ("evidence", "by", "said"),
    [
        (_battles(["x", "x", "y", "y"]), "tsak", "'tsak' is not among them: task.*Did you mean 'task'"),
        (_battles(["x"] * 4), "task", "two contexts or more; 'task' names one, 'x'"),
        (_battles([None] * 4), "task", "there are none"),
        (bp.Ballots.of([[["ada"], ["bob"]]]), "task", "ballots are neither"),
        (bp.Battles.of([("ada", "bob", 1)]), "task", "among them: none"),
    ],
)
def test_evidence_without_contexts_is_refused_with_a_sentence(evidence, by, said):
    with pytest.raises(bp.BeatpathError, match=said):
        context_counts(evidence, by)


def test_more_strengths_than_memory_should_hold_are_refused():
    names = tuple(f"a{i}" for i in range(100))
    task = bp.Factor.of(range(50))
    told = bp.Battles(names, np.arange(50), np.arange(50) + 50, np.ones(50), factors={"task": task})
    with pytest.raises(bp.UsageError, match="50 contexts of 100 agents are more"):
        context_counts(told, "task")
