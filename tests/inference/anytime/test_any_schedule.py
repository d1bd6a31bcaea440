"""Bounds for battles whose schedule follows the outcomes as it likes."""

import numpy as np
import pytest

from beatpath.inference.anytime.boundary import SCALE, differences, score_radius

A, B = np.triu_indices(4, 1)


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


def test_pairs_stopped_when_they_favour_one_side_seldom_make_a_false_order():
    rng = np.random.default_rng(6)
    false = naive = 0
    for _ in range(400):
        battles, total = stopped(rng)
        gap, radius = differences(A, B, battles, total, 4, 0.05 / 6)
        false += bool((gap > radius).any())
        variance = np.zeros((4, 4))
        variance[A, B] = variance[B, A] = 0.25 / battles / 9
        own = variance.sum(axis=1)
        naive += bool((gap > 2.64 * np.sqrt(own[:, None] + own[None, :] + 2 * variance)).any())
    assert false <= 20 + 3 * np.sqrt(400 * 0.05 * 0.95)
    assert naive > 60  # three times one in twenty: intervals for one look, at the same share of the error


def test_the_bound_is_that_of_its_formula():
    rng = np.random.default_rng(2)
    battles = rng.integers(20, 400, 6).astype(float)
    total = rng.binomial(battles.astype(int), 0.6).astype(float)
    gap, radius = differences(A, B, battles, total, 4, 0.01)
    w = np.array([2, 1, 1, -1, -1, 0]) / 3  # agent 0 less agent 1, over pairs 01 02 03 12 13 23
    used, V = w != 0, battles / 4
    spent = 2 * np.log(100) + np.log((V + SCALE) / SCALE)[used].sum()
    assert radius[0, 1] == pytest.approx(np.sqrt((w**2 * (V + SCALE) / battles**2).sum() * spent))
    assert gap[0, 1] == pytest.approx(w @ (total / battles) - 2 / 3 + 2 / 3 - (2 / 3) / 2 * 1)


def test_a_pair_that_never_met_may_have_any_win_rate():
    met = np.ones(6, dtype=bool)
    met[5] = False
    _, radius = differences(A[met], B[met], np.full(5, 1e9), np.full(5, 5e8), 4, 0.01)
    assert radius[2, 3] == pytest.approx(1 / 3, abs=1e-3)  # one of three opponents, won or lost by both
    assert radius[0, 2] == pytest.approx(1 / 6, abs=1e-3)
    assert radius[0, 1] < 1e-3


def test_the_radius_of_a_score_is_the_bound_over_its_own_pairs():
    a, b, battles = np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([40.0, 90.0, 10.0])
    found = score_radius(a, b, battles, 4, 0.1)
    for agent in range(4):
        own = battles[(a == agent) | (b == agent)]
        squares = ((own / 4 + SCALE) / (3 * own) ** 2).sum()
        logs = np.log((own / 4 + SCALE) / SCALE).sum()
        unmet = (3 - len(own)) / 2 / 3
        assert found[agent] == pytest.approx(np.sqrt(squares * (2 * np.log(10) + logs)) + unmet)


def test_intervals_of_scores_hold_at_every_look():
    """Two hundred worlds of three agents, looked at twenty times each: misses of one agent at 90 % are rare."""
    rng = np.random.default_rng(3)
    a, b = np.triu_indices(3, 1)
    rate, missed = np.array([0.7, 0.5, 0.4]), 0
    truth = np.array([rate[0] + rate[1], 1 - rate[0] + rate[2], 2 - rate[1] - rate[2]]) / 2
    for _ in range(200):
        won = np.cumsum(rng.binomial(10, rate, size=(20, 3)), axis=0)
        looks = 10.0 * np.arange(1, 21)
        for total, number in zip(won, looks, strict=True):
            battles = np.full(3, number)
            gap, _ = differences(a, b, battles, total.astype(float), 3, 0.1)
            off = abs(gap.mean(axis=1)[0] + 0.5 - truth[0])
            if off > score_radius(a, b, battles, 3, 0.1)[0]:
                missed += 1
                break
    assert missed <= 20
