"""Worlds whose core is planted, and battles simulated from them."""

import itertools

import numpy as np

from beatpath import Pairs


def pairs_of(wins):
    """Pairs from a matrix of wins."""
    n = len(wins)
    a, b = np.triu_indices(n, 1)
    won, lost = wins[a, b], wins[b, a]
    played = won + lost > 0
    counts = np.column_stack([won, lost, 0 * won, 0 * won])[played]
    return Pairs(tuple(f"agent {k}" for k in range(n)), a[played], b[played], counts)


def simulated_wins(win_probability, battles, rng, missing=0.0):
    """A matrix of wins, every pair that is not missing meeting so often."""
    n = len(win_probability)
    a, b = np.triu_indices(n, 1)
    played = rng.random(len(a)) >= missing
    won = rng.binomial(battles, win_probability[a, b]) * played
    wins = np.zeros((n, n))
    wins[a, b], wins[b, a] = won, battles * played - won
    return wins


def planted_rates(n, k, rng, inside, across, outside):
    """A rotational core on top, everyone else in order; labels shuffled."""
    p = np.full((n, n), 0.5)
    for i, step in itertools.product(range(k), range(1, k // 2 + 1)):
        p[i, (i + step) % k], p[(i + step) % k, i] = inside, 1 - inside
    p[:k, k:], p[k:, :k] = across, 1 - across
    a, b = (index + k for index in np.triu_indices(n - k, 1))
    p[a, b], p[b, a] = outside, 1 - outside
    shuffled = rng.permutation(n)
    return p[np.ix_(shuffled, shuffled)], shuffled < k
