"""Intervals of shares and by the jackknife, and the effective number."""

import numpy as np
import pytest
from scipy import stats

from beatpath.stats.intervals import Interval, effective_number, jackknife, jackknife_error, t_quantile, wilson


def test_wilson_agrees_with_a_published_value():
    # Newcombe (1998), Table I, method 3: 81 of 263 gives 0.2553 to 0.3662, 15 of 148 gives 0.0624 to 0.1605
    for won, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)):
        interval = wilson(won / n, n)
        assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_wilsons_bounds_solve_his_equation():
    share, n, z = 0.3, 40, stats.norm.ppf(0.95)
    interval = wilson(share, n, level=0.9)
    for p in (interval.low, interval.high):
        assert (share - p) ** 2 == pytest.approx(z**2 * p * (1 - p) / n)


@pytest.mark.parametrize("df", [1, 4.5, 30])
def test_quantiles_are_those_of_student(df):
    assert t_quantile(0.9, df) == pytest.approx(stats.t.ppf(0.95, df))
    assert t_quantile(0.9) == pytest.approx(stats.norm.ppf(0.95))


def test_the_jackknife_of_a_mean_is_its_usual_standard_error():
    x = np.random.default_rng(0).normal(size=25)
    left_out = (x.sum() - x) / (len(x) - 1)
    error = x.std(ddof=1) / np.sqrt(len(x))
    assert jackknife_error(left_out) == pytest.approx(error)
    interval = jackknife(x.mean(), left_out, np.ones(len(x)), 0.95)
    low, high = stats.t.interval(0.95, len(x) - 1, x.mean(), error)
    assert (interval.low, interval.high) == (pytest.approx(low), pytest.approx(high))


def test_equal_sizes_are_worth_their_number_and_one_large_one_is_worth_one():
    assert effective_number(np.full(7, 3)) == pytest.approx(7)
    assert effective_number(np.array([10**9, 1, 1])) == pytest.approx(1)
    assert effective_number(np.zeros(3)) == 0


def test_an_interval_is_cut_to_what_is_possible():
    assert Interval(0.1, -0.2, 1.3).clipped(0, 1) == Interval(0.1, 0, 1)
