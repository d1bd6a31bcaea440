"""Confidence intervals for shares, and jackknife intervals over clusters."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints
from beatpath._result import Record
from beatpath._text import percent
from beatpath.stats.codes import sums_by_code


@dataclass(frozen=True, slots=True)
class Interval(Record):
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate : float
        The estimate.
    low, high : float
        The bounds.
    """

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        estimate, low, high = (round(x, 2) + 0.0 for x in (self.estimate, self.low, self.high))  # without a minus zero
        return f"{estimate:.2f} ({low:.2f} to {high:.2f})"

    @property
    def in_percent(self) -> str:
        """The share and its interval as percentages."""
        return percent(self.estimate, self.low, self.high)

    def clipped(self, low: float, high: float) -> "Interval":
        """Return the interval clipped to a range."""
        return Interval(self.estimate, max(self.low, low), min(self.high, high))


def t_quantile(level: float, df: float = np.inf) -> float:
    """Return the two-sided quantile of Student's t, or of the normal where `df` is infinite.

    >>> round(t_quantile(0.95), 3), round(t_quantile(0.95, 4), 3)
    (1.96, 2.776)
    """
    tail = (1 + level) / 2
    if np.isinf(df):
        return NormalDist().inv_cdf(tail)
    from scipy.special import stdtrit

    return float(stdtrit(df, tail))


def wilson(share: float, n: float, level: float = 0.95, df: float = np.inf) -> Interval:
    r"""Return Wilson's interval for a share of `n` independent trials.

    The bounds solve :math:`(\hat p - p)^2 = z^2 p (1 - p) / n` [1]_; for dependent trials `n` is their effective
    number and `df` the degrees of freedom of its estimate.

    >>> print(wilson(0.5, 100))
    0.50 (0.40 to 0.60)

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
           *JASA* 22 (1927), 209-212.
    """
    low, high = wilson_ends(np.array(share), np.array(n), t_quantile(level, df))
    return Interval(float(share), float(low), float(high))


def wilson_ends(p: Floats, n: Floats, z: Floats | float) -> tuple[Floats, Floats]:
    """Return Wilson's interval of a rate with *n* effective battles.

    >>> low, high = wilson_ends(np.array([1.0]), np.array([10.0]), 1.959964)
    >>> low.round(3), high.round(3)
    (array([0.722]), array([1.]))
    """
    z2 = z**2 / n
    middle, reach = (p + z2 / 2) / (1 + z2), np.sqrt(z2 * p * (1 - p) + z2**2 / 4) / (1 + z2)
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)


def effective_number(sizes: NDArray[np.generic]) -> float:
    r"""Return Kish's effective number, :math:`(\sum w)^2 / \sum w^2`.

    >>> effective_number(np.array([2, 2, 2])), effective_number(np.array([3, 1]))
    (3.0, 1.6)
    """
    w = np.asarray(sizes, dtype=np.float64)
    square = float((w**2).sum())
    return float(w.sum()) ** 2 / square if square > 0 else 0.0


def holm(p: Floats) -> Floats:
    """Return p-values adjusted for their number by Holm's step-down method (1979).

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def jackknife_error(left_out: Floats) -> float:
    """Return the standard error from the estimates with one cluster left out at a time."""
    n = len(left_out)
    return float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))


def left_out_totals(
    sums: Floats, pair: Ints, cluster: Ints, terms: Callable[[Floats], Floats]
) -> tuple[Floats, Floats]:
    """Return the total over pairs of a function of their sums, (j,), and that without each cluster, (clusters, j).

    Parameters
    ----------
    sums : (c, k) float
        Of the battles of one pair in one cluster.
    pair, cluster : (c,) int
        Which pair and cluster these are.
    terms : function of (p, k) to (p, j)
        Of the sums of every pair; zero for a pair without battles.
    """
    whole = sums_by_code(pair, sums)
    now = terms(whole)
    change = sums_by_code(cluster, terms(whole[pair] - sums) - now[pair])
    return now.sum(axis=0), now.sum(axis=0) + change


def jackknife(estimate: float, left_out: Floats, sizes: NDArray[np.generic], level: float) -> Interval:
    """Return Student's interval around an estimate, from its values with one cluster left out at a time.

    Degrees of freedom are the effective number of clusters minus one: a few large clusters among many small ones count
    as few.
    """
    half = t_quantile(level, max(effective_number(sizes) - 1, 1.0)) * jackknife_error(left_out)
    return Interval(estimate, estimate - half, estimate + half)
