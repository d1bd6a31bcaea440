"""The Thurstone-Mosteller model: differences of strengths, in normal deviates, predict win rates."""

from typing import Any

import numpy as np
from scipy.special import log_ndtr

from beatpath._arrays import Floats
from beatpath.fit.laplacian import centered, inner
from beatpath.fit.pairs import Comparisons, fit_pairs
from beatpath.fit.ties import Terms, TieModel
from beatpath.methods.graph.connection import require_connection
from beatpath.methods.profile import Profile
from beatpath.methods.rating.bradley_terry.bradley_terry import comparisons, fit_details, rating_levels, require_prior
from beatpath.methods.result import Outcome

DENSE = 1500  # most agents for which standard errors are computed


def thurstone(profile: Profile, *, prior: float = 0.0, max_iter: int = 100) -> Outcome:
    r"""Rate agents by the Thurstone-Mosteller model.

    A difference of ratings, in normal deviates, predicts the win rate.

    Every agent performs around its strength with a normal error, and the better performance wins [1]_. With equal
    errors (case V) and the unit such that a difference of two performances has variance 1,

    .. math::  P(a \text{ beats } b) = \Phi(\theta_a - \theta_b).

    Mosteller [2]_ fitted the deviates of observed shares by least squares; here the strengths maximize the likelihood
    of all battles, so shares of 0 and 1 and unequal numbers of battles are no problem.

    Parameters
    ----------
    profile : Profile
        Battles or their counts with any weights; the pairs of ballots; win rates, with each compared pair as one
        battle.
    prior : float
        Wins and losses of every agent against one of strength zero, which keeps every strength finite; default 0.
    max_iter : int
        Maximum number of Newton steps; the status says if it is reached.

    Returns
    -------
    Outcome
        Strengths with mean zero. Details: ``standard_errors``, from the observed information, for up to 1,500 agents;
        ``iterations``, ``gradient``, ``accuracy``, ``log_likelihood``.

    Raises
    ------
    DataError
        If no finite estimate exists, with the groups of agents and remedies.

    Examples
    --------
    Ada won 84 of 100 against Bob: nearly one normal deviate.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> result = thurstone(profile_of(Pairs(("ada", "bob"), [0], [1], [[84, 16, 0, 0]])))
    >>> result.score.round(3), result.details["standard_errors"]["ada"].__round__(3)
    (array([ 0.497, -0.497]), 0.075)

    Notes
    -----
    Newton's method on the counts, as in `bradley_terry`. Ties are half a win and half a loss, or dropped with the
    convention ``ties="drop"``. Log odds are about 1.6 to 1.7 times these deviates near even strengths, and the tails
    differ: here upsets of much stronger agents are rarer.

    References
    ----------
    .. [1] L. L. Thurstone, "A law of comparative judgment", *Psychological Review* 34 (1927), 273-286.
    .. [2] F. Mosteller, "Remarks on the method of paired comparisons: I", *Psychometrika* 16 (1951), 3-9.
    """
    require_prior(prior, max_iter)
    rows, _ = comparisons(profile)
    n = rows.n_agents
    if prior:
        rows = _with_average_agent(rows, prior)
    elif n > 1:
        wins, losses, _ = rows.counts.T
        require_connection(profile.agents, rows.a, rows.b, wins, losses, "Thurstone")
    fit = fit_pairs(rows, TieModel(probit), max_iter=max_iter)
    level, strength = rating_levels(fit.strength[:n] - fit.strength[:n].mean(), fit.ended)
    details: dict[str, Any] = fit_details(fit.ended, fit.log_likelihood, "normal deviates")
    details["standard_errors"] = None
    if n <= DENSE:
        error = np.sqrt(np.maximum(np.diag(centered(centered(fit.covariance()[:n, :n]).T)), 0.0))
        details["standard_errors"] = dict(zip(profile.agents, error.tolist(), strict=True))
    return Outcome(level, strength, fit.ended.status, details)


def probit(eta: Floats, _: float, counts: Floats) -> Terms:
    r"""The normal model of wins, :math:`w \ln \Phi(\eta) + l \ln \Phi(-\eta)`; ties are halved before.

    >>> probit(np.zeros(1), 0.0, np.array([[3.0, 1.0, 0.0]])).lead.round(4)  # two wins over, times the square root of 2 / pi
    array([1.5958])
    """
    wins, losses = counts[:, 0], counts[:, 1]
    up, down = log_ndtr(eta), log_ndtr(-eta)
    density = -(eta**2) / 2 - np.log(2 * np.pi) / 2
    rise, fall = np.exp(density - up), np.exp(density - down)
    bent = wins * rise * (eta + rise) + losses * fall * (fall - eta)
    return Terms(inner(wins, up) + inner(losses, down), wins * rise - losses * fall, bent)


def _with_average_agent(rows: Comparisons, prior: float) -> Comparisons:
    """The rows, and one more agent with so many wins and losses against every other."""
    n = rows.n_agents
    own = np.arange(n, dtype=np.int32)
    a, b = np.concatenate([rows.a, own]), np.concatenate([rows.b, np.full(n, n, dtype=np.int32)])
    counts = np.vstack([rows.counts, np.tile([prior, prior, 0.0], (n, 1))])
    order = np.lexsort((b, a))
    return Comparisons(n + 1, a[order], b[order], counts[order])
