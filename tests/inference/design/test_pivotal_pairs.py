"""Pairs on which the core hangs, by finding the top cycle anew."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beatpath.evidence import Margins
from beatpath.inference.design.next_pairs import moved_by_turning, pivotal_pairs
from beatpath.methods.tournament.solutions import top_cycle


def turned_one_by_one(won, n):
    pairs = list(combinations(range(n), 2))

    def members(wins):
        M = np.zeros((n, n))
        for (i, j), yes in zip(pairs, wins, strict=True):
            M[i, j], M[j, i] = (1, -1) if yes else (-1, 1)
        return top_cycle(Margins(M, tuple(map(str, range(n)))))

    now = members(won)
    return [(members([yes ^ (k == p) for k, yes in enumerate(won)]) != now).sum() for p in range(len(pairs))]


@given(st.integers(2, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, 2 ** (n * (n - 1) // 2) - 1))))
def test_turning_a_pair_moves_as_many_as_finding_the_top_cycle_anew(case):
    n, bits = case
    won = np.array([bool(bits >> k & 1) for k in range(n * (n - 1) // 2)])
    np.testing.assert_array_equal(moved_by_turning(won[None, :], n)[0], turned_one_by_one(won, n))


def test_turning_a_pair_of_a_nearly_ordered_tournament_is_as_by_brute_force():
    rng = np.random.default_rng(0)
    for n in (5, 8, 12):
        won = rng.random(n * (n - 1) // 2) < 0.9
        np.testing.assert_array_equal(moved_by_turning(won[None, :], n)[0], turned_one_by_one(won, n))


def test_hinges_are_the_mean_over_tournaments():
    better = np.full((4, 4), 0.5)
    every = np.array([[bool(bits >> k & 1) for k in range(6)] for bits in range(64)])
    exact = moved_by_turning(every, 4).mean(axis=0)
    sampled = pivotal_pairs(better, np.random.default_rng(1), draws=20_000)
    np.testing.assert_allclose(sampled, exact, atol=0.04)
