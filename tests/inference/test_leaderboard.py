"""A board: differences of scores and their variances."""

import numpy as np
import pytest

from beatpath.results import Leaderboard


def test_a_difference_errs_by_both_scores_less_what_they_share():
    rng = np.random.default_rng(0)
    L = rng.normal(size=(4, 6))
    board = Leaderboard(tuple("abcd"), rng.normal(size=4), L @ L.T, np.full((4, 4), np.inf), "a score")
    draws = L @ rng.standard_normal((6, 200_000))
    spread = (draws[:, None] - draws[None, :]).var(axis=2)
    np.testing.assert_allclose(board.variance_of_differences, spread, rtol=0.02, atol=1e-9)
    np.testing.assert_allclose(board.differences, [[x - y for y in board.score] for x in board.score])


def test_the_ends_of_a_difference_and_of_its_reverse_are_each_others_negatives():
    """Toward zero with the error of equal agents, away from it with that of the scores."""
    score, t = np.array([0.8, 0.55, 0.3, 0.3]), 2.0
    board = Leaderboard(
        tuple("abcd"), score, np.diag([0.001, 0.002, 0.003, 0.004]), np.full((4, 4), np.inf), "mean", battles=np.full(4, 50.0)
    )  # fmt: skip
    low, high = board.difference_ends(np.full((4, 4), t))
    np.testing.assert_allclose(low, -high.T)
    d, equal = score[0] - score[2], board.variance_if_equal[0, 2]
    pooled = (0.8 + 0.3) / 2
    assert equal > 0.004
    assert equal == pytest.approx(0.004 + (2 * pooled * (1 - pooled) - 0.8 * 0.2 - 0.3 * 0.7) / 50)
    assert (low[0, 2], high[0, 2]) == pytest.approx((d - t * np.sqrt(equal), d + t * np.sqrt(0.004)))
