"""Baldwin's rule, by following every way of breaking ties on the ballots themselves."""

from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots


def winners_by_hand(votes, left):
    if len(left) == 1:
        return set(left)
    points = dict.fromkeys(left, 0)
    for vote in votes:
        here = [a for a in vote if a in left]
        for place, a in enumerate(here):
            points[a] += len(here) - 1 - place
    last = [a for a in left if points[a] == min(points.values())]
    return set().union(*(winners_by_hand(votes, left - {a}) for a in last))


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.permutations("abcde"[:n]), min_size=1, max_size=7)))
def test_whoever_wins_on_some_way_of_breaking_ties_is_a_possible_winner(votes):
    ranking = bp.rank(Ballots.of(votes), "baldwin")
    expected = winners_by_hand(votes, frozenset(votes[0]))
    assert set(ranking.details.get("possible winners", ranking.winners)) == expected


def test_battles_are_taken_for_only_margins_are_needed():
    battles = bp.Battles.of([("x", "y", 1), ("x", "y", 1), ("y", "z", 1), ("y", "z", 1), ("z", "x", 0.5)])
    assert bp.rank(battles, "baldwin", matrix="raw").levels == (("x",), ("y",), ("z",))
