r"""What a plan aims at, and what it takes: how many standard errors a difference must have to be found.

A difference of true size :math:`\delta`, whose estimate has the standard error :math:`s` on :math:`\nu` degrees of freedom, is
found when Student's statistic exceeds its critical value :math:`t`. That happens with probability
:math:`\Pr(T_\nu(\delta / s) > t)`, :math:`T_\nu(\lambda)` being noncentral with noncentrality :math:`\lambda`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, chdtri, nctdtr, nctdtrinc

from beatpath._errors import UsageError
from beatpath._text import counted, quoted
from beatpath._validate import require_share
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import t_critical

Array = NDArray[np.float64]

MANY = 1e9  # degrees of freedom that are as good as infinitely many
FAR = 200.0  # critical values of Student's t beside which a Gaussian error is nothing
MOST = 2**50  # battles; what needs more is called unreachable


@dataclass(frozen=True, slots=True)
class Aim:
    """What a plan aims at: to find a difference at this critical value with this probability.

    Parameters
    ----------
    level : float
        Of confidence, for one difference.
    power : float
        Probability of finding what is there.
    critical : float, optional
        Critical value on the Gaussian scale, such as that of simultaneous intervals; by default that of `level`.
    """

    level: float = 0.95
    power: float = 0.8
    critical: float | None = None

    def __post_init__(self) -> None:
        require_share("level", self.level)
        require_share("power", self.power)
        if self.critical is not None and not (np.isfinite(self.critical) and self.critical > 0):
            raise UsageError(f"`critical` must be a finite number above 0; got {quoted(self.critical)}.")

    @property
    def value(self) -> float:
        """The critical value on the Gaussian scale."""
        return bonferroni(self.level, 2).value if self.critical is None else float(self.critical)

    def settings(self) -> dict[str, Any]:
        """Return what was told, and the critical value."""
        return {"level": self.level, "power": self.power, "critical": self.value}


def standard_errors_needed(critical: float, df: ArrayLike, power: float) -> Array:
    r"""Return how many standard errors a difference must have to be found with this probability.

    The :math:`\lambda \ge 0` with :math:`\Pr(T_\nu(\lambda) > t) = \text{power}`, where *t* is the critical value for
    :math:`\nu` degrees of freedom. For many it is :math:`z_{level} + z_{power}`. Where *t* is very large, only the error of the
    standard error counts, :math:`T_\nu(\lambda) \approx \lambda / \sqrt{\chi^2_\nu / \nu}`.

    >>> standard_errors_needed(1.959964, [np.inf, 10, 2], 0.8).round(3)
    array([2.802, 3.11 , 5.653])
    """
    nu = np.minimum(np.asarray(df, dtype=np.float64), MANY)
    t = t_critical(critical, nu)
    near = np.minimum(t, FAR)  # beyond which the exact inverse takes for ever
    needed = np.where(t > FAR, t * np.sqrt(chdtri(nu, 1 - power) / nu), nctdtrinc(nu, 1 - power, near))
    return np.maximum(needed, 0.0)


def chance_of_missing(critical: float, df: ArrayLike, standard_errors: ArrayLike) -> Array:
    """Return the probability of not finding a difference of so many standard errors.

    >>> chance_of_missing(1.959964, [np.inf, 10, 2], [2.802, 3.11, 5.653]).round(3)
    array([0.2, 0.2, 0.2])
    """
    nu, size = np.minimum(np.asarray(df, dtype=np.float64), MANY), np.asarray(standard_errors, dtype=np.float64)
    t = t_critical(critical, nu)
    missed = np.where(t > FAR, chdtrc(nu, nu * (size / t) ** 2), nctdtr(nu, size, np.minimum(t, FAR)))
    return np.where(np.isnan(missed) & (size > t), 0.0, missed)  # too small to be told


def score_amount(value: float, settings: Mapping[str, Any]) -> str:
    """Return a difference of scores with its unit: percentage points where scores are win rates.

    >>> score_amount(0.0412, {"estimand": "mean_win_rate"}), score_amount(12.34, {"estimand": "mean_score"})
    ('4.1 percentage points', '12.3')
    """
    estimand = settings["estimand"]
    if isinstance(estimand, Mapping) or estimand in ("mean_win_rate", "as_sampled", "probability_of_improvement"):
        return f"{100 * value:.2g} percentage points"
    return f"{value:.3g}"


def times_in_ten(power: float) -> str:
    """Return a probability as people count.

    >>> times_in_ten(0.8), times_in_ten(0.95)
    ('8 times in 10', '95 times in 100')
    """
    tenths = round(10 * power, 9)
    return f"{tenths:.0f} times in 10" if tenths.is_integer() else f"{100 * power:.4g} times in 100"


def about(number: float) -> str:
    """Return a number of battles in words, to two figures.

    >>> about(873.0), about(1.0), about(12345.0)
    ('870 more battles', '1 more battle', '12,000 more battles')
    """
    if not number < MOST:
        return "more battles than can be played"
    digits = max(int(np.floor(np.log10(max(number, 1)))) - 1, 0)
    return counted(round(number, -digits), "more battle")
