r"""Models of ties in paired comparisons: half a win for a tie, Davidson's model, Rao and Kupper's.

All are functions of the lead :math:`\eta`, the difference of the two strengths in log odds plus covariate effects,
and all are concave in it and in their tie parameter jointly.

=============  =======================================  =======================================  =========================
model          *a* wins                                 tie                                      parameter
=============  =======================================  =======================================  =========================
half           :math:`\sigma(\eta)`                     half a win and half a loss               none
Davidson       :math:`e^{\eta/2} / D`                   :math:`\nu / D`                          :math:`\delta = \ln \nu`
Rao-Kupper     :math:`\sigma(\eta - \kappa)`            what is left                             :math:`\kappa = \ln \theta`
=============  =======================================  =======================================  =========================

with :math:`D = e^{\eta/2} + e^{-\eta/2} + \nu`. Davidson [1]_ gives ties a weight of :math:`\nu` times the geometric
mean of the two strengths :math:`\pi = e^{\text{strength}}`. Rao and Kupper [2]_ give a win the probability
:math:`\pi_a / (\pi_a + \theta \pi_b)` with a threshold :math:`\theta \ge 1`, so a tie has :math:`(\theta^2 - 1)\,
\pi_a \pi_b / ((\pi_a + \theta \pi_b)(\theta \pi_a + \pi_b))`.

References
----------
.. [1] R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments", *Journal of
       the American Statistical Association* 65 (1970), 317-328.
.. [2] P. V. Rao, L. L. Kupper, "Ties in paired-comparison experiments: a generalization of the Bradley-Terry model",
       *Journal of the American Statistical Association* 62 (1967), 194-204.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from scipy.special import expit

from beatpath._arrays import AnyInts, Floats
from beatpath.fit.laplacian import inner


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """A log-likelihood and its derivatives: per row in the lead, and in total in the tie parameter.

    Parameters
    ----------
    value : float
        The log-likelihood.
    lead, lead_lead : (r,) float
        First derivative in the lead of each row, and minus the second.
    tie, tie_tie : float
        The same in the tie parameter; zero if there is none.
    lead_tie : (r,) float or None
        Minus the mixed derivative.
    """

    value: float
    lead: Floats
    lead_lead: Floats
    tie: float = 0.0
    tie_tie: float = 0.0
    lead_tie: Floats | None = None

    def with_normal_lead(self, lead: Floats, precision: Floats) -> "Terms":
        """Return the same with normal distributions of the leads around zero."""
        pull = precision * lead
        return replace(
            self, value=self.value - inner(pull, lead) / 2, lead=self.lead - pull, lead_lead=self.lead_lead + precision
        )


def logistic(eta: Floats) -> tuple[Floats, Floats]:
    r"""Return :math:`\sigma(\eta)` and :math:`\ln(1 + e^\eta)` without overflow.

    >>> logistic(np.array([0.0, 1000.0]))[0]
    array([0.5, 1. ])
    """
    small = np.exp(-np.abs(eta))
    above = 1.0 / (1.0 + small)
    return np.where(eta >= 0, above, small * above), np.maximum(eta, 0.0) - np.log(above)


def slopes(strength: Floats, a: AnyInts, b: AnyInts) -> tuple[Floats, Floats]:
    r"""Return :math:`m = \sigma(\theta_a - \theta_b)` of pairs, and its slope :math:`g = m (1 - m)`."""
    m = expit(strength[a] - strength[b])
    return m, m * expit(strength[b] - strength[a])


def half(eta: Floats, _: float, counts: Floats) -> Terms:
    r"""The logistic model of wins, :math:`w \ln \sigma(\eta) + l \ln \sigma(-\eta)`; ties are halved before.

    >>> half(np.zeros(1), 0.0, np.array([[3.0, 1.0, 0.0]])).lead
    array([1.])
    """
    wins, n = counts[:, 0], counts[:, 0] + counts[:, 1]
    p, rest = logistic(eta)
    expected = n * p
    return Terms(inner(wins, eta) - inner(n, rest), wins - expected, expected - expected * p)


def davidson(eta: Floats, delta: float, counts: Floats) -> Terms:
    r"""Davidson's model, :math:`(w - l)\,\eta/2 + t\,\delta - n \ln(e^{\eta/2} + e^{-\eta/2} + e^\delta)`.

    >>> t = davidson(np.zeros(1), 0.0, np.array([[1.0, 1.0, 1.0]]))
    >>> round(t.value, 6), t.lead, t.tie  # three thirds
    (-3.295837, array([0.]), 0.0)
    """
    wins, losses, ties = counts.T
    n = wins + losses + ties
    top = np.maximum(np.abs(eta) / 2, delta)
    a, b, t = np.exp(eta / 2 - top), np.exp(-eta / 2 - top), np.exp(delta - top)
    whole = a + b + t
    a, b, t = a / whole, b / whole, t / whole
    return Terms(
        inner(wins - losses, eta) / 2 + float(ties.sum()) * delta - inner(n, top + np.log(whole)),
        (wins - losses - n * (a - b)) / 2,
        n * (a + b - (a - b) ** 2) / 4,
        float(ties.sum()) - inner(n, t),
        inner(n, t * (1 - t)),
        -n * t * (a - b) / 2,
    )


def rao_kupper(eta: Floats, kappa: float, counts: Floats) -> Terms:
    r"""Rao and Kupper's model, :math:`(w+t)\ln\sigma(\eta-\kappa)+(l+t)\ln\sigma(-\eta-\kappa)+t\ln(e^{2\kappa}-1)`.

    >>> t = rao_kupper(np.zeros(1), np.log(2), np.array([[1.0, 1.0, 1.0]]))
    >>> round(t.value, 6), t.lead  # three thirds, at a threshold of two
    (-3.295837, array([0.]))
    """
    wins, losses, ties = counts.T
    if kappa <= 0:
        return Terms(-np.inf, np.zeros_like(eta), np.zeros_like(eta), lead_tie=np.zeros_like(eta))
    (p, more), (q, less) = logistic(eta - kappa), logistic(-eta - kappa)
    up, down = wins + ties, losses + ties
    bend_up, bend_down = up * p * (1 - p), down * q * (1 - q)
    gap = -float(np.expm1(-2 * kappa))
    tied = float(ties.sum())
    value = inner(up, eta - kappa - more) + inner(down, -eta - kappa - less) + tied * float(2 * kappa + np.log(gap))
    return Terms(
        value,
        up * (1 - p) - down * (1 - q),
        bend_up + bend_down,
        2 * tied / gap - inner(up, 1 - p) - inner(down, 1 - q),
        float((bend_up + bend_down).sum()) + 4 * tied * (1 - gap) / gap**2,
        bend_down - bend_up,
    )


@dataclass(frozen=True, slots=True)
class TieModel:
    """A model of ties.

    Parameters
    ----------
    terms : callable
        Maps lead, tie parameter and counts to `Terms`.
    start : callable or None
        Maps the share of ties to an initial parameter, that of equal agents; None if there is no parameter.
    symbol : str
        The published name of the parameter.
    bound : float
        The published parameter if nothing was tied.
    """

    terms: Callable[[Floats, float, Floats], Terms]
    start: Callable[[float], float] | None = None
    symbol: str = ""
    bound: float = 0.0


# The models by name.
HALF = TieModel(half)
TIE_MODELS = {
    "half": HALF,
    "davidson": TieModel(davidson, lambda s: float(np.log(2 * s / (1 - s))), "nu", 0.0),
    "rao_kupper": TieModel(rao_kupper, lambda s: float(np.log((1 + s) / (1 - s))), "theta", 1.0),
}


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    r"""The prior distribution of strengths and coefficients.

    Parameters
    ----------
    wins : float or (n,) float
        Wins and losses of every agent against one of strength zero: :math:`p \ln \sigma(\theta)\, \sigma(-\theta)`,
        up to a constant.
    precision : float
        Inverse variance of normal strengths with mean zero; infinite if all strengths are zero.
    coefficients : float
        The same for coefficients.

    Examples
    --------
    One win and one loss have an information of one half on a strength of zero.

    >>> Prior(wins=1.0).at(np.zeros(2), 2)[2]
    array([0.5, 0.5])
    """

    wins: Floats | float = 0.0
    precision: float = 0.0
    coefficients: float = 0.0

    @property
    def is_wins(self) -> bool:
        """Whether it is the same number of wins and losses for all agents, or flat."""
        return isinstance(self.wins, int | float) and not self.precision and not self.coefficients

    @property
    def is_flat(self) -> bool:
        """Whether it is flat in the strengths."""
        return not (self.has_wins or self.precision)

    @property
    def has_wins(self) -> bool:
        """Whether any agent has prior wins and losses."""
        return bool(self.wins) if isinstance(self.wins, int | float) else bool(self.wins.any())

    @property
    def fixed(self) -> bool:
        """Whether all strengths are fixed at zero."""
        return self.precision == inf

    def value(self, x: Floats, n_agents: int) -> float:
        """Return the log prior at all parameters."""
        return self.at(x, n_agents)[0]

    def at(self, x: Floats, n_agents: int) -> tuple[float, Floats, Floats]:
        """Return the log prior at all parameters (p,), its first derivatives and minus its second ones, (p,) each."""
        precision = np.full(len(x), self.coefficients)
        precision[:n_agents] = 0.0 if self.fixed else self.precision
        slope = -precision * x
        value = inner(slope, x) / 2
        if self.has_wins:
            strength = x[:n_agents]
            p, rest = logistic(strength)
            value -= float((self.wins * (2 * rest - strength)).sum())
            slope[:n_agents] += self.wins * (1 - 2 * p)
            precision[:n_agents] += 2 * self.wins * p * (1 - p)
        return value, slope, precision


NO_PRIOR = Prior()  # a flat prior
