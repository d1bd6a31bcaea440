"""A board: differences of scores and their variances."""

import numpy as np

from beatpath.results import Leaderboard


def test_a_difference_errs_by_both_scores_less_what_they_share():
    rng = np.random.default_rng(0)
    L = rng.normal(size=(4, 6))
    board = Leaderboard(tuple("abcd"), rng.normal(size=4), L @ L.T, np.full((4, 4), np.inf), "a score")
    draws = L @ rng.standard_normal((6, 200_000))
    spread = (draws[:, None] - draws[None, :]).var(axis=2)
    np.testing.assert_allclose(board.variance_of_differences, spread, rtol=0.02, atol=1e-9)
    np.testing.assert_allclose(board.differences, [[x - y for y in board.score] for x in board.score])
