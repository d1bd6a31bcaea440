"""Majority judgment: by setting voters aside one by one, beside another library, and what it lacks."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, DataError, Scores
from helpers.paths import GOLDEN

ORACLES = json.loads((GOLDEN / "majority_judgment_pref_voting.json").read_text())["cases"]


def judged(table, **options):
    table = np.asarray(table, dtype=float)
    names, tasks = [f"a{i}" for i in range(len(table))], [f"t{j}" for j in range(table.shape[1])]
    return bp.rank(Scores.from_table(table, names, tasks), "majority_judgment", **options)


def majority_value(grades):
    """The lower median, then that of the grades without it, and so on."""
    left, medians = sorted(grades), []
    while left:
        medians.append(left.pop((len(left) - 1) // 2))
    return medians


tables = st.tuples(st.integers(1, 5), st.integers(1, 9)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 3), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


@settings(max_examples=120, deadline=None)
@given(tables)
def test_agents_stand_by_their_majority_value(table):
    values = [tuple(majority_value(row)) for row in table]
    order = sorted(set(values), reverse=True)
    ranking = judged(table)
    assert ranking.level_of().tolist() == [order.index(value) for value in values]
    assert list(ranking.scores.values()) == [value[0] for value in values]


@settings(max_examples=40, deadline=None)
@given(tables, st.data())
def test_a_weight_is_that_many_voters(table, data):
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(table[0]), max_size=len(table[0])))
    weighed = judged(table, weights={f"t{j}": float(k) for j, k in enumerate(times)})
    assert weighed.levels == judged(np.repeat(np.array(table), times, axis=1)).levels


@settings(max_examples=40, deadline=None)
@given(tables, st.integers(2, 4))
def test_voters_that_all_come_several_times_change_nothing(table, times):
    assert judged(table).levels == judged(np.repeat(np.array(table), times, axis=1)).levels


@pytest.mark.parametrize("case", ORACLES, ids=range(len(ORACLES)))
def test_pref_voting_elects_the_same_or_leaves_a_tie_that_the_majority_value_breaks(case):
    winners = {int(name[1:]) for name in judged(case["grades"]).winners}
    assert winners <= set(case["winners"])


def test_an_agent_with_fewer_grades_is_judged_by_the_shares_it_has():
    ranking = judged([[1, 2, 3, np.nan], [1, 2, 3, 3], [np.nan] * 3 + [2]])
    assert ranking.scores == {"a0": 2.0, "a1": 2.0, "a2": 2.0}
    assert ranking.levels == (("a1",), ("a2",), ("a0",))


def test_lower_is_better_turns_the_grades_round():
    scores = Scores.from_table([[3.0], [1.0]], ["ada", "bob"], ["errors"], higher_is_better={"errors": False})
    assert bp.rank(scores, "majority_judgment").levels == (("bob",), ("ada",))


@settings(max_examples=60, deadline=None)
@given(tables.filter(lambda table: len(table) > 2))
def test_whoever_comes_or_goes_two_agents_stand_as_they_did(table):
    """Independence of irrelevant alternatives, as grades say the same whoever is beside."""
    whole, part = judged(table).level_of(), judged(table[:2]).level_of()
    assert np.sign(whole[0] - whole[1]) == np.sign(part[0] - part[1])


def test_two_sets_of_tasks_that_agree_may_disagree_together():
    """Balinski and Laraki's rule has no join consistency: a0 leads in both halves, a1 in the whole."""
    one, other = np.array([[1, 1], [0, 2]]), np.array([[2, 2, 1], [0, 2, 2]])
    assert judged(one).winners == judged(other).winners == ("a0",)
    assert judged(np.hstack([one, other])).winners == ("a1",)


def test_who_beats_all_others_may_come_second():
    """a0 has the better grade on two tasks of three, a1 the better median."""
    ranking = judged([[1, 3, 0], [0, 2, 2]])
    assert ranking.condorcet.strong == "a0"
    assert ranking.winners == ("a1",)


def test_rankings_hold_no_grades():
    with pytest.raises(DataError, match="majority_judgment needs scores"):
        bp.rank(Ballots.of(["AB"]), "majority_judgment")
