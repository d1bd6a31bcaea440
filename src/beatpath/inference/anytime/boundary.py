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

Differences of scores at every look, of battles whose schedule nobody knows.

Whoever chose the pairs may have looked at everything before. If the outcome of a battle is, given the past and the pair, the win
rate of that pair on average, then :math:`M_k = \sum (x - p_k)` over the battles of pair *k* are martingales whatever the schedule,
and, outcomes being between 0 and 1, :math:`\exp(\sum_k \lambda_k M_k - \lambda_k^2 N_k / 8)` is a supermartingale [1]_. Mixing over
Gaussian :math:`\lambda` of variance :math:`1 / \rho`, for the pairs of two agents with all others, with :math:`V_k = N_k / 4`:

.. math::  P \Bigl( \exists t : \sum_k \frac{M_k^2}{V_k + \rho} \ge 2 \log \frac1\alpha + \sum_k \log \frac{V_k + \rho}{\rho} \Bigr) \le \alpha,

and so, by Cauchy and Schwarz, of any weights *w*,

.. math::  \Bigl| \sum_k w_k (\hat p_k - p_k) \Bigr| \le \sqrt{\sum_k w_k^2 \frac{V_k + \rho}{N_k^2}}
           \sqrt{2 \log \frac1\alpha + \sum_k \log \frac{V_k + \rho}{\rho}}.

A schedule may stop every pair when it happens to favour the same agent, so that errors of all pairs add up: the second root grows
with the number of agents, and this is the price of not knowing the chances. A pair that never met may have any win rate.

References
----------
.. [1] S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, "Time-uniform Chernoff bounds via nonnegative supermartingales",
       *Probability Surveys* 17 (2020).
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln

from beatpath._arrays import Floats, Ints
from beatpath.inference.anytime.stage import variances

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
    found: Floats = np.sqrt(grown * np.log(grown / (scale * alpha**2)))
    return found


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


SCALE = 12.5  # of the bound: the variance of fifty battles of a pair


def differences(a: Ints, b: Ints, battles: Floats, total: Floats, n_agents: int, alpha: float) -> tuple[Floats, Floats]:
    """Return the differences of mean win rates, and by how much each may be off at any look with a chance of at most `alpha`.

    Parameters
    ----------
    a, b : (m,) int
        Pairs that met.
    battles, total : (m,) float
        Their battles, and what *a* won of them.
    n_agents : int
    alpha : float

    Examples
    --------
    >>> a, b = np.triu_indices(3, 1)
    >>> gap, radius = differences(a, b, np.full(3, 1000.0), np.array([800.0, 900.0, 600.0]), 3, 0.05 / 3)
    >>> gap[0].round(2).tolist(), radius[0].round(2).tolist()
    ([0.0, 0.45, 0.6], [0.0, 0.08, 0.08])
    """
    n = n_agents
    rate, won = total / battles, np.full((n, n), 0.5)
    won[a, b], won[b, a] = rate, 1 - rate
    score = (won.sum(axis=1) - 0.5) / (n - 1)
    _, squares = variances(a, b, _squares(battles), n)
    logs = np.zeros((n, n))
    logs[a, b] = logs[b, a] = _logs(battles)
    of_agent, unmet = logs.sum(axis=1), _unmet(a, b, n)
    spent = 2 * np.log(1 / alpha) + of_agent[:, None] + of_agent[None, :] - logs
    radius = np.sqrt(squares * spent) + (unmet[:, None] + unmet[None, :]) / (2 * (n - 1))
    np.fill_diagonal(radius, 0.0)
    return score[:, None] - score[None, :], radius


def score_radius(a: Ints, b: Ints, battles: Floats, n_agents: int, alpha: float) -> Floats:
    """Return by how much each mean win rate may be off at any look, each by itself with a chance of at most `alpha`.

    The same bound as for differences, over the pairs of one agent.

    >>> a, b = np.triu_indices(3, 1)
    >>> score_radius(a, b, np.full(3, 1000.0), 3, 0.05).round(3)
    array([0.04, 0.04, 0.04])
    """
    squares, _ = variances(a, b, _squares(battles), n_agents)
    logs = np.bincount(a, _logs(battles), n_agents) + np.bincount(b, _logs(battles), n_agents)
    radius: Floats = np.sqrt(squares * (2 * np.log(1 / alpha) + logs)) + _unmet(a, b, n_agents) / (2 * (n_agents - 1))
    return radius


def _squares(battles: Floats) -> Floats:
    r""":math:`(V_k + \rho) / N_k^2` of every pair."""
    return (battles / 4 + SCALE) / battles**2


def _logs(battles: Floats) -> Floats:
    r""":math:`\log ((V_k + \rho) / \rho)` of every pair."""
    return np.log1p(battles / 4 / SCALE)


def _unmet(a: Ints, b: Ints, n_agents: int) -> Ints:
    """How many others every agent never met."""
    return n_agents - 1 - np.bincount(np.concatenate((a, b)), minlength=n_agents)
