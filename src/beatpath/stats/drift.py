r"""Drift over time: of win rates, of the share of ties, and of position bias.

Battles of one pair in one order form a stratum. Without drift the times within a stratum are exchangeable, whatever the
strengths: no model is needed. With :math:`x` the rank of the time, from 0 to 1,

.. math::  U = \sum_{\text{strata}} \sum_k (y_k - \bar y)(x_k - \bar x), \qquad
           \mathrm{Var}\, U = \sum_{\text{strata}} \frac{\sum_k (y_k - \bar y)^2 \sum_k (x_k - \bar x)^2}{n - 1}

over all permutations. For an agent *y* is its outcome; for ties, whether nobody won. For position the slopes of a
pair's two orders are added, so that a change of strength, which changes sign with the order, cancels. This is the
stratified score test of a linear trend (Mantel, 1963); Holm's method (1979) controls the family-wise error of all
tests.

Battles of one cluster are correlated and often close in time, which permutations ignore. With clusters the variance is
at least that of their sums, :math:`\frac{G}{G - 1} \sum_g (\sum_{k \in g} u_k)^2` with :math:`u_k = (y_k - \bar y)(x_k
- \bar x) \sqrt{n / (n - 1)}`, and Student's distribution with :math:`G - 1` degrees of freedom replaces the normal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import NormalDist

import numpy as np
from scipy.special import stdtr

from beatpath._arrays import AnyInts, Floats, Ints
from beatpath.stats.codes import apart, first_rows, joint, sums_by_code
from beatpath.stats.intervals import holm

LEAST = 8.0  # sum of squares within strata from which the normal approximation is good enough
POWER = 0.8  # power of the detectable change, the usual 80 %


@dataclass(frozen=True, slots=True)
class Trend:
    """The change of one share between early and late battles of the same pairs, with standard error and p-values.

    Early and late are the ends of a uniform distribution with the variance of the times within strata.

    Attributes
    ----------
    agent : int or None
        Whose win rate; None for ties and position.
    what : {"strength", "ties", "position"}
        What may change.
    change, error : float
        As a share, and its standard error.
    p, adjusted : float
        Unadjusted p-value, and adjusted by Holm's method.
    """

    agent: int | None
    what: str
    change: float
    error: float
    p: float
    adjusted: float = 1.0


def trends(
    a: AnyInts,
    b: AnyInts,
    outcome: Floats,
    time: Floats,
    position: AnyInts | None = None,
    cluster: AnyInts | None = None,
) -> list[Trend]:
    """Return all testable trends, the most significant first; negative cluster codes mean no cluster.

    >>> rng = np.random.default_rng(1)
    >>> won = (rng.random(400) < np.linspace(0.3, 0.8, 400)).astype(float)
    >>> changes = trends(np.zeros(400, int), np.ones(400, int), won, np.arange(400.0))
    >>> [(one.what, one.agent, round(one.change, 2)) for one in changes]
    [('strength', 0, 0.57), ('strength', 1, -0.57)]
    """
    low, high = np.minimum(a, b), np.maximum(a, b)
    turned = np.where(a < b, 1, -1)
    order = np.zeros(len(a), dtype=np.int64) if position is None else turned * position
    y = np.where(a < b, outcome, 1 - outcome)
    _, rank = np.unique(time, return_inverse=True)
    x = rank / max(int(rank.max(initial=1)), 1)
    stratum, n = joint([low, high, order + 1])
    first = first_rows(stratum, n)
    sides = low[first], high[first]
    sums = _Sums(stratum, n, x, None if cluster is None else apart(cluster))
    tied = (outcome == 0.5).astype(np.float64)
    one, everybody = np.ones(n), [np.zeros(n, dtype=np.int64)]
    changes = [*_trends(sums, "strength", y, sides, (one, -one)), *_trends(sums, "ties", tied, everybody, [one])]
    if position is not None:
        weight, scale = _position_shares(sums, sides, order[first])
        changes += _trends(sums, "position", y, everybody, [weight], scale)
    ordered = sorted(changes, key=lambda one: one.p)
    adjusted = holm(np.array([one.p for one in ordered])).tolist()
    return [replace(one, adjusted=p) for one, p in zip(ordered, adjusted, strict=True)]


class _Sums:
    """Sums of squares and products within strata."""

    def __init__(self, stratum: Ints, n: int, x: Floats, cluster: Ints | None) -> None:
        self.stratum, self.n, self.cluster = stratum, n, cluster
        self.size = np.bincount(stratum, minlength=n)
        self.x = self._centered(x)
        self.xx = sums_by_code(stratum, self.x**2, n)
        self.free = np.where(self.xx > 0, self.size - 1.0, 0.0)

    def _centered(self, values: Floats) -> Floats:
        mean = sums_by_code(self.stratum, values, self.n) / np.maximum(self.size, 1)
        return values - mean[self.stratum]

    def of(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the products with time, their variance over permutations, and the squares."""
        centered = self._centered(y)
        xy = sums_by_code(self.stratum, centered * self.x, self.n)
        yy = sums_by_code(self.stratum, centered**2, self.n)
        return xy, self.xx * yy / np.maximum(self.size - 1, 1), yy

    def steps(self, y: Floats) -> Floats:
        """Return the contribution of every battle to the products with time, corrected for the mean of its stratum."""
        larger: Floats = np.sqrt(self.size / np.maximum(self.size - 1, 1))[self.stratum]
        return self._centered(y) * self.x * larger


def _trends(
    sums: _Sums, what: str, y: Floats, owners: Sequence[Ints], weights: Sequence[Floats], scale: float | None = None
) -> list[Trend]:
    """Return the trends of sums over strata; none where too little varies.

    Parameters
    ----------
    owners, weights : sequences of (strata,) int and float
        The trend that a stratum counts for, and by how much; a battle may count for one agent and against the other.
    scale : float, optional
        The slope is a sum over this; by default over the squares of time.
    """
    owner, weight = np.concatenate(owners), np.concatenate(weights)
    n, used = int(owner.max(initial=-1)) + 1, weight != 0

    def total(values: Floats) -> Floats:
        return sums_by_code(owner, values, n)

    xy, variance, yy, xx, free = (np.tile(one, len(owners)) for one in (*sums.of(y), sums.xx, sums.free))
    parts = weight * xy, weight**2 * variance, used * yy, used * xx, used * free
    change, spread, squares, xx, free = map(total, parts)
    df = np.full(n, inf)
    if sums.cluster is not None:
        steps = np.concatenate([one[sums.stratum] * sums.steps(y) for one in weights])
        group = np.concatenate([one[sums.stratum] for one in owners])
        clustered, df = _of_clusters(steps, group, np.tile(sums.cluster, len(owners)), n)
        spread = np.where(spread > 0, np.maximum(spread, clustered), 0.0)
    trends = []
    for k in np.flatnonzero((squares >= LEAST) & (spread > 0)).tolist():
        error = float(np.sqrt(spread[k]))
        span = float(np.sqrt(12 * xx[k] / free[k])) / float(scale or xx[k])  # of a uniform distribution
        p = 2 * float(stdtr(df[k], -abs(float(change[k])) / error))
        trends.append(Trend(k if what == "strength" else None, what, float(change[k]) * span, error * span, p))
    return trends


def _of_clusters(steps: Floats, group: Ints, cluster: Ints, n: int) -> tuple[Floats, Floats]:
    """Return the variance of the sums of n groups from the sums of their clusters, and its degrees of freedom."""
    cell, cells = joint([group, cluster])
    of = group[first_rows(cell, cells)]
    clusters = np.bincount(of, minlength=n)
    squares = sums_by_code(of, sums_by_code(cell, steps, cells) ** 2, n)
    return squares * clusters / np.maximum(clusters - 1, 1), np.maximum(clusters - 1.0, 1.0)


def _position_shares(sums: _Sums, sides: tuple[Ints, Ints], order: AnyInts) -> tuple[Floats, float]:
    """Return weights of strata that average the slopes of a pair's two orders, and their scale."""
    pair, n = joint([*sides])
    usable = (order != 0) & (sums.xx > 0)
    inverse = np.where(usable, 1 / np.where(usable, sums.xx, 1.0), 0.0)
    both = sums_by_code(pair, usable, n) == 2
    weight = np.where(both, 1 / np.where(both, sums_by_code(pair, inverse, n), 1.0), 0.0)[pair] * usable
    return weight * order * inverse / 2, float(weight.sum() / 2)


def detectable_change(changes: list[Trend], error: float) -> float:
    """Return the change that half of the trends would show with 80 % power, at this family-wise error.

    >>> detectable_change([Trend(0, "strength", 0.0, 0.1, 1.0)], 0.05).__round__(3)
    0.28
    """
    z = NormalDist().inv_cdf(1 - error / (2 * len(changes))) + NormalDist().inv_cdf(POWER)
    return float(np.median([one.error for one in changes]) * z)
