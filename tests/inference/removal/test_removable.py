"""What may be removed: rows, counts, judges and tasks."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Scores
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set
from helpers.removals import BY_DEFINITION, few_battles, fewest_by_trying, passes


@pytest.mark.parametrize("method", ["borda", "copeland"])
@given(battles=few_battles(), data=st.data())
@settings(max_examples=15)
def test_whole_judges_are_those_of_trying_every_set_of_judges(method, battles, data):
    up, down = data.draw(st.permutations("xyz"))[:2]
    judges = battles.factors["judge"]
    assume(not passes(BY_DEFINITION[method](battles), up, down))
    groups = [np.flatnonzero(judges.codes == k).tolist() for k in range(len(judges.levels))]
    removal = smallest_influential_set(battles, method, above=up, below=down, unit="judge")
    assert (removal.needed, removal.exact) == (fewest_by_trying(battles, method, up, down, groups), True)


@pytest.mark.parametrize("method", ["bradley_terry", "win_rate", "copeland", "borda"])
def test_battles_and_their_counts_say_the_same(method):
    battles = bp.example()
    rows, counts = smallest_influential_set(battles, method), smallest_influential_set(battles.pairs(), method)
    assert (rows.needed, rows.above, rows.below) == (counts.needed, counts.above, counts.below)
    assert rows.verified
    assert counts.verified


def test_tasks_of_a_score_table_are_removed_by_name():
    # b leads 2 to 1; without one of its tasks the two are level, without both a leads
    scores = Scores.from_table([[1, 0, 0], [0, 1, 1]], ["a", "b"], ["code", "math", "prose"])
    removal = smallest_influential_set(scores, "borda", above="a", below="b")
    assert (removal.needed, removal.total) == (2, 3)
    assert {one.level for one in removal.removed} == {"math", "prose"}


def test_a_ballot_is_called_by_the_name_it_has_in_the_file():
    games = {"ballot": bp.Factor.of(["game 71", "game 12", "game 5"]), "task": bp.Factor.of(["t", "t", "t"])}
    ballots = bp.Ballots.of([[["a"], ["b"]], [["a"], ["b"]], [["b"], ["a"]]], factors=games)
    removal = smallest_influential_set(ballots, "borda", above="b", below="a")
    assert {one.level for one in removal.removed} == {"game 71", "game 12"}


def test_a_task_whose_ballot_compares_nobody_shifts_no_other():
    tasks = {"task": bp.Factor.of(["alone", "apart", "code", "math", "prose"])}
    ballots = bp.Ballots.of([[["x"]], [["y"]], [["x"], ["y"]], [["x"], ["y"]], [["y"], ["x"]]], factors=tasks)
    removal = smallest_influential_set(ballots, "copeland", above="y", below="x", unit="task")
    assert {one.level for one in removal.removed} == {"code", "math"}
