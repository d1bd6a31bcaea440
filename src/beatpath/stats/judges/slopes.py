r"""One logistic regression a judge, all judges at once: how its votes follow the lead, and what else moves them.

.. math::  \operatorname{logit} P_j(a \succ b) = r_j d + x \cdot b_j,

with :math:`d` the lead by the others, and a normal prior that a column can be held fast with. The sums of a judge are sums
over its cells, so that a step costs one pass over the cells however many judges there are.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Bools, Floats, Ints
from beatpath.stats.codes import sums_by_code
from beatpath.stats.judges.votes import Votes

FAST = 1e12  # precision that holds a coefficient where it is
REACH = 1.0  # how far one step may move a coefficient


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Coefficients (judges, K), their information with the prior (judges, K, K), and the fitted share of every cell (c,)."""

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
    z : (c, K) float
        The lead by the others, then whatever else.
    mean, precision : (judges, K) float
        Of the prior, independent between columns.
    start : (judges, K) float, optional
        Where to begin; by default at the prior's mean.
    max_iter : int

    Examples
    --------
    A judge that gives three of four votes to the side with a lead of log 3 has the slope one.

    >>> votes = Votes(2, 1, *np.array([[0], [0], [1]]), np.zeros((1, 0)), *np.array([[75.0], [100], [0]]))
    >>> slope = judge_slopes(votes, np.log([[3.0]]), np.ones((1, 1)), np.full((1, 1), 1e-9)).coefficient
    >>> bool(np.isclose(slope[0, 0], 1))
    True
    """
    at = (mean if start is None else start).copy()
    for _ in range(max_iter):
        p = expit((z * at[votes.judge]).sum(axis=1))
        gradient = by_judge(votes, z * (votes.wins - votes.n * p)[:, None]) - precision * (at - mean)
        information = _bent(votes, z, votes.n * p * (1 - p), precision)
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1, initial=0.0)
        at = at + step * np.minimum(1.0, REACH / np.maximum(longest, 1e-300))[:, None]
        if longest.max(initial=0.0) < 1e-6:
            break
    p = expit((z * at[votes.judge]).sum(axis=1))
    return Slopes(at, _bent(votes, z, votes.n * p * (1 - p), precision), p)


def by_judge(votes: Votes, values: Floats) -> Floats:
    """Return sums over the cells of each judge, (judges, K)."""
    return np.column_stack([sums_by_code(votes.judge, column, votes.n_judges) for column in values.T])


def _bent(votes: Votes, z: Floats, w: Floats, precision: Floats) -> Floats:
    """Information of every judge, with the prior."""
    k = z.shape[1]
    information = np.zeros((votes.n_judges, k, k))
    for i in range(k):
        for j in range(i + 1):
            information[:, i, j] = information[:, j, i] = sums_by_code(
                votes.judge, w * z[:, i] * z[:, j], votes.n_judges
            )
        information[:, i, i] += precision[:, i]
    return information


def efficient(votes: Votes, z: Floats, fit: Slopes, column: int) -> Floats:
    """Return the part of a column that the others do not explain, by cell, as the information of each judge weighs it.

    The score in it has a mean of zero whatever the other coefficients are, to the first order.
    """
    others = [k for k in range(z.shape[1]) if k != column]
    if not others:
        return z[:, column]
    inner = fit.information[:, others][:, :, others]
    through = np.linalg.solve(inner, fit.information[:, others, column][:, :, None])[:, :, 0]
    left: Floats = z[:, column] - (z[:, others] * through[votes.judge]).sum(axis=1)
    return left


def holding(precision: Floats, column: int) -> Floats:
    """Return the precision with one column held at its prior mean."""
    held = precision.copy()
    held[:, column] = FAST
    return held


def score_by_agent(votes: Votes, weight: Floats) -> Floats:
    """Return, by judge and agent, how a sum over cells answers to the strengths, (judges, n)."""
    n, cells = votes.n_agents, votes.n_judges * votes.n_agents
    at: Ints = votes.judge * n
    return (sums_by_code(at + votes.a, weight, cells) - sums_by_code(at + votes.b, weight, cells)).reshape(-1, n)


def known(votes: Votes, z: Floats) -> Bools:
    """Return whether a judge's cells say anything of each column at all, (judges, K)."""
    return by_judge(votes, np.abs(z) * (votes.n > 0)[:, None]) > 1e-9
