r"""Majorities: who beats whom head to head, and which of these wins are statistically significant.

A beats B where its win rate is above one half: the estimated rate for battles and counts, the share of votes or tasks
otherwise. An estimated rate stays within one standard error of the pair's own observed rate (limited translation,
Efron and Morris 1972), as a sentence about two agents must follow their own battles; where this limit binds, the test is
the one of the observed rate. One win is resolved when the confidence interval of its rate excludes one half. That somebody beats
*everybody* is the conjunction of one claim per rival; if each is tested at the level, so is the whole (an
intersection-union test, Berger 1982): no correction for multiple comparisons is needed.

The interval of each win rate is Wilson's, with an effective number of battles. A rate with variance *V* is worth
:math:`n = \tilde r (1 - \tilde r) / V` battles, :math:`\tilde r` being the rate with half a win and half a loss added,
as in *V*: clusters make *n* smaller than the number of battles, ties make it larger. The interval contains all *x* with

.. math::  (\hat\psi - x)^2 \le T_\nu^{-1}\left(\tfrac{1 + \text{level}}{2}\right)^2 \frac{x (1 - x)}{n}

(Wilson 1927), with *n* less one and Student's quantile with the degrees of freedom of the pair's own clusters. It never
leaves [0, 1], and is not narrow by chance where all battles were won. Subtracting one battle corrects for the
discreteness of wins: for 5 to 100 independent battles and rates from 0.5 to 0.95 in steps of 0.05, coverage is at least
0.936 (0.914 without; exact sums).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.inference.matrix.win_matrix import WinMatrix
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.stats.intervals import wilson_ends

DIGITS = 9  # decimal places to which methods that compare pairs round a rate, so that rounding cannot decide a majority


@dataclass(frozen=True, slots=True, eq=False)
class Majorities:
    """Who beats whom head to head.

    Attributes
    ----------
    agents : tuple of str
        Names, in the order of the arrays.
    rate : (n, n) float
        Win rate of the row against the column; NaN where unknown.
    resolved : (n, n) bool
        Whether the row's win is statistically significant, each pair tested separately.
    direct : (n, n) float
        Battles that the row won against the column, ties half; NaN where they were never compared.
    unit : str
        What was counted, such as ``ballot`` or ``task``; empty where rates are estimates.
    """

    agents: tuple[str, ...]
    rate: Floats
    resolved: Bools
    direct: Floats
    unit: str = ""

    @property
    def by(self) -> str:
        """The basis of a win, as a phrase."""
        return f"{self.unit} by {self.unit}" if self.unit else "by the estimated win rates"

    @property
    def beats(self) -> Bools:
        """Whether the row beats the column."""
        return np.nan_to_num(self.rate.round(DIGITS), nan=0.5) > 0.5

    @property
    def won(self) -> Ints:
        """Number of rivals that each agent beats."""
        return np.asarray(self.beats.sum(axis=1))

    @property
    def lost(self) -> Ints:
        """Number of rivals that beat each agent."""
        return np.asarray(self.beats.sum(axis=0))

    @property
    def winner(self) -> str | None:
        """The Condorcet winner: the agent that beats every other, if there is one."""
        winners = np.flatnonzero(self.won == len(self.agents) - 1)
        return self.agents[winners[0]] if len(winners) and len(self.agents) > 1 else None

    @property
    def is_order(self) -> bool:
        """Whether majorities form a weak order: no cycle, and equal agents tie."""
        return bool((self.beats == (self.won[:, None] > self.won[None, :])).all())

    def contradicted(self, agent: str) -> tuple[tuple[str, str], ...]:
        """Return the rivals that an agent beats by estimate and not by count, each with the count of their battles."""
        i = self.agents.index(agent)
        rivals = np.flatnonzero(self.beats[i] & (self.direct[i] <= self.direct[:, i]))
        return tuple((self.agents[j], f"{self.direct[i, j]:.3g}-{self.direct[j, i]:.3g}") for j in rivals.tolist())

    def wins_resolved(self, agent: str) -> int:
        """Return how many of an agent's wins are statistically significant, each tested separately."""
        return int(self.resolved[self.agents.index(agent)].sum())


def majorities(
    matrix: WinMatrix, counted: WinRateEstimate, level: float, unit: str = "", wins: Floats | None = None
) -> Majorities:
    """Return who beats whom, by estimated win rates or by counts of the given unit.

    Parameters
    ----------
    matrix : WinMatrix
        The estimated win rates.
    counted : WinRateEstimate
        The win rates as counted, with standard errors.
    level : float
        Confidence level of each test.
    unit : str, default ""
        What is counted, such as ``ballot``; with it, counts decide and not estimates.
    wins : (n, n) float, optional
        Wins of the row against the column as they were counted, ties half. Win rates may allow for the side shown first;
        by default the counts are those of the rates.

    Returns
    -------
    Majorities

    Examples
    --------
    >>> from beatpath import Pairs, win_matrix
    >>> result = win_matrix(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[900, 100, 0, 0], [900, 100, 0, 0]]))
    >>> evidence = majorities(result, result.observed, 0.95)
    >>> evidence.winner, evidence.wins_resolved("ada"), evidence.is_order
    ('ada', 2, True)
    """
    n, a, b, own = len(counted.agents), counted.a, counted.b, counted.rate
    ends, direct = pair_intervals(counted, level), np.full((n, n), np.nan)
    direct[a, b], direct[b, a] = own * counted.battles, (1 - own) * counted.battles
    if wins is not None:
        direct = np.where(wins + wins.T > 0, wins, np.nan)
    if unit:
        rate, resolved = direct / (direct + direct.T), np.zeros((n, n), dtype=bool)
        np.fill_diagonal(rate, 0.5)
        replaced = np.ones(len(own), dtype=bool)
    else:
        rate, resolved = matrix.rate.copy(), matrix.interval(level)[0] > 0.5
        limited = np.clip(rate[a, b], own - counted.stderr, own + counted.stderr)
        # elsewhere the interval of the estimate is about the same winner
        replaced = (limited > 0.5) != (rate[a, b] > 0.5)
        rate[a, b], rate[b, a] = limited, 1 - limited
    i, j = a[replaced], b[replaced]
    resolved[i, j], resolved[j, i] = ends.low[replaced] > 0.5, ends.high[replaced] < 0.5
    resolved &= rate > 0.5
    return Majorities(counted.agents, rate, resolved, direct, unit)


class PairIntervals(NamedTuple):
    """Ends of the confidence intervals of all pairs, each (p,), and whether each excludes one half."""

    low: Floats
    high: Floats
    resolved: Bools


def pair_intervals(pairwise: WinRateEstimate, level: float = 0.95) -> PairIntervals:
    """Return the confidence interval of every pair's win rate, without correction for multiple comparisons.

    Examples
    --------
    Ada won 60 of 100 battles: 60 percent, plus or minus ten.

    >>> from beatpath import Pairs
    >>> from beatpath.metrics import win_rate_inference
    >>> result = pair_intervals(win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[60, 40, 0, 0]])))
    >>> result.low.round(2), result.high.round(2), result.resolved
    (array([0.5]), array([0.69]), array([ True]))
    """
    battles = np.maximum(pairwise.battles, 1)
    smooth = (battles * pairwise.rate + 0.5) / (battles + 1)
    number = smooth * (1 - smooth) / pairwise.stderr**2
    critical = t_critical(bonferroni(level, 2).value, pairwise.df)
    low, high = wilson_ends(pairwise.rate, np.maximum(number - 1, number / 4), critical)
    return PairIntervals(low, high, (low > 0.5) | (high < 0.5))
