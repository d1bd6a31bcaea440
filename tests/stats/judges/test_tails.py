"""Tails of sums of votes, and Holm's procedure."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom, norm

from beatpath.stats.intervals import holm
from beatpath.stats.judges.examined import upper_tail


@pytest.mark.parametrize(("n", "p", "k"), [(20, 0.5, 16), (50, 0.9, 35), (200, 0.3, 90), (1000, 0.5, 600)])
def test_the_tail_of_a_binomial_lies_between_its_ends(n, p, k):
    score = upper_tail(np.zeros(1, int), np.ones(1), np.array([float(k)]), np.array([float(n)]), np.array([p]), 1)
    if k > n * p:
        assert binom.sf(k, n, p) < norm.sf(score[0]) < binom.sf(k - 1, n, p)
    else:
        assert binom.cdf(k - 1, n, p) < norm.cdf(score[0]) < binom.cdf(k, n, p)


def test_the_tail_of_a_weighed_sum_is_that_of_all_outcomes():
    rng = np.random.default_rng(0)
    a, p = rng.normal(size=12), rng.uniform(0.2, 0.8, 12)
    outcomes = np.array(list(itertools.product([0, 1], repeat=12)))
    chance = np.prod(np.where(outcomes == 1, p, 1 - p), axis=1)
    sums = (outcomes - p) @ a
    for seen in outcomes[rng.choice(len(outcomes), 30, p=chance)]:
        exact = chance[sums >= (seen - p) @ a - 1e-12].sum()
        score = upper_tail(np.zeros(12, int), a, seen.astype(float), np.ones(12), p, 1)[0]
        assert norm.sf(score) == pytest.approx(exact, rel=0.15, abs=0.02)


def test_votes_all_one_way_have_a_finite_score():
    score = upper_tail(np.zeros(1, int), np.ones(1), np.array([30.0]), np.array([30.0]), np.array([0.5]), 1)
    assert 2.0**-30 < norm.sf(score[0]) < 2.0**-29


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("weights", [[0.2, 1.0, 3.0], [5.0, -2.0, 4.0], [0.1, 0.1, 0.4]])
def test_unanimous_votes_of_unequal_weights_are_as_unlikely_as_they_are(weights, side):
    """All votes that count for the sum, and none against it: nothing is beyond, and half a step of the smallest weight is added."""
    a, n, p = np.array(weights), np.array([4.0, 3.0, 2.0]), np.array([0.5, 0.6, 0.3])
    wins = np.where(side * a > 0, n, 0.0)
    score = upper_tail(np.zeros(3, int), a, wins, n, p, 1)[0]
    exact = np.prod(np.where(side * a > 0, p, 1 - p) ** n)
    assert 0.4 < norm.sf(side * score) / exact < 2.5


def test_holm_keeps_the_error_over_all_tests():
    rng = np.random.default_rng(1)
    alarms = [(holm(rng.random(30)) <= 0.05).any() for _ in range(2000)]
    assert 0.03 < np.mean(alarms) < 0.065
