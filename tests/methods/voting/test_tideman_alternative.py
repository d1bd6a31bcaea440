"""Tideman's alternative, by following every way of breaking ties on the ballots themselves."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots


def smith_by_hand(votes, left):
    """The smallest set whose members all beat everyone outside."""

    def beats(a, b):
        return 2 * sum(vote.index(a) < vote.index(b) for vote in votes) > len(votes)

    for size in range(1, len(left) + 1):
        for inside in combinations(sorted(left), size):
            if all(beats(a, b) for a in inside for b in left - set(inside)):
                return frozenset(inside)
    raise AssertionError


def winners_by_hand(votes, left):
    left = smith_by_hand(votes, left)
    if len(left) == 1:
        return set(left)
    tops = [next(a for a in vote if a in left) for vote in votes]
    fewest = min(tops.count(a) for a in left)
    return set().union(*(winners_by_hand(votes, left - {a}) for a in left if tops.count(a) == fewest))


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.permutations("abcde"[:n]), min_size=1, max_size=7)))
def test_whoever_wins_on_some_way_of_breaking_ties_is_a_possible_winner(votes):
    ranking = bp.rank(Ballots.of(votes), "tideman_alternative")
    expected = winners_by_hand(votes, frozenset(votes[0]))
    assert set(ranking.details.get("possible winners", ranking.winners)) == expected


def test_without_a_cycle_the_ranking_is_that_of_the_majorities():
    votes = Ballots.of(["ABCD", "BACD", "ABDC"])
    assert bp.rank(votes, "tideman_alternative").levels == (("A",), ("B",), ("C",), ("D",))
