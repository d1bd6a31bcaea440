"""Bounds for battles whose schedule follows the outcomes as it likes."""

import numpy as np
import pytest

from beatpath import Pairs, resolve
from beatpath.inference.anytime.any_schedule import ALONG, APART, ASIDE, HORIZONS, AnySchedule
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.win_rates.win_rates import win_rates_of

A, B = np.triu_indices(4, 1)


def counted(n, a, b, battles, won):
    played = np.asarray(battles) > 0
    counts = np.column_stack([won, battles - won, 0 * won, 0 * won])[played]
    return Pairs(tuple(f"x{i}" for i in range(n)), np.asarray(a)[played], np.asarray(b)[played], counts)


def stopped(rng, most=300):
    """Battles of equal agents: every pair is played until its first agent leads by 1.5 standard deviations, or to the end."""
    counts, wins = [], []
    for _ in A:
        ahead = np.cumsum(rng.integers(0, 2, most) - 0.5)
        lucky = np.flatnonzero(ahead[9:] >= 0.75 * np.sqrt(np.arange(10, most + 1)))
        t = 10 + int(lucky[0]) if len(lucky) else most
        counts.append(t)
        wins.append(ahead[t - 1] + t / 2)
    return np.array(counts, dtype=float), np.array(wins)


def matched(rng, n, battles):
    """Equal agents; one at random meets another of like Elo rating. Yields counts by pair after every 150 battles."""
    rating, won = np.zeros(n), np.zeros((n, n))
    for t in range(1, battles + 1):
        a = rng.integers(n)
        near = np.exp(-np.abs(rating - rating[a]) / 0.1) * (np.arange(n) != a)
        b = rng.choice(n, p=near / near.sum())
        up, down = (a, b) if rng.random() < 0.5 else (b, a)
        won[up, down] += 1
        change = 0.1 / (1 + np.exp(rating[up] - rating[down]))
        rating[up] += change
        rating[down] -= change
        if t % 150 == 0:
            i, j = np.triu_indices(n, 1)
            yield counted(n, i, j, (won + won.T)[i, j], won[i, j])


def test_pairs_stopped_when_they_favor_one_side_seldom_make_a_false_order():
    rng = np.random.default_rng(6)
    boards = [counted(4, A, B, *stopped(rng)) for _ in range(60)]
    assert np.mean([resolve(board, anytime=True).above.any() for board in boards]) <= 0.05


def test_matchmaking_among_equals_makes_no_false_order_at_any_look_though_one_look_does():
    looks = [list(matched(np.random.default_rng(k), 10, 1500)) for k in range(10)]
    assert not any(resolve(board, anytime=True).above.any() for boards in looks for board in boards)
    assert sum(resolve(boards[-1]).ranks.above.any() for boards in looks) >= 2


def test_on_a_ladder_half_of_what_one_look_resolves_is_resolved_at_every_look():
    """Twelve agents from +1 to -1 log odds, 3,000 battles of pairs at random."""
    strength, (i, j) = np.linspace(1, -1, 12), np.triu_indices(12, 1)
    always = once = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        battles = rng.multinomial(3000, np.full(66, 1 / 66))
        board = counted(12, i, j, battles, rng.binomial(battles, 1 / (1 + np.exp(strength[j] - strength[i]))))
        resolution = resolve(board, anytime=True)
        assert not (resolution.above & (strength[:, None] <= strength)).any()
        always, once = always + resolution.resolved_pairs, once + resolve(board).resolved_pairs
    assert always >= 0.6 * once


def test_the_bound_is_that_of_its_formula():
    """By inverting the matrix of all bets, pair by pair of agents."""
    rng = np.random.default_rng(2)
    battles = rng.integers(20, 400, 6)
    pairwise = win_rates_of(counted(4, A, B, battles, rng.binomial(battles, 0.6)))
    made = scores_from(pairwise).made
    radius = AnySchedule(made, pairwise.battles.astype(float)).radius(0.01)
    D = made.rates.incidence.toarray()
    V, moves = np.diag(made.phi * made.v * battles**2), made.influence / battles
    for i, c in ((0, np.array([1.0, -1.0, 0, 0])), (1, np.array([0.0, 1.0, 0, 0]))):
        b, squares = c @ moves, []
        for horizon in HORIZONS:
            bets = ALONG * np.outer(D @ c, D @ c) + ASIDE * D @ D.T + APART * 3 * np.eye(6)
            cost = 2 * np.log(len(HORIZONS) / 0.01) + np.linalg.slogdet(np.eye(6) + bets @ V / horizon)[1]
            squares.append((1 + horizon * b @ np.linalg.solve(bets, b) / (b @ V @ b)) * cost)
        assert radius[i, 1] == pytest.approx(np.sqrt(c @ made.covariance @ c * min(squares)), rel=1e-6)


def test_intervals_of_scores_hold_at_every_look():
    """Sixty worlds of three agents, looked at ten times each: misses of one agent at 90 % are rare."""
    rng = np.random.default_rng(3)
    a, b = np.triu_indices(3, 1)
    rate, missed = np.array([0.7, 0.5, 0.4]), 0
    truth = (rate[0] + rate[1]) / 2
    for _ in range(60):
        won = np.cumsum(rng.binomial(20, rate, size=(10, 3)), axis=0)
        ranks = [
            resolve(counted(3, a, b, np.full(3, 20 * t), total), anytime=True, level=0.9).ranks
            for t, total in enumerate(won, 1)
        ]
        missed += any(not one.low[0] <= truth <= one.high[0] for one in ranks)
    assert missed <= 6
