r"""The interval that the win rate of every pair has by itself.

.. math::  \hat\psi_p \pm T_{\nu_p}^{-1}\left(\tfrac{1 + \text{level}}{2}\right) s_p ,

Student's with the degrees of freedom of the pair's own clusters, cut to shares.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.win_rates.estimate import WinRateEstimate


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
    (array([0.5]), array([0.7]), array([ True]))
    """
    reach = t_critical(bonferroni(level, 2).value, pairwise.df) * pairwise.stderr
    low, high = (np.clip(pairwise.rate + sign * reach, 0.0, 1.0) for sign in (-1, 1))
    return PairIntervals(low, high, np.abs(pairwise.rate - 0.5) > reach)
