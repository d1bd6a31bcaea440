"""Errors of medians of task means: the textbook's where it has one, and simulations whose truth is known."""

import numpy as np
import pytest
from scipy.stats import binom
from scipy.stats import t as student

from beatpath.inference.runs.aggregates import median_errors, weighted_median
from beatpath.inference.runs.run_board import run_board
from beatpath.inference.runs.runs import runs_of
from helpers.run_tables import scores_of


def test_the_median_of_one_task_is_its_mean_and_has_students_error():
    x = np.random.default_rng(0).normal(size=(2, 1, 6))
    variance, df = median_errors(runs_of(scores_of(x)), 40_000, 0)
    assert variance == pytest.approx(x.var(axis=2, ddof=1)[:, 0] / 6, rel=0.03)
    assert df == pytest.approx([5.0, 5.0])


def test_tasks_far_apart_leave_the_error_of_the_middle_task_alone():
    x = np.array([-1e6, 0.0, 1e6])[None, :, None] + np.random.default_rng(1).normal(size=(1, 3, 8))
    own = x.var(axis=2, ddof=1)[0] / 8
    variance, df = median_errors(runs_of(scores_of(x)), 40_000, 0)
    assert variance[0] == pytest.approx((own[1] + own.mean()) / 2, rel=0.03)
    assert df[0] == pytest.approx(7.0, rel=0.01)


def test_equal_tasks_have_the_error_of_the_median_of_as_many_draws():
    x = np.random.default_rng(2).normal(size=(1, 25, 40))
    x += 3.0 - x.mean(axis=2, keepdims=True)
    pooled = float((x.var(axis=2, ddof=1) / 40).mean())
    exact = np.median(np.random.default_rng(3).normal(size=(40_000, 25)), axis=1).var() * pooled
    assert median_errors(runs_of(scores_of(x)), 20_000, 0)[0][0] == pytest.approx(exact, rel=0.06)


def test_an_affine_change_of_the_scale_changes_the_error_with_it():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(2, 7, 3)) + 2 * rng.normal(size=(2, 7, 1))  # tasks differ by more than their errors
    one, other = (median_errors(runs_of(scores_of(table)), 500, 0) for table in (x, 100.0 + 8.0 * x))
    assert other[0] == pytest.approx(64.0 * one[0])
    assert other[1] == pytest.approx(one[1])


def test_the_median_by_weights_is_the_one_of_values_repeated():
    rng = np.random.default_rng(5)
    for _ in range(50):
        value, times = rng.integers(0, 6, 7).astype(float), rng.integers(1, 4, 7)
        median = weighted_median(value[None], (times / times.sum())[None])
        assert median[0] == np.median(np.repeat(value, times))


@pytest.mark.parametrize(("tasks", "runs"), [(5, 3), (11, 2), (30, 4)])
def test_intervals_on_these_tasks_hold_the_median_of_true_means(tasks, runs):
    rng, held, tables = np.random.default_rng([6, tasks]), 0, 150
    for _ in range(tables):
        means = rng.gamma(2.0, 1.0, (1, tasks))
        board = run_board(
            scores_of(means[..., None] + rng.normal(size=(1, tasks, runs))), "median", cluster="replicate", draws=300
        )
        half = student.ppf(0.975, board.df[0, 0]) * np.sqrt(board.covariance[0, 0])
        held += abs(board.score[0] - np.median(means)) <= half
    assert binom.cdf(held, tables, 0.95) > 1e-3
