r"""Intervals of single win rates: Wilson's, with the number of battles that an estimate is worth.

An estimate :math:`\hat\psi` with standard error *se* is worth :math:`n = \tilde g / se^2` battles, :math:`\tilde g` being the
variance of one battle *as the error was worked out*: :math:`N v / \varphi_0` of a pair that met, :math:`m (1 - m)` of another.
The interval holds all *x* with :math:`(\hat\psi - x)^2 \le z^2\, x (1 - x) / n` (Wilson 1927): never outside [0, 1], and not
narrow by chance where all battles were won.
"""

import numpy as np
from scipy.special import ndtri

from beatpath._arrays import Floats
from beatpath.fit.ties import slopes
from beatpath.inference.matrix.estimate import MatrixEstimate


def wilson_ends(p: Floats, n: Floats, z: Floats | float) -> tuple[Floats, Floats]:
    """Return Wilson's interval of a rate that is worth *n* battles.

    >>> low, high = wilson_ends(np.array([1.0]), np.array([10.0]), 1.959964)
    >>> low.round(3), high.round(3)
    (array([0.722]), array([1.]))
    """
    z2 = z**2 / n
    middle, reach = (p + z2 / 2) / (1 + z2), np.sqrt(z2 * p * (1 - p) + z2**2 / 4) / (1 + z2)
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)


def psi_intervals(made: MatrixEstimate, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the intervals of all win rates, (n, n) each; each holds by itself."""
    z = float(-ndtri((1 - level) / 2))
    R = made.rates
    grid = np.arange(R.n)
    g = slopes(made.theta, grid[:, None], grid[None, :])[1]
    N = R.weight
    phi0 = float(N @ (N * made.v)) / float(N @ made.g)
    g[R.a, R.b] = g[R.b, R.a] = made.v * R.weight / phi0
    with np.errstate(divide="ignore"):
        low, high = wilson_ends(made.psi, np.maximum(g / made.psi_stderr**2, 1e-3), z)
    np.fill_diagonal(low, 0.5)
    np.fill_diagonal(high, 0.5)
    return low, high
