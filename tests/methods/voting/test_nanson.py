"""Nanson's rule, by Borda's points on the ballots themselves."""

from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots


def nanson_by_hand(votes, left):
    """Levels, best first: those below the average leave, and are counted among themselves."""
    points = {a: 0 for a in left}
    for vote in votes:
        here = [a for a in vote if a in left]
        for place, a in enumerate(here):
            points[a] += len(here) - 1 - place
    average = sum(points.values()) / len(points)
    below = {a for a in left if points[a] < average}
    return nanson_by_hand(votes, left - below) + nanson_by_hand(votes, below) if below else [left]


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.permutations("abcde"[:n]), min_size=1, max_size=7)))
def test_those_below_the_average_of_bordas_points_leave_round_by_round(votes):
    ranking = bp.rank(Ballots.of(votes), "nanson")
    assert [set(level) for level in ranking.levels] == nanson_by_hand(votes, set(votes[0]))


def test_the_winner_stays_in_the_smith_set_where_bordas_does_not():
    orders = ["XYZDE", "YZXDE", "ZXYDE", "DEXYZ", "DEYZX", "DEZXY"]
    votes = Ballots.of(orders, count=[2, 2, 1, 1, 1, 2])
    assert bp.rank(votes, "borda").winners == ("D",)
    assert set(bp.rank(votes, "nanson").winners) <= set("XYZ")
