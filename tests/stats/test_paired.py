"""Differences of two runs: against brute force, other libraries and simulated worlds, and consistent with themselves."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from beatpath import DataError
from beatpath.stats.paired import (
    EXACT,
    Further,
    _fisher,
    paired_means,
    paired_proportions,
    ratio_of_means,
    unchanged_means,
    unpaired_means,
    unpaired_proportions,
)

COUNT = st.integers(0, 40)


def test_mcnemar_is_the_sum_of_binomial_tails():
    tail = sum(stats.binom.pmf(k, 24, 0.5) for k in range(6))
    assert paired_proportions(81, 19, 5, 15).p_value == pytest.approx(2 * tail)


def test_newcombe_without_correlation_is_the_root_of_two_wilson_reaches():
    (low_a, high_a), (low_b, high_b) = (
        stats.binomtest(k, n).proportion_ci(method="wilson") for k, n in ((40, 50), (30, 60))
    )
    d = unpaired_proportions(40, 50, 30, 60)
    assert d.low == pytest.approx(0.3 - np.hypot(0.8 - low_a, high_b - 0.5))
    assert d.high == pytest.approx(0.3 + np.hypot(high_a - 0.8, 0.5 - low_b))


def test_newcombe_paired_has_the_correlation_of_the_two_outcomes():
    both, only_new, only_base, neither, n = 81, 19, 5, 15, 120
    phi = (both * neither - only_new * only_base - n / 2) / np.sqrt(100 * 20 * 86 * 34)
    (low_a, high_a), (low_b, high_b) = (stats.binomtest(k, n).proportion_ci(method="wilson") for k in (100, 86))
    below, above = (100 / n - low_a, high_b - 86 / n), (high_a - 100 / n, 86 / n - low_b)
    reach = [np.sqrt(x**2 - 2 * phi * x * y + y**2) for x, y in (below, above)]
    d = paired_proportions(both, only_new, only_base, neither)
    assert (d.low, d.high) == pytest.approx((14 / n - reach[0], 14 / n + reach[1]))


@given(COUNT, COUNT, COUNT, COUNT, st.sampled_from([0.9, 0.95, 0.99]))
def test_intervals_and_p_values_agree(a, b, c, d, level):
    results = [unpaired_proportions(a, a + b + 1, c, c + d + 1, level)]
    if a + b + c + d:
        results.append(paired_proportions(a, b, c, d, level))
    for one in results:
        assert (one.p_value < 1 - level) == (not one.low <= 0 <= one.high)
        assert one.low <= one.estimate <= one.high


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=EXACT))
def test_sign_flips_are_enumerated_and_their_interval_agrees(d):
    d = np.array(d, dtype=float)
    flips = [abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in product((1, -1), repeat=len(d))]
    result = paired_means(d)
    assert result.p_value == pytest.approx(np.mean(np.array(flips) >= abs(d.sum()) - 1e-9))
    assert (result.p_value < 0.05) == (not result.low <= 1e-6 or not result.high >= -1e-6)


@pytest.mark.parametrize(("n", "level"), [(1, 0.95), (8, 0.9), (60, 0.95), (2000, 0.99)])
def test_items_that_do_not_change_bound_the_share_that_does_exactly(n, level):
    limit = stats.binomtest(0, n, alternative="less").proportion_ci(level, method="exact").high
    result = unchanged_means(n, 10.0, level)
    assert (result.low, result.high) == pytest.approx((-10 * limit, 10 * limit))
    assert (result.estimate, result.p_value) == (0.0, 1.0)


def test_many_differences_are_student_and_welch():
    rng = np.random.default_rng(0)
    x, y = (np.concatenate([half, 0.6 - half]) for half in (rng.normal(size=20), rng.normal(size=25)))  # no skewness
    student, welch = stats.ttest_1samp(y, 0), stats.ttest_ind(y, x, equal_var=False)
    paired, unpaired = paired_means(y), unpaired_means(y, x)
    assert paired.p_value == pytest.approx(student.pvalue)
    assert (paired.low, paired.high) == pytest.approx(student.confidence_interval())
    assert unpaired.p_value == pytest.approx(welch.pvalue)
    assert (unpaired.low, unpaired.high) == pytest.approx(welch.confidence_interval())


@pytest.mark.parametrize("items", [40, 100])
def test_intervals_cover_where_few_items_change_by_much(items):
    rng, low, high = np.random.default_rng(items), [], []
    for _ in range(1_000):
        d = np.where(rng.random(items) < 0.2, rng.exponential(size=items), 0.0)
        result = paired_means(d)
        low.append(result.low)
        high.append(result.high)
        assert (result.p_value < 0.05) == (not result.low <= 0 <= result.high)
    held = np.mean((np.array(low) <= 0.2) & (0.2 <= np.array(high)))
    assert held > 0.93  # Student's intervals: 0.86 and 0.90


def test_a_long_tail_beyond_zero_makes_a_difference_less_certain():
    d = np.concatenate([np.full(60, -0.1), np.full(2, 2.0)])  # more items like the last two would turn the mean round
    turned, skewed, student = paired_means(-d), paired_means(d), stats.ttest_1samp(d, 0)
    assert skewed.low == pytest.approx(student.confidence_interval().low)
    assert skewed.high > student.confidence_interval().high
    assert (turned.low, turned.high) == pytest.approx((-skewed.high, -skewed.low))
    assert skewed.p_value > student.pvalue


def test_clusters_are_left_out_one_at_a_time():
    rng = np.random.default_rng(1)
    d, cluster = rng.normal(size=60), rng.integers(0, 9, 60)
    without = [d[cluster != g].mean() for g in range(9)]
    error = np.sqrt(8 / 9 * np.sum((np.array(without) - np.mean(without)) ** 2))
    result = paired_means(d, cluster=cluster)
    assert result.stderr == pytest.approx(error)
    assert result.high - result.estimate == pytest.approx(stats.t.ppf(0.975, 8) * error)


@pytest.mark.parametrize("n", [15, 60, 250])
def test_intervals_of_paired_proportions_cover(n):
    rng, held, runs = np.random.default_rng(n), 0, 400
    for _ in range(runs):
        ease = rng.normal(size=n)
        base, new = (rng.random(n) < 1 / (1 + np.exp(-ease - shift)) for shift in (0.5, 1.2))
        d = paired_proportions(
            int((base & new).sum()), int((new & ~base).sum()), int((base & ~new).sum()), int((~base & ~new).sum())
        )
        grid = stats.norm.ppf((np.arange(400) + 0.5) / 400)
        true = np.mean(1 / (1 + np.exp(-grid - 1.2)) - 1 / (1 + np.exp(-grid - 0.5)))
        held += d.low <= true <= d.high
    assert held / runs > 0.925  # 0.95 less two and a half standard errors of 400 runs


def test_one_item_or_one_cluster_has_no_standard_error():
    with pytest.raises(DataError, match="two clusters"):
        paired_means(np.ones(30), cluster=np.zeros(30, dtype=int))
    with pytest.raises(DataError, match="two items each"):
        unpaired_means(np.ones(1), np.ones(5))
    assert np.isinf(paired_means(np.array([1.0, 2.0])).high)


@given(COUNT, COUNT, COUNT, COUNT)
def test_fisher_is_the_exact_test_of_scipy(a, b, c, d):
    result = unpaired_proportions(a, a + b + 1, c, c + d + 1, 0.5)
    exact = stats.fisher_exact([[a, b + 1], [c, d + 1]]).pvalue
    assert result.test == "Newcombe score" or result.p_value == pytest.approx(exact)


@pytest.mark.parametrize("n", range(3, 40, 4))
def test_fisher_counts_tables_that_are_exactly_as_probable_in_whole_numbers(n):
    for total in range(2 * n + 1):
        ways = {k: comb(n, k) * comb(n, total - k) for k in range(max(0, total - n), min(n, total) + 1)}
        for k, here in ways.items():
            exact = sum(x for x in ways.values() if x <= here) / sum(ways.values())
            assert _fisher(k, n, total - k, n) == pytest.approx(exact, rel=1e-9)


def test_a_ratio_of_costs_depends_on_no_currency():
    new, base = np.random.default_rng(0).uniform(0.1, 1.0, (2, 12))
    plain, small = ratio_of_means(new, base), ratio_of_means(1e-6 * new, 1e-6 * base)
    assert (small.estimate, small.low, small.high) == pytest.approx((plain.estimate, plain.low, plain.high))


@pytest.mark.parametrize(
    "wrong", [np.zeros(12), -np.ones(12), 1 - 1.5 * np.eye(12)[0], np.eye(12)[0], np.eye(12)[3] * 1e300 + 1e-10]
)
def test_costs_must_be_above_zero_in_two_items(wrong):
    for one, other in ((wrong, np.ones(12)), (np.ones(12), wrong)):
        with pytest.raises(DataError, match="above zero in two items"):
            ratio_of_means(one, other)
    clusters = np.repeat([0, 1], 6)
    with pytest.raises(DataError, match="clusters"):
        ratio_of_means(np.ones(12), (clusters == 0).astype(float), cluster=clusters)


# From statsmodels 0.15.0 with SciPy 1.17.1: mcnemar(exact=True), confint_proportions_2indep(method="newcomb", compare="diff"),
# ttost_paired, and OLS(d, ones).fit(cov_type="cluster", use_t=True) of clusters of equal size, where it is the jackknife.
STATSMODELS = {
    "mcnemar": (0.006610751152038574, 1.0),
    "newcomb": ((0.12100397729466394, 0.45069888657234525), (-0.7007667901955255, -0.0357056674427616)),
    "tost": {1.0: 0.056159285910676496, 1.2: 0.008552345921267815, 1.5: 0.0002547013556500781},
    "cluster": (0.6434400916287016, 0.001312059742009321, 1.33379791, 4.16620209),
}


def test_proportions_are_those_of_statsmodels():
    p_values = [paired_proportions(*counts).p_value for counts in ((81, 19, 5, 15), (40, 4, 3, 13))]
    assert p_values == pytest.approx(STATSMODELS["mcnemar"])
    first, second = STATSMODELS["newcomb"]
    clear, open_ = unpaired_proportions(40, 50, 30, 60), unpaired_proportions(3, 10, 9, 12)
    assert (clear.low, clear.high) == pytest.approx(first)
    assert (open_.low, open_.high) == pytest.approx((second[0], 0.0))  # Fisher's exact test does not reject: up to zero


@pytest.mark.parametrize("margin", STATSMODELS["tost"])
def test_two_one_sided_tests_are_those_of_statsmodels(margin):
    """The p-value is below the error exactly where the interval of level 1 - 2 * error lies within the margin."""
    d = np.arange(40) % 5 - 1.0 - np.arange(40) * 7 % 4 / 4
    p = STATSMODELS["tost"][margin]
    for error, holds in ((p * (1 - 1e-9), False), (p * (1 + 1e-9), True)):
        interval = paired_means(d, 1 - 2 * error)
        assert (-margin < interval.low and interval.high < margin) == holds


def test_clusters_of_equal_size_are_those_of_statsmodels():
    d = np.arange(60) * 11 % 13 - 5.0 + np.repeat(np.arange(12) % 5, 5)
    result = paired_means(d, cluster=np.repeat(np.arange(12), 5))
    ours = result.stderr, result.p_value, result.low, result.high
    assert ours == pytest.approx(STATSMODELS["cluster"])


def test_exact_sign_flips_are_the_permutation_test_of_scipy():
    for seed in range(5):
        x, y = np.random.default_rng(seed).normal([[0.0], [0.7]], size=(2, 9))
        exact = stats.permutation_test(
            (y, x), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
        )
        assert paired_means(y - x).p_value == pytest.approx(exact.pvalue)


@pytest.mark.parametrize("n", [1, 5, 6, 9])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_sign_flips_say_the_same_in_every_unit(n, scale):
    """Below six differences no shift is ever rejected at 95 %, in whatever unit they are; one has no standard error."""
    d = np.random.default_rng(n).normal(1, 2, n)
    plain, scaled = paired_means(d), paired_means(scale * d)
    assert np.isinf([plain.low, plain.high]).all() == (n < 6)
    for part in ("estimate", "low", "high", "stderr"):
        assert getattr(scaled, part) == pytest.approx(scale * getattr(plain, part), rel=1e-6)
    assert scaled.p_value == plain.p_value
    assert plain.stderr == (pytest.approx(stats.sem(d)) if n > 1 else np.inf)


@pytest.mark.parametrize("counts", [(81, 19, 5, 15), (3, 0, 4, 9), (0, 6, 6, 0)])
def test_the_error_of_paired_proportions_is_that_of_the_mean_difference(counts):
    d = np.repeat([0, 1, -1, 0], counts)
    assert paired_proportions(*counts).stderr == pytest.approx(d.std() / np.sqrt(len(d)))


@given(COUNT, COUNT, COUNT, COUNT)
@example(0, 1, 0, 0)
@example(0, 0, 0, 0)
def test_every_part_of_a_paired_comparison_follows_its_definition(both, only_new, only_base, neither):
    """Newcombe's method 10 and McNemar's binomial tails, whichever of them decides, down to a single item and empty margins."""
    n = both + only_new + only_base + neither
    if not n:
        with pytest.raises(DataError, match="share none"):
            paired_proportions(0, 0, 0, 0)
        return
    new, base, product = both + only_new, both + only_base, both * neither - only_new * only_base
    product = max(product - n / 2, 0) if product > 0 else product  # his correction of a positive correlation
    margins = new * (n - new) * base * (n - base)
    phi = product / np.sqrt(float(margins)) if margins else 0.0
    (low_a, high_a), (low_b, high_b) = (stats.binomtest(k, n).proportion_ci(method="wilson") for k in (new, base))
    change = (new - base) / n
    reach = [
        np.sqrt(max(x**2 - 2 * phi * x * y + y**2, 0))
        for x, y in ((new / n - low_a, high_b - base / n), (high_a - new / n, base / n - low_b))
    ]
    exact = stats.binomtest(only_new, only_new + only_base).pvalue if only_new + only_base else 1.0
    d = paired_proportions(both, only_new, only_base, neither)
    low, high = change - reach[0], change + reach[1]
    if exact >= 0.05:
        low, high = min(low, 0.0), max(high, 0.0)
    assert (d.estimate, d.low, d.high) == pytest.approx((change, low, high), abs=1e-7)
    assert d.test == ("Newcombe score" if exact < 0.05 and low <= 0 <= high else "exact McNemar")
    if d.test == "exact McNemar":
        assert d.p_value == pytest.approx(exact)
    else:  # the level at which the interval ends at zero
        at = paired_proportions(both, only_new, only_base, neither, 1 - d.p_value)
        assert d.p_value >= 0.05
        assert d.p_value == pytest.approx(0.05) or min(abs(at.low), abs(at.high)) < 1e-6


def jackknife_of(estimate, n):
    """The influence of every unit by leaving it out."""
    left = np.array([estimate(np.arange(n) != k) for k in range(n)])
    return (left.mean() - left) * np.sqrt((n - 1) / n)


def ends_of(estimate, influence, df, level, further=0.0):
    """The values that are a quantile of Student's away by the error if they are true, and no less than Student's interval."""
    variance, t = (influence**2).sum() + further, stats.t.ppf((1 + level) / 2, df)
    slope = 1.5 * (influence**3).sum() / variance if len(influence) > 12 else 0.0
    roots, reach = np.roots([1, -(t**2) * slope, -(t**2) * variance]), t * np.sqrt(variance)
    return estimate + min(roots.min(), -reach), estimate + max(roots.max(), reach)


@pytest.mark.parametrize("n", [12, 13, 40])
@pytest.mark.parametrize("turned", [1, -1])
def test_means_of_skewed_differences_have_the_ends_that_their_error_there_gives(n, turned):
    """Paired, in clusters, unpaired and as a ratio; the p-value is the error of the interval that ends at zero."""
    rng = np.random.default_rng(n)
    d, other = turned * (rng.exponential(size=n) - 0.4), turned * rng.exponential(size=n)
    cluster, twice = np.repeat(np.arange(3, n + 3), 2), np.repeat(d, 2) + np.tile([0.1, -0.1], n)  # three are empty
    new, base, fewer = np.exp(d), np.exp(other), other[3:]

    def log_ratio(rows):
        return np.log(new[rows].sum() / base[rows].sum())

    own, ratio = jackknife_of(lambda rows: d[rows].mean(), n), jackknife_of(log_ratio, n)
    both = np.append(own, -jackknife_of(lambda rows: fewer[rows].mean(), n - 3))
    shown, v, w = (own**2).sum(), (own**2).sum(), (both[n:] ** 2).sum()
    welch, mixed = (
        (v + w) ** 2 / (v**2 / (n - 1) + w**2 / (n - 4)),
        (shown + 0.01) ** 2 / (shown**2 / (n - 1) + 1e-4 / 3),
    )
    apart, log = d.mean() - fewer.mean(), log_ratio(slice(None))
    cases = [
        (lambda level: paired_means(twice, level, cluster), d.mean(), own, n - 1, 0.0),
        (lambda level: paired_means(d, level, further=Further(0.01, 3.0)), d.mean(), own, mixed, 0.01),
        (lambda level: unpaired_means(d, fewer, level), apart, both, welch, 0.0),
        (lambda level: ratio_of_means(new, base, level), log, ratio, n - 1, 0.0),
        (lambda level: ratio_of_means(*np.repeat([new, base], 2, axis=1), level, cluster - 3), log, ratio, n - 1, 0.0),
    ]
    for compare, estimate, influence, df, further in cases:
        result = compare(0.9)
        assert (result.low, result.high) == pytest.approx(ends_of(estimate, influence, df, 0.9, further))
        assert result.estimate == pytest.approx(estimate)
        assert result.stderr == pytest.approx(np.sqrt((influence**2).sum() + further))
        at = compare(1 - result.p_value)
        assert min(abs(at.low), abs(at.high)) < 1e-6


def test_two_items_or_clusters_are_the_fewest_that_have_an_error():
    two, cluster = np.array([1.0, 2.0]), np.array([0, 0, 1, 1])
    assert paired_means(np.array([0.0, 0.0, 1.0, 1.0]), cluster=cluster).stderr == pytest.approx(0.5)
    assert [paired_means(np.arange(n) / 7).test for n in (12, 13)] == ["exact sign flips", "paired t"]
    assert unpaired_means(two, two + 1).stderr == pytest.approx(np.sqrt(0.5))
    assert ratio_of_means(two, two).p_value == 1
    assert ratio_of_means(np.array([0.0, 1.0, 1.0]), np.ones(3)).estimate == pytest.approx(np.log(2 / 3))
    same = unpaired_means(np.ones(3), np.ones(3)), unpaired_means(np.ones(3), np.zeros(3))
    assert [(one.estimate, one.low, one.high, one.p_value) for one in same] == [(0, 0, 0, 1), (1, 1, 1, 0)]
    with pytest.raises(DataError, match="zero or more"):
        ratio_of_means(np.ones(1), np.ones(1))
