"""Intervals of means whose variance depends on their true value: shares, and means of skewed data."""

from typing import NamedTuple

import numpy as np

from beatpath._arrays import Floats

# By how much a sample understates the skewness of long-tailed scores: exponential scores have skewness 2, samples of 20 to
# 40 of them 1.3 to 1.6 on average; those of log-normal ones lack more.
SKEWNESS = 1.5


class Asymmetry(NamedTuple):
    r"""How the variance of every score depends on its true value, (n,); `between` is the slope of every difference, (n, n).

    If the true value is :math:`\mu`, the variance of the score *S* is its estimate plus
    :math:`\text{slope}\,(\mu - S) - \text{curvature}\,(\mu - S)^2`. For a share *p* of *n* tasks solved that is
    :math:`\mu (1 - \mu) / n`, with slope :math:`(1 - 2p) / n` and curvature :math:`1 / n`.
    """

    slope: Floats
    curvature: Floats
    between: Floats | None = None


def score_ends(
    score: Floats,
    variance: Floats,
    t: Floats,
    asymmetry: Asymmetry | None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> tuple[Floats, Floats]:
    r"""Return the values of :math:`\mu` within *t* standard errors of each score, by the variance if :math:`\mu` is true.

    That is Wilson's interval for shares. Where the variance has no curvature, its slope is an estimate from skewed data,
    and the interval is never smaller than Student's: the end toward the long tail moves out, the other stays. Estimated
    win rates have bounds 0 and 1 and no stated asymmetry; see `_win_rate_ends`.

    >>> solved, certain = np.array([0.9]), np.array([2.0])
    >>> low, high = score_ends(solved, solved * 0.1 / 20, certain, Asymmetry((1 - 2 * solved) / 20, np.array([1 / 20])))
    >>> low.round(3), high.round(3)  # (0.9 + 4 / 40 -+ 2 sqrt(0.09 / 20 + 4 / 1600)) / (1 + 4 / 20)
    (array([0.694]), array([0.973]))
    """
    reach = t * np.sqrt(variance)
    if asymmetry is None:
        return _win_rate_ends(score, variance, t) if bounds == (0.0, 1.0) else (score - reach, score + reach)
    center, stretch = t**2 * asymmetry.slope / 2, 1 + t**2 * asymmetry.curvature
    root = np.sqrt(center**2 + stretch * reach**2)
    student = np.where(asymmetry.curvature > 0, 0.0, reach)
    low, high = score + (center - root) / stretch, score + (center + root) / stretch
    return np.clip(np.minimum(low, score - student), *bounds), np.clip(np.maximum(high, score + student), *bounds)


def _win_rate_ends(rate: Floats, variance: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Return Wilson's intervals of win rates, as if of so many battles as their variance says.

    Estimates add half a battle to either side, which is taken off before: 18 of 20 won is estimated as 18.5 of 21. Where
    Student's interval reaches 0 or 1, so does this one: beside few losses Wilson's would end too soon (with 10 battles it
    covers a win rate of 98.5 % with probability 0.86 only).
    """
    battle, reach = variance / np.maximum(rate * (1 - rate), 1e-9), t * np.sqrt(variance)
    won = np.clip(rate + (rate - 0.5) * battle, 0.0, 1.0)
    low, high = score_ends(won, battle * won * (1 - won), t, Asymmetry((1 - 2 * won) * battle, battle))
    return np.where(rate - reach <= 0, 0.0, low), np.where(rate + reach >= 1, 1.0, high)


def skewness_slope(third: Floats, second: Floats) -> Floats:
    """Return the slope of the variance of a mean from the sums of cubes and squares of the influences on it."""
    return np.divide(SKEWNESS * third, second, out=np.zeros_like(third), where=second > 0)
