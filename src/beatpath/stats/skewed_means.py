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


def score_ends(score: Floats, variance: Floats, t: Floats, asymmetry: Asymmetry | None) -> tuple[Floats, Floats]:
    r"""Return the values of :math:`\mu` within *t* standard errors of each score, by the variance if :math:`\mu` is true.

    That is Wilson's interval for shares. Where the variance has no curvature, its slope is an estimate from skewed data,
    and the interval is never smaller than Student's: the end toward the long tail moves out, the other stays.

    >>> solved, certain = np.array([0.9]), np.array([2.0])
    >>> low, high = score_ends(solved, solved * 0.1 / 20, certain, Asymmetry((1 - 2 * solved) / 20, np.array([1 / 20])))
    >>> low.round(3), high.round(3)  # (0.9 + 4 / 40 -+ 2 sqrt(0.09 / 20 + 4 / 1600)) / (1 + 4 / 20)
    (array([0.694]), array([0.973]))
    """
    reach = t * np.sqrt(variance)
    if asymmetry is None:
        return score - reach, score + reach
    center, stretch = t**2 * asymmetry.slope / 2, 1 + t**2 * asymmetry.curvature
    root = np.sqrt(center**2 + stretch * reach**2)
    student = np.where(asymmetry.curvature > 0, 0.0, reach)
    low, high = score + (center - root) / stretch, score + (center + root) / stretch
    return np.minimum(low, score - student), np.maximum(high, score + student)


def skewness_slope(third: Floats, second: Floats) -> Floats:
    """Return the slope of the variance of a mean from the sums of cubes and squares of the influences on it."""
    return np.divide(SKEWNESS * third, second, out=np.zeros_like(third), where=second > 0)
