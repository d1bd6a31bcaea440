r"""Time-uniform boundaries: crossed by a martingale with at most a given probability, however often one looks.

For increments that are Gaussian given the past, with total variance :math:`V`, mixing :math:`e^{\lambda S - \lambda^2
V/2}` over Gaussian :math:`\lambda` gives Robbins' bound

.. math::  P \Bigl( \exists t : |S_t| \ge \sqrt{(V_t + \rho) \log \frac{V_t + \rho}{\rho \alpha^2}} \Bigr) \le \alpha,

and asymptotically for other increments [1]_. A head-to-head with bounded outcomes has an exact bound: if outcomes
average one half given the past, betting against one half cannot make a gambler rich.

References
----------
.. [1] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas, "Time-uniform central limit theory and asymptotic
       confidence sequences", *Annals of Statistics* 52 (2024).
.. [2] I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by betting", *Journal of the Royal Statistical Society B*
       86 (2024).
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, logsumexp

from beatpath._arrays import Bools, Floats

# Of what a bettor may stake: small ones for small differences, large ones for few items
FRACTIONS = np.geomspace(0.02, 0.8, 8)
ROUNDS = 20  # fixed-point iterations, each of which at least halves the error


def mixture_bound(variance: Floats, scale: float, alpha: float | Floats) -> Floats:
    r"""Return the value that :math:`|S|` exceeds at some time with probability at most `alpha`.

    Parameters
    ----------
    variance : float array
        Total variance of the increments so far.
    scale : float
        :math:`\rho`, above zero: the bound is narrowest at variances of about ten times as much.
    alpha : float or float array
        The error probability.

    Examples
    --------
    At a single look 1.96 standard deviations suffice; uniformly over time it takes more.

    >>> round(float(mixture_bound(np.array(1000.0), 100.0, 0.05)) / 1000**0.5, 2)
    3.04
    """
    grown = np.asarray(variance) + scale
    return np.sqrt(grown * np.log(grown / (scale * alpha**2)))


def information_needed(radius: Floats, scale: float, alpha: float | Floats) -> Floats:
    r"""Return the information (one over the variance of an estimate) at which `mixture_bound` reaches a half-width.

    Solves :math:`r I = \sqrt{(I + \rho) \log \frac{I + \rho}{\rho \alpha^2}}` for *I* by fixed-point iteration: every
    round halves the error.

    >>> needed = information_needed(np.array([0.1]), 100.0, 0.05)
    >>> (mixture_bound(needed, 100.0, 0.05) / needed).round(6).tolist()
    [0.1]
    """
    needed = np.ones_like(radius)
    for _ in range(ROUNDS):
        needed = mixture_bound(needed, scale, alpha) / radius
    return needed


def head_to_head_e_value(wins: float, losses: float) -> float:
    r"""Return the e-value against two agents being equal: the wealth of a bettor who started with one.

    Bets of :math:`1 + \lambda (x - 1/2)`, mixed uniformly over :math:`\lambda \in (-2, 2)`, multiply to

    .. math::  E = 2^{w + l} \int_0^1 q^w (1 - q)^l \, dq = 2^{w + l} B(w + 1, l + 1),

    a supermartingale under any schedule as long as each outcome averages one half given the past; ties change nothing.
    It exceeds :math:`1 / \alpha` at some time with probability at most :math:`\alpha`, exactly. An outcome between 0
    and 1, counted as that share of a win and the rest of a loss, makes it smaller, never larger.

    >>> head_to_head_e_value(0, 0), round(head_to_head_e_value(20, 4), 2)
    (1.0, 63.16)
    """
    with np.errstate(over="ignore"):  # overflow: infinite wealth
        return float(np.exp(_log_e_value(wins, losses)))


def _log_e_value(wins: Floats | float, losses: Floats | float) -> Floats:
    return (wins + losses) * np.log(2) + betaln(wins + 1, losses + 1)


def bounded_bets(gain: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    r"""Return the log e-values, after each of some increments, against their mean being at most zero, and at least zero.

    An increment must lie between `low` and `high`, which are known before it, and have the same mean given the past. Bets of
    :math:`1 + f Z / |\text{low}|` multiply to a supermartingale if that mean is at most zero; the e-value is the mean over `FRACTIONS` *f*.
    It exceeds :math:`1 / \alpha` at some time with probability at most :math:`\alpha`, exactly [2]_.

    >>> up, down = bounded_bets(np.array([1.0, 0.5]), np.array([-1.0, -1.0]), np.array([1.0, 1.0]))
    >>> bool(np.isclose(np.exp(up[1]), ((1 + FRACTIONS) * (1 + FRACTIONS / 2)).mean())), bool(down[1] < 0)
    (True, True)
    """

    def bet(sign: float, worst: Floats) -> Floats:
        staked = FRACTIONS[:, None] * sign * gain / np.maximum(-worst, 1e-300)
        return logsumexp(np.cumsum(np.log1p(staked), axis=1), axis=0) - np.log(len(FRACTIONS))

    with np.errstate(over="ignore"):
        return bet(1.0, low), bet(-1.0, -high)


def certain_wins(wins: Floats, losses: Floats, alpha: float) -> Bools:
    """Return where the win rate is certainly above one half, each with time-uniform error `alpha`.

    >>> certain_wins(np.array([20.0, 4.0, 12.0]), np.array([4.0, 20.0, 12.0]), 0.05).tolist()
    [True, False, False]
    """
    return (wins > losses) & (_log_e_value(wins, losses) > -np.log(alpha))


def head_to_head_bound(wins: float, losses: float, alpha: float) -> float:
    r"""Return the win rate closest to one half that is not rejected (e-value at most :math:`1 / \alpha`).

    It excludes one half exactly where `head_to_head_e_value` exceeds :math:`1 / \alpha`.

    >>> [round(head_to_head_bound(wins, 24 - wins, 0.05), 3) for wins in (20, 4, 12)]
    [0.538, 0.462, 0.223]
    """
    more, less = max(wins, losses), min(wins, losses)
    if more <= 0:
        return 0.0

    def short(p: float) -> float:
        """Return how far the log e-value falls short of log(1 / alpha)."""
        return float(more * np.log(p) + less * np.log1p(-p) - betaln(more + 1, less + 1) - np.log(alpha))

    rate = more / (more + less)
    low = float(brentq(short, 1e-300, rate if less else 1 - 1e-16))
    return low if wins >= losses else 1 - low
