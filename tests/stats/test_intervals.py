"""Intervals of shares and by the jackknife, and the effective number."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from beatpath.stats.intervals import (
    Interval,
    effective_number,
    holm,
    jackknife,
    jackknife_error,
    left_out_totals,
    t_quantile,
    wilson,
)


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
    assert effective_number(np.full(7, 1e-3)) == pytest.approx(7)


def test_an_interval_is_cut_to_what_is_possible():
    assert Interval(0.1, -0.2, 1.3).clipped(0, 1) == Interval(0.1, 0, 1)
    for n in range(1, 300):  # whatever the rounding
        assert wilson(0.0, n).low >= 0
        assert wilson(1.0, n).high <= 1


def test_intervals_have_two_digits_and_no_minus_zero():
    assert str(Interval(-0.001, -0.126, 0.5)) == "0.00 (-0.13 to 0.50)"
    assert Interval(0.25, 0.2, 0.3123).in_percent == "25.0 % (20.0 to 31.2)"


@pytest.mark.parametrize("p", [[0.01, 0.04, 0.03], [0.5, 0.001, 0.9, 0.5], [0.02], [0.3, 0.3, 0.0, 1.0, 0.011]])
def test_holm_rejects_what_bonferroni_rejects_in_every_set_that_contains_it(p):
    """Closed testing: the adjusted p-value of one is the largest of Bonferroni over all sets of hypotheses with it."""
    sets = [rows for size in range(1, len(p) + 1) for rows in combinations(range(len(p)), size)]
    closed = [max(min(1.0, len(s) * min(p[i] for i in s)) for s in sets if k in s) for k in range(len(p))]
    assert holm(np.array(p)) == pytest.approx(closed)


@pytest.mark.parametrize("sizes", [[5, 5, 5, 5], [1000, 1, 1], [30, 20, 1, 1, 1]])
def test_the_jackknifes_interval_is_students_with_the_effective_number_of_clusters(sizes):
    """One large cluster among small ones counts as one, and leaves one degree of freedom, not less."""
    left_out, sizes = np.linspace(0.1, 0.4, len(sizes)), np.array(sizes)
    df = max(sizes.sum() ** 2 / (sizes**2).sum() - 1, 1.0)
    error = np.sqrt((len(sizes) - 1) ** 2 / len(sizes) * left_out.var(ddof=1))
    found = jackknife(0.25, left_out, sizes, 0.9)
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.9, df, 0.25, error))


@pytest.mark.parametrize("seed", range(4))
def test_totals_without_a_cluster_are_those_of_the_other_battles(seed):
    """By brute force, over sums by pair and cluster; the last pair, and the last cluster, have one."""
    rng = np.random.default_rng(seed)
    cells = np.append(rng.choice(20, 12, replace=False), 24)  # four pairs in five clusters
    cluster, pair = np.divmod(cells, 4)
    pair[-1], cluster[-1] = 4, 5
    sums = rng.normal(size=(13, 2))

    def terms(x):
        return np.stack([x[:, 0] ** 2, x.prod(axis=1)], axis=1)

    def total(rows):
        return sum(terms(sums[rows & (pair == p)].sum(axis=0)[None])[0] for p in range(5))

    whole, without = left_out_totals(sums, pair, cluster, terms)
    np.testing.assert_allclose(whole, total(np.ones(13, dtype=bool)))
    np.testing.assert_allclose(without, [total(cluster != c) for c in range(6)])
