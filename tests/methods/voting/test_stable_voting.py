"""Stable voting: its definition without shortcuts, and the guard for its cost."""

from itertools import permutations

import numpy as np
from hypothesis import given, settings

import beatpath as bp
from beatpath import Margins
from beatpath.methods.voting import pairwise
from beatpath.methods.voting.pairwise import split_cycle_defeats, stable_winners
from helpers.game_cases import games


def elected_by_hand(M, left):
    """Every match by falling margin, whoever else is undefeated."""
    if len(left) == 1:
        return set(left)
    among = M[np.ix_(left, left)]
    undefeated = {left[i] for i in np.flatnonzero(~split_cycle_defeats(among).any(axis=0))}
    matches = [(a, b) for a, b in permutations(left, 2) if a in undefeated]
    for size in sorted({M[a, b] for a, b in matches}, reverse=True):
        stable = {a for a, b in matches if M[a, b] == size and a in elected_by_hand(M, [c for c in left if c != b])}
        if stable:
            return stable
    raise AssertionError


@settings(max_examples=60, deadline=None)
@given(games(max_agents=5))
def test_who_is_elected_is_undefeated_and_stays_so_without_the_rival_beaten_most_clearly(M):
    expected = elected_by_hand(M, list(range(len(M))))
    assert set(np.flatnonzero(stable_winners(M)).tolist()) == expected


def test_beyond_the_budget_split_cycle_stands_in(monkeypatch):
    rng = np.random.default_rng(0)
    upper = np.triu(rng.integers(1, 3, (8, 8)) * rng.choice([-1, 1], (8, 8)), 1).astype(float)
    game = Margins(upper - upper.T, tuple("abcdefgh"))
    assert stable_winners(game.matrix, most=2) is None
    monkeypatch.setattr(pairwise, "stable_winners", lambda margins: None)
    ranking = bp.rank(game, "stable_voting")
    assert ranking.levels == bp.rank(game, "split_cycle").levels
    assert "too many ties or cycles to settle" in ranking.status


def test_forty_agents_with_few_votes_end():
    rng = np.random.default_rng(3)
    votes = bp.Ballots.of([[[f"a{i}"] for i in rng.permutation(40)] for _ in range(5)])
    assert bp.rank(votes, "stable_voting").levels
