r"""Differences of two means or proportions: exact tests, score intervals, and p-values that agree with the intervals.

Every function returns a `Difference`, whose interval excludes zero exactly where its p-value is below one minus its level. Where an exact
test and a score interval disagree, the more cautious of the two decides, and the other is adjusted to it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import lgamma, log
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError
from beatpath._result import Record
from beatpath.stats.intervals import wilson_ends
from beatpath.stats.skewed_means import Asymmetry, score_ends, skewness_slope
from beatpath.stats.smallest import bisected

# differences up to which all assignments of signs are enumerated, 4,096 of them, and whose skewness is mostly chance
EXACT = 12
STEPS = 60  # halvings of an interval in a search for its end: to the last digits of a float
ROUNDING = 1e-12  # of the size of its terms, below which a difference is zero


class Further(NamedTuple):
    """Variance of a difference that its items do not show, and its degrees of freedom."""

    variance: float
    df: float


NO_MORE = Further(0.0, np.inf)


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """An estimated difference with its confidence interval and p-value.

    Attributes
    ----------
    estimate, low, high : float
        The difference and its confidence interval.
    stderr : float
        Its standard error.
    p_value : float
        Two-sided, of no difference; below ``1 - level`` exactly where the interval excludes zero.
    test : str
        The test behind the p-value.
    level : float
        Confidence of the interval.
    """

    estimate: float
    low: float
    high: float
    stderr: float
    p_value: float
    test: str
    level: float


def paired_proportions(both: int, only_new: int, only_base: int, neither: int, level: float = 0.95) -> Difference:
    r"""Compare two proportions on the same items: exact McNemar test and Newcombe's interval.

    The test is binomial in the discordant items [1]_; the interval combines two Wilson intervals with the correlation of the two
    outcomes, Newcombe's method 10 [2]_.

    >>> d = paired_proportions(81, 19, 5, 15)
    >>> round(100 * d.estimate, 1), round(100 * d.low, 1), round(100 * d.high, 1), round(d.p_value, 3)
    (11.7, 3.7, 19.6, 0.007)

    References
    ----------
    .. [1] Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
           *Psychometrika* 12 (1947), 153-157.
    .. [2] R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired data",
           *Statistics in Medicine* 17 (1998), 2635-2650.
    """
    n, discordant = both + only_new + only_base + neither, only_new + only_base
    if n < 1:
        raise DataError("two runs must share at least one item to be compared in pairs; they share none.")
    new, base = (both + only_new) / n, (both + only_base) / n
    product = float(both * neither - only_new * only_base)
    product = max(product - n / 2, 0.0) if product > 0 else product
    size = np.sqrt(float(both + only_new) * (only_base + neither) * (both + only_base) * (only_new + neither))
    phi = product / size if size > 0 else 0.0

    def interval(z: float) -> tuple[float, float]:
        return _newcombe(new, base, n, n, phi, z)

    p = min(1.0, 2 * _half_binomial(min(only_new, only_base), discordant)) if discordant else 1.0
    spread = np.sqrt(max(discordant - (only_new - only_base) ** 2 / n, 0.0)) / n
    return _consistent(new - base, float(spread), p, "exact McNemar", level, interval)


def _half_binomial(k: int, n: int) -> float:
    """The chance of *k* heads or fewer in *n* tosses; scipy, which takes longer to load than all else here, is not needed for it.

    >>> round(_half_binomial(1, 3), 12)
    0.5
    """
    logs = [lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) for i in range(k + 1)]
    return float(np.exp(np.array(logs) - n * log(2)).sum())


def unpaired_proportions(new: int, n_new: int, base: int, n_base: int, level: float = 0.95) -> Difference:
    """Compare two proportions on different items: Fisher's exact test and Newcombe's interval.

    >>> d = unpaired_proportions(40, 50, 30, 50)
    >>> round(d.estimate, 2), round(d.low, 3), round(d.p_value, 3)
    (0.2, 0.02, 0.049)
    """
    a, b = new / n_new, base / n_base
    p = _fisher(new, n_new, base, n_base)
    spread = np.sqrt(a * (1 - a) / n_new + b * (1 - b) / n_base)
    return _consistent(
        a - b, float(spread), p, "Fisher's exact", level, lambda z: _newcombe(a, b, n_new, n_base, 0.0, z)
    )


def _fisher(new: int, n_new: int, base: int, n_base: int) -> float:
    """Fisher's exact test, two-sided: tables of the same margins that are no more probable than this one."""
    from scipy.special import gammaln

    total = new + base
    k = np.arange(max(0, total - n_base), min(total, n_new) + 1)
    log = -gammaln(k + 1) - gammaln(n_new - k + 1) - gammaln(total - k + 1) - gammaln(n_base - total + k + 1)
    weight = np.exp(log - log.max())
    here = weight[new - k[0]]
    return float(weight[weight <= here * (1 + 1e-7)].sum() / weight.sum())


def _newcombe(new: float, base: float, n_new: int, n_base: int, phi: float, z: float) -> tuple[float, float]:
    """Newcombe's interval of a difference from the Wilson intervals of both proportions."""
    (low_new, low_base), (high_new, high_base) = wilson_ends(np.array([new, base]), np.array([n_new, n_base]), z)
    below, above = (new - low_new, high_base - base), (high_new - new, base - low_base)
    reach = [np.sqrt(max(x**2 - 2 * phi * x * y + y**2, 0.0)) for x, y in (below, above)]
    return float(new - base - reach[0]), float(new - base + reach[1])


def _consistent(
    estimate: float, stderr: float, p: float, test: str, level: float, interval: Callable[[float], tuple[float, float]]
) -> Difference:
    """Let the more cautious of an exact test and a score interval decide."""
    low, high = interval(NormalDist().inv_cdf((1 + level) / 2))
    if p >= 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    elif low <= 0 <= high:
        z, _ = bisected(lambda z: interval(z)[0] > 0 or interval(z)[1] < 0, 0.0, 10.0, STEPS)
        p, test = max(2 * NormalDist().cdf(-z), 1 - level), "Newcombe score"
    return Difference(estimate, low, high, stderr, p, test, level)


def paired_means(
    difference: Floats, level: float = 0.95, cluster: Ints | None = None, further: Further = NO_MORE
) -> Difference:
    """Compare two means on the same items, from their differences; clusters of items are left out one at a time (jackknife).

    Up to `EXACT` differences without clusters the test enumerates all signs, and the interval inverts it. `further` is variance
    that items do not show, such as that between training runs.

    >>> paired_means(np.array([0.2, 0.1, 0.4, -0.1, 0.3, 0.2, 0.1, 0.3])).test
    'exact sign flips'
    >>> d = paired_means(np.arange(40) % 5 - 1.0)
    >>> round(d.estimate, 2), round(d.low, 2), round(d.high, 2), d.test
    (1.0, 0.54, 1.46, 'paired t')
    """
    d, n = np.asarray(difference, dtype=np.float64), len(difference)
    if cluster is None and n <= EXACT and not further.variance:
        return _sign_flips(d, level)
    size, total = (np.ones(n), d) if cluster is None else (np.bincount(cluster), np.bincount(cluster, d))
    size, total = size[size > 0], total[size > 0]
    if len(size) < 2:
        raise DataError("a standard error needs two clusters of items or more; there is one. Compare without clusters.")
    left_out, test = (d.sum() - total) / (n - size), "paired t" if cluster is None else "cluster-robust t"
    return _student(_sum(d) / n, _influence(left_out), len(size) - 1, test, level, further)


def _sum(terms: Floats) -> float:
    """Return a sum, zero within rounding: sums of thirds depend on their order.

    >>> _sum(np.array([1 / 3 - 1, 1 / 3, 1 / 3])), _sum(np.array([1.0, 2.0]))
    (0.0, 3.0)
    """
    total = float(terms.sum())
    return total if abs(total) > ROUNDING * np.abs(terms).sum() else 0.0


def unchanged_means(n: int, most: float, level: float = 0.95) -> Difference:
    """Compare two means on the same *n* items or clusters, none of which changed; another may change by up to `most`.

    The exact limit of the share that changes, by Clopper and Pearson, bounds the difference on either side.

    >>> round(unchanged_means(60, 1.0).high, 3)
    0.049
    """
    reach = most * (1 - (1 - level) ** (1 / n))
    return Difference(0.0, -reach, reach, 0.0, 1.0, f"no item changed; others may, by up to {most:.3g}", level)


def unpaired_means(new: Floats, base: Floats, level: float = 0.95, further: Further = NO_MORE) -> Difference:
    """Compare two means on different items by Welch's t."""
    if min(len(new), len(base)) < 2:
        raise DataError("runs that share no item need two items each to be compared; one has fewer.")
    parts = [_influence((x.sum() - x) / (len(x) - 1)) for x in (new, -base)]
    variances = [float((u**2).sum()) for u in parts]
    below = sum(v**2 / (len(u) - 1) for v, u in zip(variances, parts, strict=True))
    df = sum(variances) ** 2 / below if below > 0 else np.inf
    difference = _sum(np.concatenate([new / len(new), -base / len(base)]))
    return _student(difference, np.concatenate(parts), df, "Welch t", level, further)


def ratio_of_means(new: Floats, base: Floats, level: float = 0.95, cluster: Ints | None = None) -> Difference:
    """Compare two means on the same items by their ratio: the jackknife of its logarithm over items or clusters, with Student's t.

    >>> r = ratio_of_means(np.array([1.0, 2.0, 1.5, 2.5]), np.array([2.0, 4.0, 3.0, 5.0]))
    >>> round(float(np.exp(r.estimate)), 2), r.stderr
    (0.5, 0.0)
    """
    sound = len(new) > 1 and min(new.min(), base.min()) >= 0
    if cluster is not None:
        new, base = (np.bincount(cluster, one).astype(np.float64) for one in (new, base))
    others, n = (new.sum() - new, base.sum() - base), len(new)
    if not sound or not min(map(np.min, others)) > 0:
        raise DataError("costs must be zero or more, and above zero in two items (or clusters) or more of both runs.")
    influence = _influence(np.log(others[0] / others[1])).round(15)
    return _student(float(np.log(new.sum() / base.sum())), influence, n - 1, "paired t of the log ratio", level)


def _influence(left_out: Floats) -> Floats:
    """The influence of every item or cluster, from the estimates without it; squares sum to the jackknife's variance."""
    return np.asarray((left_out.mean() - left_out) * np.sqrt(1 - 1 / len(left_out)))


def _student(
    estimate: float, influence: Floats, df: float, test: str, level: float, further: Further = NO_MORE
) -> Difference:
    """Student's test and interval, wider toward the long tail of more than `EXACT` influences; see `score_ends`."""
    from scipy.special import stdtr, stdtrit

    shown = (influence**2).sum()
    variance = shown + further.variance
    if further.variance:
        df = variance**2 / (shown**2 / df + further.variance**2 / further.df)
    slope = skewness_slope((influence**3).sum() * (len(influence) > EXACT), variance)
    ends = score_ends(np.asarray(estimate), variance, stdtrit(df, (1 + level) / 2), Asymmetry(slope, np.zeros(())))
    if_none = np.sqrt(variance + max(-slope * estimate, 0.0))  # the error if there is no difference
    p = float(2 * stdtr(df, -abs(estimate) / if_none)) if variance > 0 else float(estimate == 0)
    return Difference(estimate, float(ends[0]), float(ends[1]), float(np.sqrt(variance)), p, test, level)


def _sign_flips(d: Floats, level: float) -> Difference:
    """The exact test of differences symmetric about zero, and the interval of shifts that it does not reject."""
    n = len(d)
    signs = 1.0 - 2.0 * ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1)

    def p_value(shift: float) -> float:
        x = d - shift
        return float((np.abs(signs @ x) >= abs(x.sum()) - 1e-9 * np.abs(x).sum()).mean())

    estimate, p, error = _sum(d) / n, p_value(0.0), 1 - level
    spread = float(d.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
    if p_value(estimate + 1e6 * (np.ptp(d) + abs(estimate) + 1)) >= error:  # so few that no shift is ever rejected
        return Difference(estimate, -np.inf, np.inf, spread, p, "exact sign flips", level)
    reach = 1e3 * (np.ptp(d) + abs(estimate) + 1e-12)
    low = estimate - bisected(lambda x: p_value(estimate - x) >= error, 0.0, reach, STEPS)[0]
    high = estimate + bisected(lambda x: p_value(estimate + x) >= error, 0.0, reach, STEPS)[0]
    if p >= error:
        low, high = min(low, 0.0), max(high, 0.0)
    return Difference(estimate, low, high, spread, p, "exact sign flips", level)
