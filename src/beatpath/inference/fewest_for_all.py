r"""The fewest battles after which several differences of scores are all found.

With :math:`n_p` the battles of a pair, of which :math:`N_p` are there, and :math:`\beta_j` the chance to miss the *j*-th difference,
were it truly what it is now,

.. math::  \min_{n_p \ge N_p} \sum_p n_p \quad \text{subject to} \quad \sum_j \beta_j(v_j(n)) \le 1 - \text{power},

so that all are found together with at least the probability `power`. New battles coming in clusters of their own, the variance
of a difference :math:`\sum_p l_{jp} \psi_p` tends to :math:`v_j = \sum_p l_{jp}^2 V_{pp} N_p / n_p`, which is convex in
:math:`\log n`. So is the chance to miss :math:`\Phi(c - d / \sqrt v)` in *v* up to the point where
:math:`d / \sqrt v = (c + \sqrt{c^2 + 12}) / 2`; beyond it the tangent, which is larger, takes its place. That makes a convex
program, solved through its Lagrangian. The numbers are then scaled until the constraint itself holds, with what clusters share
between pairs, degrees of freedom and all.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array, diags_array
from scipy.special import ndtr

from beatpath.inference.battles_needed import MOST
from beatpath.inference.board import Board
from beatpath.inference.differences import own_critical
from beatpath.inference.more_battles import Outlook, with_more_battles
from beatpath.inference.pairwise import Array, Pairwise
from beatpath.inference.power import Aim, chance_of_missing

LOG_MOST = float(np.log(MOST))
PRICES = (-8.0, 12.0)  # between which the logarithm of a miss, in units of all battles, is looked for
A_LITTLE = 1.002


class FewestForAll:
    """The search for the fewest battles.

    Parameters
    ----------
    pairwise : Pairwise
    board : Board
    L : (n, p) sparse
        The map from rates to scores.
    at : tuple of arrays
        Picks the differences to be found out of an (n, n) matrix, all of them positive; as `numpy.ix_` makes it.
    aim : Aim
        Its power is that of finding all.
    """

    def __init__(self, pairwise: Pairwise, board: Board, L: csr_array, at: tuple[NDArray[Any], ...], aim: Aim) -> None:
        self.pairwise, self.board, self.L, self.at, self.aim = pairwise, board, L, at, aim
        self.outlook = Outlook(pairwise, L)
        self.played = pairwise.battles.astype(np.float64)
        self.gap, self.df, self.variance = (
            matrix[at] for matrix in (board.differences, board.df, board.variance_of_differences)
        )

    def settled(self) -> bool:
        """Return whether all are found already."""
        return bool((self.gap > own_critical(self.aim.value, self.df) * np.sqrt(self.variance)).all())

    def times_all(self) -> float:
        """Return how many times the battles of all pairs together it takes, when all grow alike."""

        def does(log_times: float) -> bool:
            times = np.exp(log_times)
            return self._does(self.variance / times, times * (self.df + 1) - 1)

        return float(np.exp(_smallest(does, 0.0, LOG_MOST)))

    def plan(self, times: float) -> Array:
        """Return more battles of every pair, in whole numbers; `times` is what growing alike takes."""
        total, df = self.played * times, times * (self.df + 1) - 1
        for _ in range(2):
            total = self._cheapest(total, own_critical(self.aim.value, df))
            df = self._degrees(total)

        def does(log_times: float) -> bool:
            return self._does(self._variances(np.maximum(self.played, total * np.exp(log_times))), df)

        factor = np.exp(_smallest(does, -3.0, LOG_MOST, 24))
        while True:
            extra = np.rint(np.maximum(factor * total - self.played, 0.0))
            if self._does(self._variances(self.played + extra), self._degrees(self.played + extra)):
                return extra
            factor *= A_LITTLE

    def _does(self, variance: Array, df: Array) -> bool:
        """Whether all are found together as surely as is aimed at."""
        if not (variance > 0).all():
            return False
        missed = chance_of_missing(self.aim.value, df, self.gap / np.sqrt(variance))
        return float(missed.sum()) <= 1 - self.aim.power

    def _variances(self, total: Array) -> Array:
        covariance = self.outlook.covariance(self.played / total)
        return replace(self.board, covariance=covariance).variance_of_differences[self.at]

    def _degrees(self, total: Array) -> Array:
        return with_more_battles(self.pairwise, total - self.played).degrees(self.L)[self.at]

    def _cheapest(self, start: Array, critical: Array) -> Array:
        """The battles of every pair that solve the convex program, at the lowest price of a miss that does."""
        first, second = (self.L[np.broadcast_to(side, self.gap.shape).ravel()] for side in self.at)
        terms = (first - second).power(2) @ diags_array(self.outlook.own * self.played)
        misses = Misses(csr_array(terms), self.gap.ravel(), critical.ravel())
        x = np.log(start)

        def does(log_price: float) -> bool:
            nonlocal x
            x = _least(misses, x, self.played, float(start.sum()), np.exp(log_price))
            return misses(x)[0] <= 1 - self.aim.power

        low, high = PRICES
        price = _smallest(does, low, high, 20)
        return np.exp(_least(misses, x, self.played, float(start.sum()), np.exp(price)))


class Misses:
    r"""The summed chance to miss, made convex, as a function of :math:`\log n`.

    Parameters
    ----------
    terms : (k, p) sparse
        :math:`l_{jp}^2 V_{pp} N_p`.
    gap, critical : (k,) float
    """

    def __init__(self, terms: csr_array, gap: Array, critical: Array) -> None:
        self.terms, self.gap, self.critical = terms, gap, critical
        self.last = (2 * gap / (critical + np.sqrt(critical**2 + 12))) ** 2

    def __call__(self, log_n: Array) -> tuple[float, Array]:
        """Return the sum and its slopes, shape (p,)."""
        inverse = np.exp(-log_n)
        variance = self.terms @ inverse
        up_to = np.minimum(variance, self.last)
        size = self.gap / np.sqrt(up_to)
        slope = np.exp(-((self.critical - size) ** 2) / 2) / np.sqrt(2 * np.pi) * size / (2 * up_to)
        value = ndtr(self.critical - size) + slope * (variance - up_to)
        return float(value.sum()), -(self.terms.T @ slope) * inverse


def _least(misses: Misses, start: Array, played: Array, unit: float, price: float) -> Array:
    """The logarithm of the battles for which their number, in units, and the price of all misses are least."""

    def cost(log_n: Array) -> tuple[float, Array]:
        missed, slopes = misses(log_n)
        n = np.exp(log_n) / unit
        return float(n.sum()) + price * missed, n + price * slopes

    bounds = np.column_stack([np.log(played), np.full(len(played), LOG_MOST)])
    found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500, "gtol": 1e-9})
    return np.asarray(found.x)


def _smallest(does: Callable[[float], bool], low: float, high: float, steps: int = 60) -> float:
    """The smallest number of an interval that does, where all larger ones do; its upper end when none does."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if does(middle) else (middle, high)
    return high
