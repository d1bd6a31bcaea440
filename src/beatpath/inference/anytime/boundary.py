r"""Boundaries that a martingale crosses with at most a given chance, however often one looks.

For increments that are Gaussian given the past, with variances that add up to :math:`V`, mixing :math:`e^{\lambda S - \lambda^2 V/2}`
over Gaussian :math:`\lambda` gives Robbins' bound

.. math::  P \Bigl( \exists t : |S_t| \ge \sqrt{(V_t + \rho) \log \frac{V_t + \rho}{\rho \alpha^2}} \Bigr) \le \alpha,

for other increments in the limit [1]_. A head-to-head of bounded outcomes has an exact one: outcomes that are half on average
given the past cannot make a gambler rich who bets against a half.

References
----------
.. [1] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas, "Time-uniform central limit theory and asymptotic
       confidence sequences", *Annals of Statistics* 52 (2024).
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln

from beatpath._arrays import Floats

ROUNDS = 20


def mixture_bound(variance: Floats, scale: float, alpha: float) -> Floats:
    r"""Return what :math:`|S|` exceeds at some time with a chance of at most `alpha`.

    Parameters
    ----------
    variance : float array
        What the variances of the increments so far add up to.
    scale : float
        :math:`\rho`, above zero: the bound is narrowest at variances of about ten times as much.
    alpha : float
        The chance.

    Examples
    --------
    At one look 1.96 standard deviations would do; at every look from the first on it takes more.

    >>> round(float(mixture_bound(np.array(1000.0), 100.0, 0.05)) / 1000**0.5, 2)
    3.04
    """
    grown = np.asarray(variance) + scale
    bound: Floats = np.sqrt(grown * np.log(grown / (scale * alpha**2)))
    return bound


def information_needed(radius: Floats, scale: float, alpha: float) -> Floats:
    r"""Return the information (one over the variance of an estimate) at which `mixture_bound` comes down to a radius.

    Solves :math:`r I = \sqrt{(I + \rho) \log \frac{I + \rho}{\rho \alpha^2}}` for *I* by repetition: every round halves the error.

    >>> needed = information_needed(np.array([0.1]), 100.0, 0.05)
    >>> (mixture_bound(needed, 100.0, 0.05) / needed).round(6).tolist()
    [0.1]
    """
    needed = np.ones_like(radius)
    for _ in range(ROUNDS):
        needed = mixture_bound(needed, scale, alpha) / radius
    return needed


def head_to_head_e_value(wins: float, losses: float) -> float:
    r"""Return what a gambler who bets on a difference would have made of one, were the two equal: rarely much.

    Bets of :math:`1 + \lambda (x - 1/2)`, mixed evenly over :math:`\lambda \in (-2, 2)`, multiply to

    .. math::  E = 2^{w + l} \int_0^1 q^w (1 - q)^l \, dq = 2^{w + l} B(w + 1, l + 1),

    a supermartingale under any schedule as long as each outcome is a half on average given the past; ties change nothing. It
    exceeds :math:`1 / \alpha` at some time with a chance of at most :math:`\alpha`, exactly. An outcome between none and one
    counted as so much of a win and the rest of a loss makes it smaller, never larger.

    >>> head_to_head_e_value(0, 0), round(head_to_head_e_value(20, 4), 2)
    (1.0, 63.16)
    """
    with np.errstate(over="ignore"):  # beyond what a float holds: infinitely rich
        return float(np.exp((wins + losses) * np.log(2) + betaln(wins + 1, losses + 1)))


def head_to_head_bound(wins: float, losses: float, alpha: float) -> float:
    r"""Return the win rate nearest to a half that was never refuted: where betting against it made :math:`1 / \alpha` or less.

    It is beyond a half exactly where `head_to_head_e_value` exceeds :math:`1 / \alpha`.

    >>> [round(head_to_head_bound(wins, 24 - wins, 0.05), 3) for wins in (20, 4, 12)]
    [0.538, 0.462, 0.223]
    """
    more, less = max(wins, losses), min(wins, losses)
    if more <= 0:
        return 0.0

    def short(p: float) -> float:
        """By how much the logarithm of what was made falls short of that of one over alpha."""
        return float(more * np.log(p) + less * np.log1p(-p) - betaln(more + 1, less + 1) - np.log(alpha))

    rate = more / (more + less)
    low = float(brentq(short, 1e-300, rate if less else 1 - 1e-16))
    return low if wins >= losses else 1 - low
