r"""The interval that the win rate of every pair has by itself: Wilson's, with the number of battles that a rate is worth.

A rate with variance *V* is worth :math:`n = \tilde r (1 - \tilde r) / V` battles, :math:`\tilde r` being the rate with half a win
and half a loss added, as *V* has it: clusters make *n* smaller than the number of battles, ties larger. The interval holds all
*x* with

.. math::  (\hat\psi - x)^2 \le T_\nu^{-1}\left(\tfrac{1 + \text{level}}{2}\right)^2 \frac{x (1 - x)}{n}

(Wilson 1927) with *n* less one, by Student's quantile with the degrees of freedom of the pair's own clusters. It never leaves [0, 1], and is
not narrow by chance where all battles were won. The one battle less makes up for whole numbers of wins: for 5 to 100
independent battles and rates from 0.5 to 0.95 in steps of 0.05, no coverage lies below 0.936 (0.914 without; exact sums).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.stats.intervals import wilson_ends


class PairIntervals(NamedTuple):
    """Ends of the intervals of all pairs, each (p,), and whether each leaves out one half."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    resolved: NDArray[np.bool_]


def pair_intervals(pairwise: WinRateEstimate, level: float = 0.95) -> PairIntervals:
    """Return the interval of every pair's win rate, no allowance made for how many there are.

    Examples
    --------
    Of 100 battles 60 were won: sixty per cent, give or take ten.

    >>> from beatpath import Pairs, win_rate_inference
    >>> found = pair_intervals(win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[60, 40, 0, 0]])))
    >>> found.low.round(2), found.high.round(2), found.resolved
    (array([0.5]), array([0.69]), array([ True]))
    """
    battles = np.maximum(pairwise.battles, 1)
    smooth = (battles * pairwise.rate + 0.5) / (battles + 1)
    number = smooth * (1 - smooth) / pairwise.stderr**2
    low, high = wilson_ends(
        pairwise.rate, np.maximum(number - 1, number / 4), t_critical(bonferroni(level, 2).value, pairwise.df)
    )
    return PairIntervals(low, high, (low > 0.5) | (high < 0.5))
