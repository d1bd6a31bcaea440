"""What it would take for one judge to turn the verdict."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from beatpath.inference.judges.turning import _effects, votes_to_turn
from beatpath.stats.judges.consensus import consensus, refitted
from beatpath.stats.judges.votes import Votes, counted_votes
from helpers.judged import votes_of


def fewest_by_brute_force(rows, whole, round_):
    """Every set of judge 0's votes, smallest first, fitted again."""
    who, a, b, outcome = rows
    first, mine = int(np.argmax(whole.strength)), np.flatnonzero(who == 0)
    for k in range(1, len(mine) + 1):
        for some in combinations(mine, k):
            left = np.ones(len(who), dtype=bool)
            turned = outcome.copy()
            turned[list(some)] = 1 - outcome[list(some)]
            left[list(some)] = round_
            votes = counted_votes(who[left], a[left], b[left], turned[left], n_agents=3, n_judges=3)[0]
            if int(np.argmax(consensus(votes, spread=whole.spread).strength)) != first:
                return k
    return None


@pytest.mark.parametrize("round_", [False, True])
def test_so_many_votes_are_enough_and_seldom_more_than_needed(round_):
    exact = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        who, a, b, outcome, _ = votes_of(rng, agents=3, judges=3, each=9, spread=0.4)
        votes = counted_votes(who, a, b, outcome, n_agents=3, n_judges=3)[0]
        whole = consensus(votes)
        own = votes.take(votes.judge == 0)
        needed = votes_to_turn(votes.pooled(), own, whole, ("x", "y", "z"), round_=round_).votes
        fewest = fewest_by_brute_force((who, a, b, outcome), whole, round_)
        if needed is None:
            assert fewest is None or fewest > 3
            continue
        assert needed >= fewest
        exact.append(needed == fewest)
    assert np.mean(exact) >= 0.8


def test_a_judge_with_one_vote_among_thousands_turns_nothing():
    rng = np.random.default_rng(1)
    who, a, b, outcome, _ = votes_of(rng, agents=3, judges=2, each=2000)
    who = np.where(np.arange(len(who)) == 0, 0, 1)
    votes = counted_votes(who, a, b, outcome)[0]
    own = votes.take(votes.judge == 0)
    turning = votes_to_turn(votes.pooled(), own, consensus(votes), ("x", "y", "z"), round_=True)
    assert (turning.votes, turning.rival) == (None, None)
    assert replace(turning, votes=1).to_dict() == {"votes": 1, "rival": None}


def test_the_effect_of_a_vote_is_the_derivative_of_the_fit_without_it():
    """With a covariate, whose coefficient is fitted too."""
    rng, n = np.random.default_rng(1), 4
    a, b = (np.tile(agents, 2) for agents in np.triu_indices(n, 1))
    number = rng.integers(5, 20, len(a)).astype(np.float64)
    wins, x = rng.binomial(number.astype(int), 0.6).astype(np.float64), rng.normal(size=(len(a), 1))
    votes = Votes(n, 2, np.repeat([0, 1], len(a) // 2), a, b, x, wins, number, np.zeros(len(a)))
    whole, own = consensus(votes), votes.take(votes.judge == 0)
    before = whole.strength - whole.strength[2]
    for effect, won in zip(_effects(own, whole, 2, round_=False), (1.0, 0.0), strict=True):
        for cell in range(len(own)):
            some = replace(own.take(np.array([cell])), wins=np.array([1e-3 * won]), n=np.array([1e-3]))
            after = refitted(votes, some, whole).ended.x[:n]
            np.testing.assert_allclose((after - after[2] - before) / 1e-3, effect[cell], rtol=2e-3, atol=1e-5)
