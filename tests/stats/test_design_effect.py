"""The design effect of clusters: one for independent battles, by its definition, and what repeats make of it."""

import numpy as np
import pytest
from scipy import stats

from beatpath.stats.design_effect import FEW_CLUSTERS, Dependence, cells_by_code, dependence


def design_effect(cells, level, least):
    return dependence(cells).interval(level, least)


def test_battles_that_repeat_each_other_count_once():
    """Every cluster holds four battles of one pair that all end alike: the variance is four times that of one in four."""
    rng = np.random.default_rng(0)
    outcome = np.repeat((rng.random(400) < 0.5).astype(float), 4)
    zero, one, codes = np.zeros(1600, int), np.ones(1600, int), np.repeat(np.arange(400), 4)
    effect = design_effect(cells_by_code(zero, one, outcome, codes, 2), 0.95, 20)
    assert effect.estimate == pytest.approx(4, rel=0.02)
    assert effect.low > 1


def test_independent_battles_have_none():
    rng = np.random.default_rng(1)
    effects = [
        design_effect(
            cells_by_code(np.zeros(300, int), np.ones(300, int), (rng.random(300) < 0.6) * 1.0, np.arange(300) // 3, 2),
            0.95,
            20,
        )
        for _ in range(200)
    ]
    assert np.mean([one.estimate for one in effects]) == pytest.approx(1, abs=0.02)
    assert np.mean([one.low <= 1 <= one.high for one in effects]) > 0.9


def test_too_few_clusters_tell_nothing():
    cells = cells_by_code(np.zeros(8, int), np.ones(8, int), np.arange(8) % 2 * 1.0, np.arange(8) // 2, 2)
    assert design_effect(cells, 0.95, 20) is None


def test_a_ratio_of_equal_totals_is_known_exactly():
    interval = Dependence(2.0, 1.0, np.full(30, 2.0), np.full(30, 1.0), 30).interval(0.95, 20)
    assert (interval.low, interval.estimate, interval.high) == pytest.approx((2, 2, 2))


@pytest.mark.parametrize("clusters", [2, 3, FEW_CLUSTERS - 1, FEW_CLUSTERS])
def test_the_test_of_independence_has_the_moments_of_the_quadratic_form(clusters):
    """Mean and variance of the form are traces of the covariance of all residuals; from twenty clusters on these do not covary."""
    rng = np.random.default_rng(clusters)
    a, b = np.array([(a, b) for a in range(4) for b in range(4) if a != b])[rng.integers(0, 12, 60)].T
    a, b = np.append(a, 4), np.append(b, 5)  # a pair that met once has no variance
    s = rng.choice([0.0, 0.5, 1.0], 61)
    code = rng.permutation(np.arange(61) % clusters)
    pair, low = np.minimum(a, b) * 6 + np.maximum(a, b), np.where(a < b, s, 1 - s)
    residual, covariance = np.zeros(61), np.zeros((61, 61))
    for one in np.unique(pair):
        rows = np.flatnonzero(pair == one)
        residual[rows] = low[rows] - low[rows].mean()
        variance = low[rows].var(ddof=1) if len(rows) > 1 else 0.0
        covariance[np.ix_(rows, rows)] = variance * (np.eye(len(rows)) - 1 / len(rows))
    if clusters == FEW_CLUSTERS:
        covariance[code[:, None] != code] = 0.0
    sides = [(np.minimum(a, b) == x) * 1.0 - (np.maximum(a, b) == x) for x in range(6)]
    groups = np.array([side * (code == c) for side in sides for c in range(clusters)])
    form, among = ((groups @ residual) ** 2).sum(), groups @ covariance @ groups.T
    mean, spread = np.trace(among), 2 * (among**2).sum()
    test = dependence(cells_by_code(a, b, s, code, 6))
    assert test.effect == pytest.approx(form / mean)
    assert test.p_value == pytest.approx(stats.chi2.sf(2 * mean * form / spread, 2 * mean**2 / spread))
    by_cluster = ((groups @ residual) ** 2).reshape(6, -1).sum(axis=0), np.diag(among).reshape(6, -1).sum(axis=0)
    np.testing.assert_allclose([test.observed, test.expected], by_cluster, atol=1e-12)
    assert test.repeating == sum(np.bincount(np.append(a, b)[np.tile(code, 2) == c]).max() > 1 for c in range(clusters))


def test_the_interval_of_a_design_effect_is_the_jackknife_of_its_logarithm():
    rng = np.random.default_rng(2)
    observed, expected = rng.exponential(size=(2, 12))
    without = [np.log(np.delete(observed, k).sum() / np.delete(expected, k).sum()) for k in range(12)]
    error = np.sqrt(11 / 12 * ((np.array(without) - np.mean(without)) ** 2).sum())
    effect, df = observed.sum() / expected.sum(), expected.sum() ** 2 / (expected**2).sum() - 1
    interval = Dependence(effect, 0.5, observed, expected, 12).interval(0.9, 12)
    ends = np.exp(stats.t.interval(0.9, df, np.log(effect), error))
    assert (interval.estimate, interval.low, interval.high) == pytest.approx((effect, *ends))
    assert Dependence(effect, 0.5, observed, expected, 12).interval(0.9, 13) is None
    for sums in ((np.eye(12)[0], expected), (observed, np.eye(12)[0])):  # nothing is left without one of the clusters
        assert Dependence(effect, 0.5, *sums, 12).interval(0.9, 12) is None
    two = Dependence(2.0, 0.5, np.array([2.0, 1.0]), np.array([1e-6, 1.0]), 2).interval(0.9, 2)
    assert two.high / two.low == pytest.approx(
        np.exp(2 * stats.t.ppf(0.95, 1) * np.log(2e6) / 2)
    )  # one degree at least


def test_battles_without_a_cluster_are_clusters_of_their_own_and_none_repeats_an_agent():
    zero, one, s = np.zeros(9, int), np.ones(9, int), np.arange(9) % 2 * 1.0
    assert dependence(cells_by_code(zero, one, s, np.full(9, -1), 2)) is None
    assert dependence(cells_by_code(zero, one, np.ones(9), np.zeros(9, int), 2)) is None  # outcomes do not vary
    assert dependence(cells_by_code(zero, one, s, np.append([0, 0], np.full(7, -1)), 2)).repeating == 1
    assert cells_by_code(zero[:0], one[:0], s[:0], zero[:0], 2).n_clusters == 0
