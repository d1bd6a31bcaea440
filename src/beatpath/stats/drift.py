r"""Whether anything changed with time: who beats whom, how often nobody does, and what being shown first is worth.

Battles of one pair in one order of showing are a stratum. If nothing changes, the times of its battles could be dealt out anew
without a difference, whatever the strengths: no model of them is needed. With :math:`x` the rank of the time, from 0 to 1,

.. math::  U = \sum_{\text{strata}} \sum_k (y_k - \bar y)(x_k - \bar x), \qquad
           \mathrm{Var}\, U = \sum_{\text{strata}} \frac{\sum_k (y_k - \bar y)^2 \sum_k (x_k - \bar x)^2}{n - 1}

over all ways to deal. For an agent *y* is its outcome; for ties, whether nobody won. For position the slopes of a pair's two
orders are added, so that a change of strength, which turns its sign with the order, drops out. This is the score test of a
linear trend, stratified (Mantel, 1963); all tests together are held to one error by Holm's method (1979).

Battles of one cluster are alike and often near in time, which such a deal does not know. Where there are clusters the variance is at least
that of their sums, :math:`\frac{G}{G - 1} \sum_g (\sum_{k \in g} u_k)^2` with :math:`u_k = (y_k - \bar y)(x_k - \bar x) \sqrt{n / (n - 1)}`, and
Student's law with :math:`G - 1` degrees of freedom takes the place of the normal one.
"""

from dataclasses import dataclass
from math import inf
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from beatpath._arrays import Floats, Ints
from beatpath.stats.codes import apart, joint, sums_by_code

LEAST = 8.0  # the sum of squares about the strata's means from which a normal law is near enough
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Trend:
    """The change of one share between early and late meetings of the same two, its standard error, and its p-values.

    Early and late lie as far apart as the ends of an even spread that varies as the times within strata do.

    Attributes
    ----------
    agent : int or None
        Whose win rate; None for ties and position.
    what : {"strength", "ties", "position"}
    change, error : float
        In shares, with 1 for all battles.
    p, adjusted : float
        By itself, and by Holm's method among all.
    """

    agent: int | None
    what: str
    change: float
    error: float
    p: float
    adjusted: float = 1.0


def trends(
    a: NDArray[np.integer],
    b: NDArray[np.integer],
    outcome: Floats,
    time: Floats,
    position: NDArray[np.integer] | None = None,
    cluster: NDArray[np.integer] | None = None,
) -> list[Trend]:
    """Return every trend that the battles can show, the clearest first; a negative number of a cluster is none.

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
    first = np.zeros(n, dtype=np.int64)
    first[stratum] = np.arange(len(a))
    sides = low[first], high[first]
    sums = _Sums(stratum, n, x, None if cluster is None else apart(cluster))
    tied = (outcome == 0.5).astype(np.float64)
    changes = [*_strengths(sums, y, sides), *_overall(sums, "ties", tied, np.ones(n), sums.xx.sum())]
    if position is not None:
        changes += _overall(sums, "position", y, *_position_shares(sums, sides, order[first]))
    return _adjusted(changes)


class _Sums:
    """Sums of squares and products within strata."""

    def __init__(self, stratum: Ints, n: int, x: Floats, cluster: Ints | None) -> None:
        self.stratum, self.n, self.cluster = stratum, n, cluster
        self.size = np.bincount(stratum, minlength=n)
        self.x = self._centred(x)
        self.xx = sums_by_code(stratum, self.x**2, n)
        self.free = np.where(self.xx > 0, self.size - 1.0, 0.0)

    def _centred(self, values: Floats) -> Floats:
        mean = sums_by_code(self.stratum, values, self.n) / np.maximum(self.size, 1)
        centred: Floats = values - mean[self.stratum]
        return centred

    def of(self, y: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the products with time, their variance over all deals, and the squares."""
        centred = self._centred(y)
        xy = sums_by_code(self.stratum, centred * self.x, self.n)
        yy = sums_by_code(self.stratum, centred**2, self.n)
        return xy, self.xx * yy / np.maximum(self.size - 1, 1), yy

    def steps(self, y: Floats) -> Floats:
        """Return what every battle adds to the products with time, as much larger as its stratum's mean has made it smaller."""
        larger: Floats = np.sqrt(self.size / np.maximum(self.size - 1, 1))[self.stratum]
        return self._centred(y) * self.x * larger


def _of_clusters(steps: Floats, group: Ints, cluster: Ints, n: int) -> tuple[Floats, Floats]:
    """Return the variance of the sums of n groups by the sums of their clusters, and its degrees of freedom."""
    cell, cells = joint([group, cluster])
    of = np.zeros(cells, dtype=np.int64)
    of[cell] = group
    clusters = np.bincount(of, minlength=n)
    squares = sums_by_code(of, sums_by_code(cell, steps, cells) ** 2, n)
    return squares * clusters / np.maximum(clusters - 1, 1), np.maximum(clusters - 1.0, 1.0)


def _strengths(sums: _Sums, y: Floats, sides: tuple[Ints, Ints]) -> list[Trend]:
    xy, variance, yy = sums.of(y)
    n = int(sides[1].max(initial=-1)) + 1

    def both(values: Floats, sign: int = 1) -> Floats:
        return sums_by_code(sides[0], values, n) + sign * sums_by_code(sides[1], values, n)

    clustered, df = np.zeros(n), np.full(n, inf)
    if sums.cluster is not None:  # a battle counts for one of its two agents and against the other
        steps, agents = sums.steps(y), np.concatenate([side[sums.stratum] for side in sides])
        clustered, df = _of_clusters(np.concatenate([steps, -steps]), agents, np.tile(sums.cluster, 2), n)
    columns = zip(both(xy, -1), both(variance), both(sums.xx), both(sums.free), both(yy), clustered, df, strict=True)
    return [
        _trend(i, "strength", u, max(v, c), xx, _span(xx, free), d)
        for i, (u, v, xx, free, squares, c, d) in enumerate(columns)
        if squares >= LEAST and v > 0
    ]


def _overall(sums: _Sums, what: str, y: Floats, share: Floats, scale: float) -> list[Trend]:
    """The trend over all strata, each weighing its share; none where too little varies."""
    (xy, variance, yy), used = sums.of(y), share != 0
    spread, clustered, df = float((share**2 * variance).sum()), 0.0, inf
    if yy[used].sum() < LEAST or not spread:
        return []
    if sums.cluster is not None:
        steps = share[sums.stratum] * sums.steps(y)
        one = _of_clusters(steps, np.zeros(len(steps), dtype=np.int64), sums.cluster, 1)
        clustered, df = (float(values[0]) for values in one)
    span = _span(sums.xx[used].sum(), sums.free[used].sum())
    return [_trend(None, what, (share * xy).sum(), max(spread, clustered), scale, span, df)]


def _position_shares(sums: _Sums, sides: tuple[Ints, Ints], order: Ints) -> tuple[Floats, float]:
    """Weights of strata that make half the sum of the slopes, for whoever is shown first, of a pair's two orders; their scale."""
    pair, n = joint([*sides])
    usable = (order != 0) & (sums.xx > 0)
    inverse = np.where(usable, 1 / np.where(usable, sums.xx, 1.0), 0.0)
    both = sums_by_code(pair, usable, n) == 2
    weight = np.where(both, 1 / np.where(both, sums_by_code(pair, inverse, n), 1.0), 0.0)[pair] * usable
    return weight * order * inverse / 2, float(weight.sum() / 2)


def _span(xx: float, free: float) -> float:
    """The length of an even spread with this variance."""
    return float(np.sqrt(12 * xx / free))


def _trend(agent: int | None, what: str, u: float, variance: float, xx: float, span: float, df: float) -> Trend:
    error = float(np.sqrt(variance))
    p = 2 * float(stdtr(df, -abs(float(u)) / error))
    return Trend(agent, what, float(u / xx) * span, error / float(xx) * span, p)


def _adjusted(changes: list[Trend]) -> list[Trend]:
    """Holm's method: the clearest first, none clearer than the one before."""
    done: list[Trend] = []
    worst = 0.0
    for k, one in enumerate(sorted(changes, key=lambda one: one.p)):
        worst = max(worst, min(1.0, one.p * (len(changes) - k)))
        done.append(Trend(one.agent, one.what, one.change, one.error, one.p, worst))
    return done


def detectable_change(changes: list[Trend], error: float) -> float:
    """Return the change that half of the trends would show with 80 % power, at this error for all together.

    >>> detectable_change([Trend(0, "strength", 0.0, 0.1, 1.0)], 0.05).__round__(3)
    0.28
    """
    z = NormalDist().inv_cdf(1 - error / (2 * len(changes))) + NormalDist().inv_cdf(POWER)
    return float(np.median([one.error for one in changes]) * z)
