r"""What a budget of battles is expected to settle, and the pairs to spend it on.

A difference of scores, now :math:`d` with variance :math:`v`, will be estimated with variance :math:`v'` once more battles are
played. How far agents truly lie apart is told by all differences together: with *s* their variance beyond that of errors, the
true difference has mean :math:`B d` and variance :math:`B v`, where :math:`B = s / (s + v)` (empirical Bayes). With
:math:`w = v' / v` the weight that the old battles keep, the new estimate has

.. math::  \text{mean } d\, (w + B (1 - w)), \qquad \text{variance } (1 - w)^2 B v + (1 - w) v',

and the chance that it will be certain is that of lying further than *c* standard errors :math:`\sqrt{v'}` from zero.

References
----------
.. [1] R. C. Paule, J. Mandel, "Consensus values and weighting factors", *Journal of Research of the National Bureau of
       Standards* 87 (1982), 377-385.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr

from beatpath.inference.design.more_battles import Outlook
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import estimable, t_critical
from beatpath.inference.win_rates.estimate import Array

NUDGE = 1e-4
LEAST = 1e-12  # share of a variance that is told from none


class ExpectedDiscoveries:
    """The differences that are to be settled, and the chance of each to be after more battles.

    Parameters
    ----------
    board : Leaderboard
    outlook : Outlook
    played : (p,) float
        Battles of every pair now.
    critical : float
        On the Gaussian scale.
    all_of_them : bool
        Whether nothing is gained unless all are settled, as for first place; else each counts.
    wanted : (n, n) bool
        Symmetric.
    """

    def __init__(
        self,
        board: Leaderboard,
        outlook: Outlook,
        played: Array,
        critical: float,
        wanted: NDArray[np.bool_],
        *,
        all_of_them: bool,
    ) -> None:
        used = estimable(board)
        self.board, self.outlook, self.played, self.all_of_them = board, outlook, played, all_of_them
        self.wanted = wanted & used
        self.before = np.where(used, board.variance_of_differences, 1.0)
        self.gap = np.where(used, np.abs(board.differences), 0.0)
        self.critical = t_critical(critical, np.where(used, board.df, np.inf))
        self.shrunk = np.zeros(used.shape)
        self.shrunk[used] = shrinkage(self.gap[used], self.before[used])
        self.certain = used & (self.gap > self.critical * np.sqrt(self.before))
        self.open = self.wanted if all_of_them else self.wanted & ~self.certain

    @property
    def now(self) -> int:
        """How many of the differences wanted are certain now."""
        return int((self.certain & self.wanted).sum()) // 2

    def expected(self, extra: Array) -> float:
        """Return how many will be certain, those that are certain now being taken to stay so."""
        chance = np.exp(self._log_chance(self._variances(extra)))
        return self.now + float(chance[self.wanted & ~self.certain].sum()) / 2

    def gains(self, extra: Array) -> Array:
        """Return what one more battle of each pair adds: to the number expected, or to the log-chance of all."""
        f = self.played / (self.played + extra)
        after = self._variances(extra)
        more, less = self._log_chance(after * (1 - NUDGE)), self._log_chance(after * (1 + NUDGE))
        if not self.all_of_them:
            more, less = np.exp(more), np.exp(less)
        fall = np.where(self.open, (more - less) / (2 * NUDGE * after), 0.0)
        return self.outlook.slopes(f, fall) * f**2 / self.played

    def _variances(self, extra: Array) -> Array:
        """Of all differences after so many more battles; kept above nothing and below what they are now."""
        covariance = self.outlook.covariance(self.played / (self.played + extra))
        after = replace(self.board, covariance=covariance).variance_of_differences
        return np.clip(np.where(self.wanted, after, 0.5), LEAST * self.before, (1 - 2 * NUDGE) * self.before)

    def _log_chance(self, after: Array) -> Array:
        return log_chance_to_be_certain(self.gap, self.before, after, self.critical, self.shrunk)


def shrinkage(difference: Array, variance: Array) -> Array:
    r"""Return :math:`B = s / (s + v)` for differences: how much of each is taken to be true.

    The variance *s* of true differences is the one by which the mean of :math:`d^2 / (s + v)` is one [1]_, and 0 where
    errors alone explain more.

    >>> shrinkage(np.array([2.0, 2.0]), np.array([1.0, 1.0]))
    array([0.75, 0.75])
    >>> shrinkage(np.array([0.5, -1.0]), np.array([1.0, 1.0]))
    array([0., 0.])
    """

    def excess(s: float) -> float:
        return float(np.mean(difference**2 / (s + variance))) - 1

    if not len(difference) or excess(0.0) <= 0:
        return np.zeros_like(variance)
    s = brentq(excess, 0.0, float(np.max(difference**2)))
    return np.asarray(s / (s + variance))


def log_chance_to_be_certain(gap: Array, before: Array, after: Array, critical: Array, shrunk: Array) -> Array:
    """Return the log-chance that a difference will be further than `critical` standard errors from zero, on either side.

    >>> one = np.ones(1)
    >>> log_chance_to_be_certain(2 * one, one, 1e-9 * one, 1.96 * one, one).round(3)  # soon known exactly, whatever it is
    array([-0.])
    """
    weight = after / before
    mean = gap * (weight + shrunk * (1 - weight))
    error = np.sqrt((1 - weight) ** 2 * shrunk * before + (1 - weight) * after)
    needed = critical * np.sqrt(after)
    return np.logaddexp(log_ndtr((mean - needed) / error), log_ndtr((-mean - needed) / error))
