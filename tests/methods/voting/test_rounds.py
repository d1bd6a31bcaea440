"""Rounds of elimination: every way of breaking ties, one at a time, and what happens when there are too many."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath.methods.graph.relation import agreed_levels
from beatpath.methods.voting import runoff
from beatpath.methods.voting.runoff import BROKEN, TOGETHER, eliminated, without_last


def ways_by_hand(left, points):
    """Every order in which agents leave when the last of those left leaves; points depend on who is left."""
    if len(left) < 2:
        return [[{*left}]]
    have = {a: points(a, left) for a in left}
    last = [a for a in left if have[a] == min(have.values())]
    if len(last) == len(left) == 2:
        return [[{*left}]]
    return [[*order, {a}] for a in last for order in ways_by_hand(left - {a}, points)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=25, max_size=25), st.integers(1, 5))
def test_levels_are_what_all_ways_of_breaking_ties_agree_on(values, n):
    table = np.array(values, dtype=float).reshape(5, 5)[:n, :n]
    agents = tuple("abcde"[:n])
    outcome = eliminated(agents, lambda left: without_last(left, table @ left))
    ways = ways_by_hand(frozenset(range(n)), lambda a, left: sum(table[a, b] for b in left))
    place = [[next(i for i, group in enumerate(way) if a in group) for a in range(n)] for way in ways]
    above = np.array([[all(p[x] < p[y] for p in place) for y in range(n)] for x in range(n)])
    np.testing.assert_array_equal(outcome.level, agreed_levels(above))
    if outcome.status.startswith(BROKEN):
        firsts = {a for way in ways for a in way[0]}
        assert outcome.details["possible winners"] == sorted(agents[a] for a in firsts)


def test_too_many_ways_let_tied_agents_leave_together(monkeypatch):
    have = np.array([2.0, 1, 1, 1, 0])
    agents = tuple("abcde")
    assert eliminated(agents, lambda left: without_last(left, have)).level.tolist() == [0, 1, 1, 1, 2]
    monkeypatch.setattr(runoff, "MOST_SETS", 2)
    outcome = eliminated(agents, lambda left: without_last(left, have))
    assert outcome.level.tolist() == [0, 1, 1, 1, 2]
    assert outcome.status == TOGETHER


def test_an_order_without_ties_is_followed_however_long_it_is():
    have = np.arange(3_000.0)
    outcome = eliminated(tuple(map(str, range(3_000))), lambda left: without_last(left, have))
    assert outcome.level.tolist() == list(range(2_999, -1, -1))
