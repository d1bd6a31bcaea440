"""Black's rule: worked by hand, by its definition, and what it lacks."""

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings

import beatpath as bp
from beatpath import Ballots, Battles, DataError
from beatpath.methods.profile import profile_of
from beatpath.methods.voting.scoring import black
from helpers.strategies import ballots


def test_the_condorcet_winner_of_vases_pentathlon_breaks_bordas_tie():
    votes = Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1])
    outcome = black(profile_of(votes))
    assert outcome.score.tolist() == [6, 3, 6]
    assert outcome.level.tolist() == [1, 2, 0]


def test_a_condorcet_winner_comes_first_with_fewer_points_than_the_second():
    """SCO's eq. (10): C beats A and B by three votes to two; A has seven points, C six."""
    ranking = bp.rank(Ballots.of(["ABC", "CAB"], count=[2, 3]), "black")
    assert ranking.levels == (("C",), ("A",), ("B",))
    assert ranking.scores == {"A": 7, "B": 2, "C": 6}


def test_without_a_condorcet_winner_borda_ranks():
    """A beats B by 5 to 2, B beats C by 5 to 2, C beats A by 4 to 3; points 8, 7 and 6."""
    ranking = bp.rank(Ballots.of(["ABC", "BCA", "CAB"], count=[3, 2, 2]), "black")
    assert ranking.condorcet.weak == ()
    assert ranking.levels == (("A",), ("B",), ("C",))
    assert ranking.scores == {"A": 8, "B": 7, "C": 6}


def test_agents_that_lose_to_nobody_and_tie_are_left_to_borda():
    """A and B tie head to head and beat C and D; B is ahead by points, 10 to 9."""
    ranking = bp.rank(Ballots.of(["ABCD", "ABCD", "BADC", "BCAD"]), "black")
    assert ranking.condorcet.strong is None
    assert ranking.condorcet.weak == ("A", "B")
    assert ranking.winners == ("B",)


def test_those_below_the_winner_share_a_level_where_their_points_are_equal():
    assert bp.rank(Ballots.of(["ABC", "ACB"]), "black").levels == (("A",), ("B", "C"))


@settings(max_examples=60, deadline=None)
@given(b=ballots())
def test_the_definition_vote_by_vote(b):
    """Whoever more votes rank above than below each rival is first; the others follow by points, exact fractions."""
    above = dict.fromkeys(product(b.agents, repeat=2), Fraction(0))
    for groups, count in zip(b, b.count.tolist(), strict=True):
        for upper, lower in combinations(groups, 2):
            for x, y in product(upper, lower):
                above[x, y] += count
        for group in groups:
            for x, y in permutations(group, 2):
                above[x, y] += Fraction(count, 2)
    points = {x: sum(above[x, y] for y in b.agents) for x in b.agents}
    stood = {x: points[x] + sum(above[y, x] for y in b.agents) for x in b.agents}
    if len({times for times in stood.values() if times}) > 1:  # compared unequally often: means
        points = {x: points[x] / stood[x] if stood[x] else Fraction(0) for x in b.agents}
    first = [x for x in b.agents if all(above[x, y] > above[y, x] for y in b.agents if y != x)]
    rest = [x for x in b.agents if x not in first]
    by_points = [
        tuple(sorted(x for x in rest if points[x] == p)) for p in sorted({points[x] for x in rest}, reverse=True)
    ]
    ranking = bp.rank(b, "black")
    assert ranking.levels == (*((x,) for x in first), *by_points)
    assert ranking.scores == {x: float(points[x]) for x in b.agents}


@settings(max_examples=60, deadline=None)
@given(b=ballots(complete=True))
def test_who_loses_to_all_others_is_never_elected(b):
    margins = b.pairs().margins().matrix
    losers = [b.agents[i] for i in np.flatnonzero((margins < 0).sum(axis=1) == len(margins) - 1)]
    if len(b.agents) > 1:
        assert not set(losers) & set(bp.rank(b, "black").winners)


def test_battles_are_refused_with_the_rules_that_take_them():
    with pytest.raises(
        DataError, match=r"black needs ballots or scores; battles are neither\. These methods take battles"
    ):
        bp.rank(Battles.of([("ada", "bob", 1)]), "black")
