"""Predicted win rates: between the pair's own record and the Bradley-Terry fit."""

import numpy as np

from beatpath.inference.anytime.stage import predictions
from helpers.arenas import rates


def test_before_the_first_battle_everybody_is_even():
    a, b = np.triu_indices(4, 1)
    np.testing.assert_allclose(predictions(a, b, np.zeros(6), np.zeros(6), 4), 0.5)


def test_pairs_with_few_battles_are_predicted_better_than_by_their_own_record():
    rng = np.random.default_rng(4)
    P = rates(np.linspace(1.5, -1.5, 12))
    a, b = np.triu_indices(12, 1)
    battles = rng.poisson(4.0, len(a)).astype(float)
    won = rng.binomial(battles.astype(int), P[a, b]).astype(float)
    own = (won + 1) / (battles + 2)
    error = [np.mean((guess - P[a, b]) ** 2) for guess in (predictions(a, b, battles, won, 12), own)]
    assert error[0] < 0.5 * error[1]


def test_with_many_battles_a_pair_is_predicted_by_its_own_record():
    a, b = np.triu_indices(3, 1)
    battles, won = np.full(3, 1e5), np.array([0.7, 0.2, 0.8]) * 1e5  # a cycle, which no Bradley-Terry model fits
    np.testing.assert_allclose(predictions(a, b, battles, won, 3), won / battles, atol=1e-3)
