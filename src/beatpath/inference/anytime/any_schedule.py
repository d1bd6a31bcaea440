r"""Differences of scores at every look, of battles whose schedule nobody knows.

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

from beatpath._arrays import Floats, Ints
from beatpath.inference.anytime.stage import variances

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
