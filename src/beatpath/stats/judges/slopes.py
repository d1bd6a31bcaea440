r"""One logistic regression per judge, all in parallel: how its votes follow the lead, and what else affects them.

.. math::  \operatorname{logit} P_j(a \succ b) = r_j d + x \cdot b_j,

with :math:`d` the lead by the others, and a normal prior that can fix a column. The sums of a judge are sums over its
cells, so a step takes one pass over the cells, however many judges there are.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Bools, Floats, Ints
from beatpath.stats.codes import sums_by_code
from beatpath.stats.judges.votes import Votes

FIXED_PRECISION = 1e12  # precision that fixes a coefficient at its prior mean
MOST_STEP = 1.0  # largest change of a coefficient in one step, which prevents divergence


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Coefficients (judges, K), their information with the prior (judges, K, K), and fitted shares of cells (c,)."""

    coefficient: Floats
    information: Floats
    p: Floats


def judge_slopes(
    votes: Votes, z: Floats, mean: Floats, precision: Floats, *, start: Floats | None = None, max_iter: int = 100
) -> Slopes:
    """Fit the votes of every judge to the columns `z` of their cells, with a normal prior.

    Parameters
    ----------
    votes : Votes
        Counts by judge and pair.
    z : (c, K) float
        The lead by the others, then other columns.
    mean, precision : (judges, K) or (K,) float
        Of the prior, independent between columns.
    start : (judges, K) float, optional
        Starting point; by default the prior mean.
    max_iter : int, default 100
        Most iterations.

    Examples
    --------
    A judge that gives three of four votes to the side with a lead of log 3 has slope one.

    >>> votes = Votes(2, 1, *np.array([[0], [0], [1]]), np.zeros((1, 0)), *np.array([[75.0], [100], [0]]))
    >>> slope = judge_slopes(votes, np.log([[3.0]]), np.ones((1, 1)), np.full((1, 1), 1e-9)).coefficient
    >>> bool(np.isclose(slope[0, 0], 1))
    True
    """
    mean, precision = (np.broadcast_to(one, (votes.n_judges, z.shape[1])) for one in (mean, precision))
    at = (mean if start is None else start).copy()
    for _ in range(max_iter):
        p = expit((z * at[votes.judge]).sum(axis=1))
        gradient = sums_by_code(votes.judge, z * (votes.wins - votes.n * p)[:, None], votes.n_judges)
        gradient = gradient - precision * (at - mean)
        information = _information(votes, z, votes.n * p * (1 - p), precision)
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, initial=0.0)
        at = at + step * np.minimum(1.0, MOST_STEP / np.maximum(longest, 1e-300))[:, None]
        if longest.max(initial=0.0) < 1e-6:
            break
    p = expit((z * at[votes.judge]).sum(axis=1))
    return Slopes(at, _information(votes, z, votes.n * p * (1 - p), precision), p)


def _information(votes: Votes, z: Floats, w: Floats, precision: Floats) -> Floats:
    """Return the information of every judge, with the prior."""
    k = z.shape[1]
    products = w[:, None, None] * z[:, :, None] * z[:, None, :]
    total = sums_by_code(votes.judge, products.reshape(-1, k * k), votes.n_judges).reshape(-1, k, k)
    return total + precision[:, :, None] * np.eye(k)


def efficient(votes: Votes, z: Floats, fit: Slopes, column: int) -> Floats:
    """Return the part of a column not explained by the others, by cell, weighted by each judge's information.

    Its score has mean zero to first order, whatever the other coefficients are.
    """
    others = [k for k in range(z.shape[1]) if k != column]
    if not others:
        return z[:, column]
    inner = fit.information[:, others][:, :, others]
    through = np.linalg.solve(inner, fit.information[:, others, column][:, :, None])[:, :, 0]
    return z[:, column] - (z[:, others] * through[votes.judge]).sum(axis=1)


def holding(precision: Floats, column: int) -> Floats:
    """Return the precision with one column fixed at its prior mean."""
    held = precision.copy()
    held[:, column] = FIXED_PRECISION
    return held


def score_by_agent(votes: Votes, weight: Floats) -> Floats:
    """Return the derivative of a sum over cells by the strengths, by judge and agent, (judges, n)."""
    n, cells = votes.n_agents, votes.n_judges * votes.n_agents
    at: Ints = votes.judge * n
    return (sums_by_code(at + votes.a, weight, cells) - sums_by_code(at + votes.b, weight, cells)).reshape(-1, n)


def known(votes: Votes, z: Floats) -> Bools:
    """Return whether a judge's cells carry any information about each column, (judges, K)."""
    return sums_by_code(votes.judge, np.abs(z) * (votes.n > 0)[:, None], votes.n_judges) > 1e-9
