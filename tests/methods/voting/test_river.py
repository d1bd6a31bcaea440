"""River: every order of equal wins, one at a time, and its place among rules that break cycles."""

from itertools import permutations, product

import numpy as np
from hypothesis import given, settings

import beatpath as bp
from beatpath import Margins
from beatpath.methods.voting.locking import river_winners
from beatpath.methods.voting.pairwise import split_cycle_defeats
from helpers.game_cases import games


def roots_by_hand(M):
    """Who has no locked loss, for each order of equal wins; ties of two agents decide nothing."""
    wins = [(a, b) for a, b in permutations(range(len(M)), 2) if M[a, b] > 0]
    groups = [[w for w in wins if M[w] == size] for size in sorted({M[w] for w in wins}, reverse=True)]
    roots = set()
    for chosen in product(*(permutations(group) for group in groups)):
        source = {}
        for a, b in (pair for group in chosen for pair in group):
            above, seen = a, []
            while above is not None:
                seen.append(above)
                above = source.get(above)
            if b not in source and b not in seen:
                source[b] = a
        roots |= {a for a in range(len(M)) if a not in source}
    return roots


@settings(max_examples=60, deadline=None)
@given(games(max_agents=4))
def test_whoever_is_the_root_in_some_order_of_equal_wins_is_elected(M):
    assert set(np.flatnonzero(river_winners(M)).tolist()) == roots_by_hand(M)


@settings(max_examples=80, deadline=None)
@given(games(max_agents=7, largest=6))
def test_the_elected_are_undefeated_under_split_cycle(M):
    undefeated = ~split_cycle_defeats(M).any(axis=0)
    assert not (river_winners(M) & ~undefeated).any()


def test_too_many_orders_leave_the_undefeated_together():
    rng = np.random.default_rng(0)
    upper = np.triu(np.where(rng.random((9, 9)) < 0.5, 1.0, -1.0), 1)
    assert river_winners(upper - upper.T, budget=3) is None


def test_one_loss_a_loser_sets_it_apart_from_ranked_pairs():
    """Döring, Brill and Heitzig's point: a win that ranked pairs keeps may keep another out; here all locked, by hand.

    a beats b by 8, b beats c by 6, c beats d by 4, d beats a by 2, a beats c by 1, d beats b by 0.5. Both lock a over b, b over
    c, c over d, and refuse d over a. Ranked pairs locks a over c too, River does not: c has lost already. Both elect a.
    """
    M = np.zeros((4, 4))
    for a, b, size in [(0, 1, 8), (1, 2, 6), (2, 3, 4), (3, 0, 2), (0, 2, 1), (3, 1, 0.5)]:
        M[a, b], M[b, a] = size, -size
    margins = Margins(M, ("a", "b", "c", "d"))
    assert bp.rank(margins, "river").winners == bp.rank(margins, "ranked_pairs").winners == ("a",)


def test_hundreds_of_agents_in_one_cycle_are_settled():
    rng = np.random.default_rng(1)
    upper = np.triu(rng.normal(size=(60, 60)), 1)
    assert river_winners(upper - upper.T).sum() == 1
