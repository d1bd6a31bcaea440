"""Cores by context, and of contexts mixed."""

import json
from dataclasses import replace

import numpy as np
import pytest

from beatpath import Ballots, Battles, DataError, Factor, Scores, UsageError, WinRates
from beatpath.inference.core.core import core
from beatpath.inference.core.core_by import core_by

CYCLE = [("x", "y", 1), ("y", "z", 1), ("z", "x", 1)]
B1 = [[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]]


@pytest.fixture
def two_tasks():
    """In code x beats y beats z; in math it is the other way round, and w plays there alone."""
    rows = [("x", "y", 1), ("y", "z", 1), ("x", "z", 1)] * 2 + [
        ("y", "x", 1),
        ("z", "y", 1),
        ("z", "x", 1),
        ("w", "z", 0),
    ]
    return Battles.of(rows, factors={"task": Factor.of(["code"] * 6 + ["math"] * 4)})


def test_contexts_know_only_their_own_agents(two_tasks):
    cores = core_by(two_tasks, "task", field="all")
    assert {name: one.top_cycle.members for name, one in cores.contexts.items()} == {"code": ("x",), "math": ("z",)}
    assert cores["code"].agents == ("x", "y", "z")
    assert cores.comparisons == {"code": 6.0, "math": 4.0}
    assert cores.mixture is None


def test_each_context_is_the_core_of_its_rows(two_tasks):
    core_result = core_by(two_tasks, "task", gamma=0.02, field="all")["math"]
    alone = core(two_tasks.take(np.arange(6, 10)), gamma=0.02, field="all")
    assert core_result.top_cycle.scores == alone.top_cycle.scores
    assert core_result.posterior.to_dict() == alone.posterior.to_dict()


def test_agents_with_too_little_data_are_left_out_of_every_context_and_named(two_tasks):
    cores = core_by(two_tasks, "task")
    assert cores["math"].agents == ("x", "y", "z")
    assert cores.notes[0].startswith("1 agent has too little data to be placed: 'w'.")
    assert '`field="all"`' in cores.notes[0]


def test_a_mixture_mixes_win_probabilities_and_not_counts(two_tasks):
    cores = core_by(two_tasks, "task", mix={"code": 1, "math": 3}, field="all")
    expected = core(np.array([[0.5, 0.25, 0.25], [0.75, 0.5, 0.25], [0.75, 0.75, 0.5]]), agents=list("xyz"))
    assert cores.weights == {"code": 0.25, "math": 0.75}
    assert cores.mixture.top_cycle.members == expected.top_cycle.members == ("z",)
    assert cores.mixture.agents == ("w", "x", "y", "z")
    inner = {pair: cores.mixture.margins.matrix[pair] for pair in [(1, 2), (1, 3), (2, 3)]}
    assert inner == {(1, 2): -0.5, (1, 3): -0.5, (2, 3): -0.5}
    assert cores.mixture.margins.matrix[3, 0] == 1.0  # compared in math alone, so math decides
    alone = core_by(two_tasks, "task", mix={"code": 2, "math": 0})
    assert alone.mixture.agents == ("x", "y", "z")
    assert json.loads(json.dumps(cores.to_dict(), allow_nan=False))["weights"] == {"code": 0.25, "math": 0.75}


def test_pairs_scores_and_ballots_have_contexts_too(two_tasks):
    by_pairs = core_by(two_tasks.pairs(["task"]), "task")
    assert by_pairs["code"].top_cycle.scores == core_by(two_tasks, "task")["code"].top_cycle.scores
    table = Scores.from_table([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], ["x", "y", "z"], ["code", "math"])
    cores = core_by(table, "task", mix={"code": 1, "math": 1})
    assert [one.top_cycle.members for one in cores.contexts.values()] == [("x",), ("z",)]
    assert cores.mixture.top_cycle.members == ("x", "y", "z")
    votes = Ballots.of([[["x"], ["y"]], [["y"], ["x"]]])
    named_votes = replace(votes, factors={"country": Factor.of(["at", "ch"])})
    assert core_by(named_votes, "country")["ch"].top_cycle.members == ("y",)


def test_rows_without_a_context_are_counted():
    b = Battles.of(CYCLE, factors={"task": Factor.of(["code", None, "code"])})
    assert core_by(b, "task").notes == ("1 row without a name in 'task' left out.",)


def test_contexts_that_do_not_exist_are_refused_by_name(two_tasks):
    with pytest.raises(UsageError, match=r"'cod' occurs in none.* Did you mean 'code'"):
        core_by(two_tasks, "task", mix={"cod": 1})
    with pytest.raises(UsageError, match=r"'law' occurs in none. It has 'code', 'math'"):
        core_by(two_tasks, "task")["law"]
    with pytest.raises(UsageError, match="'tsk' must be a column"):
        core_by(two_tasks, "tsk")
    with pytest.raises(UsageError, match="got -1 for 'code'"):
        core_by(two_tasks, "task", mix={"code": -1})
    with pytest.raises(UsageError, match="at least one context a weight above 0"):
        core_by(two_tasks, "task", mix={"code": 0})
    with pytest.raises(UsageError, match="win_rates name none"):
        core_by(WinRates(B1, list("ABC")), "task")
    nobody = Battles.of(CYCLE, factors={"task": Factor.of([None] * 3)})
    with pytest.raises(DataError, match="there are none"):
        core_by(nobody, "task")


def test_each_context_has_the_design_effect_of_its_own_clusters():
    rows = [("x", "y", float(i // 10 % 3 > 0)) for i in range(120)] + [("x", "y", float(i % 3 > 0)) for i in range(120)]
    factors = {
        "task": Factor.of(["code"] * 120 + ["math"] * 120),
        "cluster": Factor.of([str(i // 10) for i in range(120)] + [f"m{i}" for i in range(120)]),
    }
    battles = Battles.of(rows, factors=factors)
    for evidence in (battles, battles.pairs(["task", "cluster"])):
        cores = core_by(evidence, "task")
        assert cores["code"].posterior.settings["design_effect"] == pytest.approx(10, rel=0.15)
        assert cores["math"].posterior.settings["design_effect"] == pytest.approx(1, abs=0.01)
