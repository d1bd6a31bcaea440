"""Bucklin's rule: worked examples and its definition, ballot by ballot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots
from beatpath.methods.voting.scoring import approval_scores, places_of, support_by_depth
from helpers.strategies import ballots

TENNESSEE = Ballots.of(["MNCK", "NCKM", "CKNM", "KCNM"], count=[42, 26, 15, 17])


@settings(max_examples=60, deadline=None)
@given(b=ballots())
def test_support_at_a_depth_is_approval_of_so_many_places(b):
    n = len(b.agents)
    expected = [approval_scores(places_of(b, k), k) for k in range(1, n + 1)]
    np.testing.assert_allclose(support_by_depth(places_of(b, n)), expected, atol=1e-9)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.permutations("abcde"[:n]), min_size=1, max_size=7)))
def test_agents_stand_by_depth_and_then_by_support(votes):
    def key(a):
        for k in range(1, len(votes[0]) + 1):
            support = sum(a in vote[:k] for vote in votes)
            if 2 * support > len(votes):
                return (k, -support)
        raise AssertionError

    ranking = bp.rank(Ballots.of(votes), "bucklin")
    keys = sorted({key(a) for a in votes[0]})
    assert [{*level} for level in ranking.levels] == [{a for a in votes[0] if key(a) == one} for one in keys]
    assert ranking.details["depth"] == {a: key(a)[0] for a in sorted(votes[0])}


def test_the_capital_of_tennessee_is_nashville():
    """At two places Nashville has 68 of 100, Chattanooga 58; nobody has a majority of first places."""
    ranking = bp.rank(TENNESSEE, "bucklin")
    assert ranking.levels == (("N",), ("C",), ("K",), ("M",))
    assert ranking.scores == pytest.approx({"N": 2.68, "C": 2.58, "K": 1.58, "M": 1.0})


def test_agents_that_most_ballots_leave_out_come_last():
    ranking = bp.rank(Ballots.of([["A"], ["A"], ["A", "B"], ["C"]], agents=["A", "B", "C", "D"]), "bucklin")
    assert ranking.levels == (("A",), ("B", "C"), ("D",))
    assert ranking.details["depth"] == {"A": 1, "B": None, "C": None, "D": None}
