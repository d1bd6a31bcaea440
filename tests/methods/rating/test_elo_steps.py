"""Elo's steps, against the formula."""

import numpy as np

from beatpath.methods.rating.elo import rated


def test_battles_in_turn_follow_the_formula():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 50)
    b = (a + rng.integers(1, 3, 50)) % 3
    margin = rng.choice([-1.0, 0.0, 1.0], 50)
    expected = np.full(3, 1000.0)
    for x, y, m in zip(a, b, margin, strict=True):
        chance = 1 / (1 + 10 ** ((expected[y] - expected[x]) / 400))
        move = 32 * ((m + 1) / 2 - chance)
        expected[x] += move
        expected[y] -= move
    ratings = rated(a.astype(np.int32), b.astype(np.int32), margin, 16.0, None, np.full(3, 1000.0))
    np.testing.assert_allclose(ratings, expected)
