"""Ballots: ordered groups of agents, chosen and counted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, DataError
from beatpath.evidence import Factor
from helpers.strategies import ballots

few = settings(max_examples=40, deadline=None)


@few
@given(ballots(), st.data())
def test_chosen_ballots_are_those_chosen_in_that_order(b, data):
    rows = data.draw(st.lists(st.integers(0, len(b) - 1), max_size=6))
    taken = b.take(np.array(rows, dtype=np.int64))
    every = list(b)
    assert list(taken) == [every[i] for i in rows]
    assert taken.count.tolist() == [b.count[i] for i in rows]
    assert taken.agents == b.agents


@few
@given(ballots(), st.data())
def test_a_mask_chooses_what_its_indices_choose(b, data):
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(b), max_size=len(b))), dtype=bool)
    assert list(b.take(mask)) == list(b.take(np.flatnonzero(mask)))


def test_chosen_ballots_keep_weights_and_columns_and_may_have_other_counts():
    b = Ballots.of(["AB", "BA", "AB"], weight=[1, 2, 3], factors={"task": Factor.of(["x", "y", "z"])})
    taken = b.take(np.array([True, False, True]), count=[5, 7])
    assert taken.total.tolist() == [5, 21]
    assert [taken.factors["task"].levels[k] for k in taken.factors["task"].codes] == ["x", "z"]
    with pytest.raises(ValueError, match="read-only"):
        taken.count[0] = 1


@pytest.mark.parametrize(
    ("orders", "is_long"),
    [(["abc", "bca", "cab"], False), (["abcd", "dcba"], True), (["ab", "cd"], False), (["ab", "cd", "ac", "bd"], True)],
)
def test_ballots_are_long_from_the_pairs_of_agents_or_comparisons_whichever_are_fewer(monkeypatch, orders, is_long):
    monkeypatch.setattr("beatpath.evidence.ballots._QUICK", 3)
    assert Ballots.of([[[agent] for agent in order] for order in orders]).is_long == is_long


def test_a_ballot_names_nobody_twice():
    with pytest.raises(DataError, match="at most once"):
        Ballots.of([["A", "B", "A"]])


@few
@given(ballots())
def test_ties_are_those_of_all_pairs(b):
    assert b.tied() == b.pairs().counts[:, 2].sum()


@pytest.mark.parametrize("policy", ["ignore", "last"])
def test_the_policy_for_the_unranked_is_stated_once_and_counts_voters(policy):
    rows = [[["a"], ["b"]], [["b"], ["c"]], [["a"]]]
    counted, repeated = Ballots.of(rows, count=[2, 2, 2]), Ballots.of(rows * 2)
    for evidence in (counted, repeated):
        (unranked,) = (one for one in bp.resolve(evidence, unranked=policy).conventions if one.name == "unranked")
        assert (unranked.value, unranked.affected) == (policy, 2 * (1 + 1 + 2))
