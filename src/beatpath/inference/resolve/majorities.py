r"""Majorities: who beats whom head to head, and whether that is resolved.

A beats B where its win rate is above one half: the estimated rate where rules that compare pairs take it (battles and
counts), the share of votes or tasks otherwise. One win is resolved when the interval of its rate, by itself, leaves out one
half. That somebody beats *everybody* is a claim with one part a rival; if each part is tested at the level, so is the whole
(an intersection-union test, Berger 1982): no allowance is needed for how many rivals there are.

The interval that the win rate of every pair has by itself is Wilson's, with the number of battles that a rate is worth.
A rate with variance *V* is worth :math:`n = \tilde r (1 - \tilde r) / V` battles, :math:`\tilde r` being the rate with half a win
and half a loss added, as *V* has it: clusters make *n* smaller than the number of battles, ties larger. The interval holds all
*x* with

.. math::  (\hat\psi - x)^2 \le T_\nu^{-1}\left(\tfrac{1 + \text{level}}{2}\right)^2 \frac{x (1 - x)}{n}

(Wilson 1927) with *n* less one, by Student's quantile with the degrees of freedom of the pair's own clusters. It never leaves [0, 1], and is
not narrow by chance where all battles were won. The one battle less makes up for whole numbers of wins: for 5 to 100
independent battles and rates from 0.5 to 0.95 in steps of 0.05, no coverage lies below 0.936 (0.914 without; exact sums).
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

DIGITS = 9  # of a rate, as rules take it


@dataclass(frozen=True, slots=True, eq=False)
class Majorities:
    """Who beats whom.

    Attributes
    ----------
    agents : tuple of str
    rate : (n, n) float
        Win rate of the row against the column; NaN where nothing is known.
    resolved : (n, n) bool
        Whether the row's win is resolved, by itself.
    unit : str
        What was counted, such as ``ballot`` or ``task``; empty where rates are estimates.
    """

    agents: tuple[str, ...]
    rate: Floats
    resolved: Bools
    unit: str = ""

    @property
    def by(self) -> str:
        """By what somebody beats another, in words."""
        return f"{self.unit} by {self.unit}" if self.unit else "by the estimated win rates"

    @property
    def beats(self) -> Bools:
        """Whether the row beats the column."""
        return np.nan_to_num(self.rate.round(DIGITS), nan=0.5) > 0.5

    @property
    def won(self) -> Ints:
        """How many rivals each agent beats."""
        return np.asarray(self.beats.sum(axis=1))

    @property
    def lost(self) -> Ints:
        """To how many rivals each agent loses."""
        return np.asarray(self.beats.sum(axis=0))

    @property
    def winner(self) -> str | None:
        """The agent that beats every other, if there is one."""
        winners = np.flatnonzero(self.won == len(self.agents) - 1)
        return self.agents[winners[0]] if len(winners) and len(self.agents) > 1 else None

    @property
    def is_order(self) -> bool:
        """Whether everyone beats everyone below and is even with its equals: no circle anywhere, nor two levels mixed."""
        return bool((self.beats == (self.won[:, None] > self.won[None, :])).all())

    def wins_resolved(self, agent: str) -> int:
        """Return how many of an agent's wins are resolved, each by itself."""
        return int(self.resolved[self.agents.index(agent)].sum())


def majorities(matrix: WinMatrix, counted: WinRateEstimate, level: float, unit: str = "") -> Majorities:
    """Return who beats whom by estimated win rates, or by what was counted of the units named.

    Examples
    --------
    >>> from beatpath import Pairs, win_matrix
    >>> result = win_matrix(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[900, 100, 0, 0], [900, 100, 0, 0]]))
    >>> evidence = majorities(result, result.observed, 0.95)
    >>> evidence.winner, evidence.wins_resolved("ada"), evidence.is_order
    ('ada', 2, True)
    """
    if not unit:
        return Majorities(matrix.agents, matrix.rate, matrix.interval(level)[0] > 0.5)
    n = len(counted.agents)
    rate, resolved = np.full((n, n), np.nan), np.zeros((n, n), dtype=bool)
    np.fill_diagonal(rate, 0.5)
    ends = pair_intervals(counted, level)
    rate[counted.a, counted.b], rate[counted.b, counted.a] = counted.rate, 1 - counted.rate
    resolved[counted.a, counted.b], resolved[counted.b, counted.a] = ends.low > 0.5, ends.high < 0.5
    return Majorities(counted.agents, rate, resolved, unit)


class PairIntervals(NamedTuple):
    """Ends of the intervals of all pairs, each (p,), and whether each leaves out one half."""

    low: Floats
    high: Floats
    resolved: Bools


def pair_intervals(pairwise: WinRateEstimate, level: float = 0.95) -> PairIntervals:
    """Return the interval of every pair's win rate, no allowance made for how many there are.

    Examples
    --------
    Of 100 battles 60 were won: sixty percent, give or take ten.

    >>> from beatpath import Pairs, win_rate_inference
    >>> result = pair_intervals(win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[60, 40, 0, 0]])))
    >>> result.low.round(2), result.high.round(2), result.resolved
    (array([0.5]), array([0.69]), array([ True]))
    """
    battles = np.maximum(pairwise.battles, 1)
    smooth = (battles * pairwise.rate + 0.5) / (battles + 1)
    number = smooth * (1 - smooth) / pairwise.stderr**2
    low, high = wilson_ends(
        pairwise.rate, np.maximum(number - 1, number / 4), t_critical(bonferroni(level, 2).value, pairwise.df)
    )
    return PairIntervals(low, high, (low > 0.5) | (high < 0.5))
