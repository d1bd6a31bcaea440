r"""LackOfFit: how far win rates lie from what one scale of strengths predicts, beyond noise.

With predicted rates :math:`\sigma_p` the statistic is the sum of squares, each battle weighing alike,

.. math::  Q = \sum_p N_p (\hat\psi_p - \sigma_p)^2 = \sum_{c, c'} K_{cc'}, \qquad K_{cc'} = e_c^\top M e_{c'},

where :math:`e_c = f_c / N` is what cluster *c* leaves over (see `residuals`) and
:math:`M = (I - H)^\top \operatorname{diag}(N) (I - H)`, *H* being what fitting takes up,
:math:`\operatorname{diag}(g) D C D^\top \operatorname{diag}(N)` (see `additive`). If one scale is the truth, clusters err
independently around zero, and *Q* has

.. math::  \text{mean } \sum_c K_{cc}, \qquad \text{variance } 2 \sum_{c \ne c'} K_{cc'}^2 ,

the moments it has when the sign of every cluster's error is turned at random. No error need be Gaussian for that and no pair
needs many battles: a pair's only battle adds to *Q* just what it adds to the mean. *Q* is held against the multiple of a
chi-squared distribution with these moments. What fitting has taken out of :math:`K_{cc}` is put back to first order, by
multiplying :math:`e_c` with what it would be had the cluster been left out of the fit.

What the estimated mean takes from a true lack of fit too, each cluster meeting itself, leaves for the excess of *Q* over it

.. math::  \Delta = \sum_p N_p (1 - \kappa_p) (\psi_p - \sigma_p)^2, \qquad \kappa_p = \sum_c (n_{cp} / N_p)^2,

so that its mean over the pairs, each weighing :math:`N_p (1 - \kappa_p)`, is the squared lack of fit of a typical pair. Its upper
limit is the :math:`\Delta` whose excess would fall as low as the observed one with probability 1 less the level, the variance
of the excess being :math:`v + 4 \lambda \Delta`. For the unknown :math:`\lambda` the larger is taken of :math:`\sum_{c \ne c'}
K_{cc'}^2 / \sum_c K_{cc}` and of :math:`(\operatorname{var} \sum_p N_p r_p \hat\psi_p - \sum_c K_{cc}^2) / Q` with :math:`r =
\hat\psi - \sigma`.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, ndtri

from beatpath._text import confidence, counted
from beatpath.inference.scale.additive import Additive
from beatpath.inference.scale.lack_of_fit_moments import (
    effective_clusters,
    moments,
    off_diagonal,
    own_share,
    variance_along,
)
from beatpath.inference.win_rates.residuals import Residuals
from beatpath.inference.win_rates.win_rates import FEW_CLUSTERS

Array = NDArray[np.float64]

MATERIAL = 0.03  # root mean squared lack of fit above which one scale hides what matters: 3 percentage points


@dataclass(frozen=True, slots=True)
class LackOfFit:
    """How badly one scale of strengths fits.

    Attributes
    ----------
    agents, pairs, circles : int
        What was fitted; `circles` is how many more pairs there are than a scale always fits.
    clusters : float
        Effective number of clusters; below 20 nothing is tested.
    statistic : float
        *Q*.
    level : float
    expected, deviation : float or None
        Its mean and standard deviation if one scale is the truth; these and all below None where they cannot be told.
    df : float or None
        Degrees of freedom of the chi-squared distribution with these moments.
    p_value : float or None
        Chance of a *Q* as large if one scale is the truth.
    rms : float or None
        Root mean squared lack of fit of a pair, net of noise.
    rms_high : float or None
        What it may be at most, with confidence `level`.
    """

    agents: int
    pairs: int
    circles: int
    clusters: float
    statistic: float
    level: float
    expected: float | None = None
    deviation: float | None = None
    df: float | None = None
    p_value: float | None = None
    rms: float | None = None
    rms_high: float | None = None

    @property
    def significant(self) -> bool:
        """Whether noise alone does not explain the lack of fit."""
        return self.p_value is not None and self.p_value < 1 - self.level

    @property
    def defensible(self) -> bool | None:
        """Whether one scale may stand for the matrix, as far as its lack of fit goes; None where the data cannot tell.

        No, when the lack of fit is beyond noise and its root mean square above 3 percentage points; yes, when with confidence
        it is at most that.
        """
        if self.p_value is None or self.rms is None or self.rms_high is None:
            return None
        if self.significant and self.rms > MATERIAL:
            return False
        return True if self.rms_high <= MATERIAL else None

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if self.p_value is None or self.rms is None or self.rms_high is None:
            return f"Whether one scale fits cannot be told: {self._why_not}."
        lies = f"the typical pair lies {_points(self.rms)} from what it predicts, beyond noise"
        within = f"{_p(self.p_value)}; at most {_points(self.rms_high)} at {confidence(self.level)} confidence"
        return f"{self._verdict}: {lies} ({within})."

    @property
    def _why_not(self) -> str:
        if self.circles < 1:
            return "no pairs form a circle, and rates without one always lie on a scale"
        if self.clusters < FEW_CLUSTERS:
            return f"the rates rest on about {counted(round(self.clusters), 'cluster')}, and {FEW_CLUSTERS} are needed"
        return "the clusters leave no positive variance"

    @property
    def _verdict(self) -> str:
        if self.defensible is not None:
            return f"One scale is {'' if self.defensible else 'not '}defensible"
        if self.significant:
            return "One scale does not fit exactly, and the data cannot tell whether that matters"
        return "Nothing speaks against one scale, but the data cannot rule out that it misleads"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return asdict(self)


def _points(share: float) -> str:
    return f"{100 * share:.1f} percentage points"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"


def lack_of_fit(fit: Additive, left: Residuals, off: Array, *, level: float, seed: int) -> LackOfFit:
    """Test whether rates lie on one scale, and measure how far off they are.

    Parameters
    ----------
    fit : Additive
        The first order of the fit.
    left : Residuals
        What it leaves over.
    off : (p,) float
        Observed less predicted rates.
    level : float
    seed : int
        Of the random vectors that measure the variance where there are many pairs.
    """
    circles, clusters = len(off) - fit.n_agents + 1, effective_clusters(fit, left)
    statistic, total = float(fit.weight @ off**2), float(fit.weight @ (1 - own_share(fit, left)))
    untold = LackOfFit(fit.n_agents, len(off), circles, clusters, statistic, level)
    if circles < 1 or total <= 0:
        return untold
    single = moments(fit, left)
    mean, variance = single.mean, 2 * off_diagonal(fit, left, single, np.random.default_rng(seed))
    if mean <= 0 or variance <= 0:
        return untold
    df, excess, deviation = 2 * mean**2 / variance, statistic - mean, float(np.sqrt(variance))
    seen = replace(untold, expected=mean, deviation=deviation, df=df, rms=float(np.sqrt(max(excess, 0.0) / total)))
    if clusters < FEW_CLUSTERS:
        return seen
    slope = max(variance / (2 * mean), (variance_along(left, off) - single.own) / max(statistic, 1e-300))
    high = _upper(max(excess, -deviation), variance, slope, float(ndtri(level)))  # more luck makes no limit lower
    p_value = float(gammaincc(df / 2, df / 2 * statistic / mean))
    return replace(seen, p_value=p_value, rms_high=float(np.sqrt(max(high, 0.0) / total)))


def _upper(excess: float, variance: float, slope: float, z: float) -> float:
    r"""The :math:`\Delta` with :math:`\Delta - z \sqrt{v + 4 \lambda \Delta}` equal to the excess.

    >>> _upper(0.0, 4.0, 0.0, 1.5)
    3.0
    """
    middle = 2 * slope * z**2
    square = middle**2 + z**2 * max(variance + 4 * slope * excess, 0.0)
    return excess + middle + float(np.copysign(np.sqrt(square), z))
