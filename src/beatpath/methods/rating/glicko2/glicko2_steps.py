r"""One rating period of Glicko-2 for one agent, on the scale of log odds.

With the opponents' :math:`\mu_j, \phi_j`, outcomes :math:`s_j` and weights :math:`w_j`,

.. math::  g(\phi) = \frac{1}{\sqrt{1 + 3\phi^2/\pi^2}}, \quad E_j = \frac{1}{1 + e^{-g(\phi_j)(\mu - \mu_j)}}, \quad
           \frac1v = \sum_j w_j g(\phi_j)^2 E_j (1 - E_j), \quad \Delta = v \sum_j w_j g(\phi_j)(s_j - E_j).

M. E. Glickman, *Example of the Glicko-2 system*, 2013, steps 3 to 8.
"""

from collections.abc import Iterable
from math import exp, log, pi, sqrt, tanh

TOLERANCE = 1e-9  # of the logarithm of a squared volatility

Meeting = tuple[float, float, float, float]


def damping(phi: float) -> float:
    """Return how much less a battle says when the opponent's strength is uncertain: g.

    >>> round(damping(30 / 173.7178), 4)
    0.9955
    """
    return 1 / sqrt(1 + 3 * (phi / pi) ** 2)


def expected(gap: float, phi: float) -> float:
    """Return the expected outcome against an opponent `gap` below whose strength is uncertain by `phi`."""
    return (1 + tanh(damping(phi) * gap / 2)) / 2


def after_period(
    mu: float, phi: float, sigma: float, meetings: Iterable[Meeting], tau: float
) -> tuple[float, float, float]:
    """Return strength, deviation and volatility after a period's battles: (opponent's mu, phi, outcome, weight) each.

    >>> [round(x, 5) for x in after_period(0.0, 2.0148, 0.06, [(-0.5756, 0.1727, 1, 1)], 0.5)]
    [0.75625, 1.45156, 0.06]
    """
    information = surprise = 0.0
    for mu_j, phi_j, s, w in meetings:
        g, e = damping(phi_j), expected(mu - mu_j, phi_j)
        information += w * g * g * e * (1 - e)
        surprise += w * g * (s - e)
    sigma = volatility(phi, sigma, information, surprise, tau)
    phi = 1 / sqrt(1 / (phi * phi + sigma * sigma) + information)
    return mu + phi * phi * surprise, phi, sigma


def volatility(phi: float, sigma: float, information: float, surprise: float, tau: float) -> float:
    """Return the volatility after a period: where the posterior of its logarithm peaks, by the Illinois method."""
    if not information:
        return sigma
    v, square, a = 1 / information, (surprise / information) ** 2, log(sigma * sigma)

    def slope(x: float) -> float:
        grown = phi * phi + v + exp(x)
        return exp(x) * (square - grown) / (2 * grown * grown) - (x - a) / (tau * tau)

    low, high = a, log(square - phi * phi - v) if square > phi * phi + v else a - tau
    while square <= phi * phi + v and slope(high) < 0:
        high -= tau
    at_low, at_high = slope(low), slope(high)
    while abs(high - low) > TOLERANCE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return exp(low / 2)
