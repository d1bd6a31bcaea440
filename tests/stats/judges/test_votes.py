"""Votes counted by judge, pair and what shifts them."""

import numpy as np

from beatpath.stats.judges.votes import counted_votes, in_parts, of_judges, with_own_family
from helpers.judged import votes_of


def test_cells_hold_every_vote_once_and_turn_pairs_round():
    rng = np.random.default_rng(0)
    who, a, b, outcome, first = votes_of(rng, agents=4, judges=5, each=60, ties=0.2)
    votes, cell = counted_votes(who, a, b, outcome, first[:, None].astype(float))
    for j in range(5):
        for low in range(4):
            for high in range(low + 1, 4):
                for side in (-1, 1):
                    rows = [
                        (a[t] == low and outcome[t] == 1) or (b[t] == low and outcome[t] == 0)
                        for t in range(len(who))
                        if who[t] == j
                        and {a[t], b[t]} == {low, high}
                        and outcome[t] != 0.5
                        and first[t] * (1 if a[t] == low else -1) == side
                    ]
                    at = (votes.judge == j) & (votes.a == low) & (votes.b == high) & (votes.x[:, 0] == side)
                    assert (votes.wins[at].sum(), votes.n[at].sum()) == (sum(rows), len(rows))
    assert (votes.n + votes.ties).sum() == len(who)
    assert (votes.judge[cell] == who).all()


def test_pooling_forgets_judges_and_nothing_else():
    rng = np.random.default_rng(1)
    who, a, b, outcome, first = votes_of(rng, agents=4, judges=5, each=60, ties=0.2)
    votes = counted_votes(who, a, b, outcome, first[:, None].astype(float))[0]
    one = counted_votes(np.zeros_like(who), a, b, outcome, first[:, None].astype(float))[0]
    pooled = votes.pooled()
    for name in ("a", "b", "x", "wins", "n", "ties"):
        assert np.array_equal(getattr(pooled, name), getattr(one, name))


def test_parts_add_up_to_their_cells():
    rng = np.random.default_rng(2)
    who, a, b, outcome, _ = votes_of(rng, agents=4, judges=3, each=40, ties=0.2)
    votes, cell = counted_votes(who, a, b, outcome)
    parts = in_parts(cell, rng.integers(7, size=len(who)), a, b, outcome)
    assert np.array_equal(np.bincount(parts.cell, parts.wins, len(votes)), votes.wins)
    assert np.array_equal(np.bincount(parts.cell, parts.n, len(votes)), votes.n)
    some, own = of_judges(votes, np.array([False, True, True]), parts)
    assert np.array_equal(np.bincount(own.cell, own.n, len(some)), some.n)
    assert some.n_judges == 2


def test_family_counts_for_either_side_of_a_pair():
    votes, _ = counted_votes(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 2, 1]), np.ones(3))
    own_family = np.array([[False, True, False], [False, False, False]])
    assert with_own_family(votes, own_family, 0).x.tolist() == [[-1.0], [1.0], [0.0]]
    assert with_own_family(votes, np.zeros_like(own_family), 0) is None
