"""Intervals of scores: by themselves as Student has them, and all at once as often as they say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from beatpath.inference.options import RankOptions
from beatpath.inference.ranks.critical import Critical
from beatpath.inference.ranks.rank_sets import of_all_scores, rank_sets, score_intervals
from beatpath.stats.skewed_means import Asymmetry
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


def test_intervals_of_win_rates_solve_wilsons_equation_without_the_half_battles():
    """As if of so many battles as the variance says; up to 0 or 1 where Student's interval reaches it."""
    rate, variance = np.array([0.6, 0.95, 0.3, 0.01, 0.7]), np.array([0.002, 0.003, 0.01, 0.001, 0.0])
    board = replace(board_of(rate, np.diag(variance), 12.0), bounds=(0.0, 1.0))
    t = stats.t.ppf(0.975, 12)
    for p, v, low, high in zip(rate, variance, *score_intervals(board, Critical(stats.norm.ppf(0.975))), strict=True):
        if not v:
            assert np.isnan([low, high]).all()
            continue
        battle, reach = v / (p * (1 - p)), t * np.sqrt(v)
        won = min(max(p + (p - 0.5) * battle, 0.0), 1.0)
        ends = sorted(np.roots([1 + t**2 * battle, -2 * won - t**2 * battle, won**2]).real)
        assert low == pytest.approx(ends[0] if p > reach else 0.0, abs=1e-12)
        assert high == pytest.approx(ends[1] if p + reach < 1 else 1.0)


@pytest.mark.parametrize("multiplicity", ["bonferroni", "step-down"])
def test_only_scores_with_an_error_share_the_error_of_all(multiplicity):
    board = board_of([0.2, np.nan, 0.4, 0.9], np.diag([1.0, 1.0, 0.0, 4.0]), 5.0)
    value = of_all_scores(board, RankOptions(multiplicity=multiplicity)).value
    assert value == pytest.approx(stats.norm.isf(0.05 / 4))  # five degrees of freedom: tails are not correlated
    loose = of_all_scores(replace(board, df=np.full((4, 4), 40.0)), RankOptions(multiplicity=multiplicity)).value
    root = stats.norm.ppf((1 + 0.95**0.5) / 2)
    assert loose == pytest.approx(value if multiplicity == "bonferroni" else root + (value - root) / 4, abs=0.01)
    nobody = board_of([np.nan, 0.4], np.diag([1.0, 0.0]))
    assert of_all_scores(nobody, RankOptions(multiplicity=multiplicity)).value == pytest.approx(stats.norm.isf(0.05))


def test_shares_have_the_variance_that_their_curvature_says_and_skewed_means_that_of_the_data():
    """Whoever solved all of twenty tasks has an interval; a difference is wider toward the long tail."""
    score, n = np.array([1.0, 0.9, 0.0, 3.0]), 20
    curvature, slope = np.array([1 / n, 1 / n, 1 / n, 0.0]), np.append((1 - 2 * score[:3]) / n, 0.2)
    board = board_of(score, np.diag([0.0, 0.0045, 0.0, 0.09]), 8.0)
    between = np.full((4, 4), 0.1) - 0.2 * np.tri(4, k=-1) - 0.1 * np.eye(4)
    board, t = replace(board, asymmetry=Asymmetry(slope, curvature, between)), stats.t.ppf(0.975, 8)
    low, high = score_intervals(board, Critical(stats.norm.ppf(0.975)))
    for k in range(3):
        wilson = [-2 * score[k] - t**2 / n, score[k] ** 2]
        assert (low[k], high[k]) == pytest.approx(tuple(np.sort(np.roots([1 + t**2 / n, *wilson]))), abs=1e-12)
    far = np.roots(
        [1, -(t**2) * 0.2, -(t**2) * 0.09]
    ).max()  # how far the true score may be above, with its variance there
    assert (low[3], high[3]) == pytest.approx((3.0 - t * 0.3, 3.0 + far))
    ends, variance = board.difference_ends(np.full((4, 4), t)), board.variance_of_differences
    for i, j in ((3, 1), (1, 3), (1, 2)):
        gap, s = score[i] - score[j], np.sqrt(variance[i, j])
        roots = np.roots([1, -(t**2) * between[i, j], -(t**2) * s**2])
        expected = gap + min(roots.min(), -t * s), gap + max(roots.max(), t * s)
        assert (ends[0][i, j], ends[1][i, j]) == pytest.approx(expected)
        equal = variance[i, j] + max(-between[i, j] * gap, 0.0)
        assert board.variance_if_equal[i, j] == pytest.approx(equal)
