"""Coombs' rule: worked examples, every way of breaking ties by hand, and ballots that rank only some."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, DataError

TENNESSEE = Ballots.of(["MNCK", "NCKM", "CKNM", "KCNM"], count=[42, 26, 15, 17])


def winners_by_hand(votes, left):
    tops = [next(a for a in vote if a in left) for vote in votes]
    for a in left:
        if 2 * tops.count(a) > len(votes):
            return {a}
    ends = [next(a for a in reversed(vote) if a in left) for vote in votes]
    most = max(ends.count(a) for a in left)
    return set().union(*(winners_by_hand(votes, left - {a}) for a in left if ends.count(a) == most))


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.permutations("abcde"[:n]), min_size=1, max_size=7)))
def test_whoever_wins_on_some_way_of_breaking_ties_is_a_possible_winner(votes):
    ranking = bp.rank(Ballots.of(votes), "coombs")
    expected = winners_by_hand(votes, frozenset(votes[0]))
    assert set(ranking.details.get("possible winners", ranking.winners)) == expected


def test_the_capital_of_tennessee_is_nashville():
    """Memphis has 58 last places of 100 and leaves; Nashville then has 68 first ones."""
    assert bp.rank(TENNESSEE, "coombs").winners == ("N",)
    assert bp.rank(TENNESSEE, "stv", k=1).winners == ("K",)


def test_a_majority_of_first_places_ends_the_count_whatever_the_last_places():
    votes = Ballots.of(["ABC", "BCA", "CBA"], count=[5, 2, 2])
    assert bp.rank(votes, "coombs").winners == ("A",)


def test_a_ballot_that_names_one_agent_does_not_blame_it():
    votes = Ballots.of([[["A"]], [["A"]], [["B"], ["C"]], [["C"], ["B"]], [["B"], ["C"]]], agents=["A", "B", "C"])
    assert bp.rank(votes, "coombs").levels[-1] == ("C",)


def test_battles_have_no_last_places():
    with pytest.raises(DataError, match="coombs needs"):
        bp.rank(Battles.of([("ada", "bob", 1)]), "coombs")
