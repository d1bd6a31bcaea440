"""Intervals of scores: by themselves as Student has them, and all at once as often as they say."""

import numpy as np
import pytest
from scipy import stats

from beatpath.inference.options import RankOptions
from beatpath.inference.ranks.critical import Critical
from beatpath.inference.ranks.rank_sets import of_all_scores, rank_sets, score_intervals
from helpers.plain_boards import board_of


def test_independent_scores_need_the_quantile_of_the_largest_of_so_many():
    board = board_of(np.zeros(4), np.diag([1.0, 4, 9, 16]))
    assert of_all_scores(board, RankOptions()).value == pytest.approx(stats.norm.ppf((1 + 0.95**0.25) / 2), rel=0.02)


def test_an_interval_is_students_and_stays_within_what_a_score_can_be():
    low, high = score_intervals(board_of([0.0, 5.0], np.diag([1.0, 4.0]), 4.0), Critical(stats.norm.ppf(0.975)))
    np.testing.assert_allclose(high - [0.0, 5.0], stats.t.ppf(0.975, 4) * np.array([1.0, 2.0]))
    np.testing.assert_allclose(low + high, [0.0, 10.0], atol=1e-12)


def test_simultaneous_intervals_are_computed_once_and_on_request():
    ranks = rank_sets(board_of(np.arange(4.0), np.eye(4)))
    assert "joint" not in vars(ranks)
    assert ranks.joint_low is ranks.joint_low
    assert (ranks.joint_low < ranks.low).all()
