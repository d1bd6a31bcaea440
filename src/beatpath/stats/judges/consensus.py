r"""The consensus: strengths from all votes, and from the votes of all judges but one.

.. math::  P(a \succ b) = \sigma(\theta_a - \theta_b + x \cdot \beta), \qquad \theta \sim N(0, s^2), \quad \beta \sim N(0, 5^2),

with the spread :math:`s` estimated (by EM), so that an estimate always exists and the lead of a pair is a posterior
mean: errors of a lead are then independent of the lead itself (Berkson errors), and a judge's slope on it is not
attenuated as it would be on maximum-likelihood strengths. Newton's method, dense in the agents.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats
from beatpath.fit.laplacian import across, incident
from beatpath.fit.pairs import Comparisons, Fit, fit_pairs
from beatpath.fit.ties import Prior
from beatpath.stats.judges.votes import Votes

SHIFT = 25.0  # prior variance of the effect of a column, in log odds per unit of the column
NEAR = 1e-7  # gradient over curvature before the last Newton step, which squares it
FLAT = 1e-4  # smallest variance of strengths
LARGE = 0.02  # share of votes from which a judge is left out by full Newton iterations instead of one step
SETTLED = 12  # most iterations to solve for one step
LOGISTIC = np.pi / 8  # constant of MacKay's approximation of the logistic function averaged over a normal


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """Strengths (n,), effects of columns (k,), their joint covariance (n + k, n + k), and the variance of strengths."""

    strength: Floats
    shift: Floats
    covariance: Floats
    spread: float

    @property
    def parameters(self) -> Floats:
        """Strengths, then shifts."""
        return np.concatenate([self.strength, self.shift])


@dataclass(frozen=True, slots=True, eq=False)
class Without:
    """The consensus of the other judges, for each judge's cells.

    Parameters
    ----------
    lead : (c,) float
        Log odds that the others prefer *a*, averaged over the posterior of strengths.
    strength, shift : (judges, n), (judges, k) float
        The consensus without each judge.
    """

    lead: Floats
    strength: Floats
    shift: Floats


def consensus(votes: Votes, *, spread: float | None = None, start: Floats | None = None) -> Consensus:
    """Return the consensus strengths of votes.

    >>> votes = Votes(2, 1, *np.array([[0], [0], [1]]), np.zeros((1, 0)), *np.array([[75.0], [100], [0]]))
    >>> result = consensus(votes)
    >>> bool(1.0 < result.strength[0] - result.strength[1] < np.log(3))
    True
    """
    rows, n = votes.pooled().comparisons(), votes.n_agents
    here = np.zeros(n + votes.x.shape[1]) if start is None else start
    square = 1.0 if spread is None else spread
    for _ in range(40):
        fit = _fitted(rows, square, here)
        here, inverse = fit.ended.x, _inverse(fit)
        new = max(float((here[:n] ** 2).sum() + np.trace(inverse[:n, :n])) / max(n, 1), FLAT)
        if spread is not None or abs(new - square) < 1e-3 * square:
            break
        square = new
    return Consensus(here[:n], here[n:], inverse, square)


def _fitted(rows: Comparisons, square: float, start: Floats) -> Fit:
    """Return the posterior mode, strengths and then shifts."""
    return fit_pairs(rows, prior=Prior(precision=1 / square, coefficients=1 / SHIFT), start=start, flat=NEAR)


def _inverse(fit: Fit) -> Floats:
    """Return the covariance of strengths and shifts."""
    return np.asarray(np.linalg.inv(fit.information.matrix()), dtype=np.float64)


def without_each(votes: Votes, whole: Consensus, everyone: Votes | None = None) -> Without:
    r"""Return the consensus without each judge, and its lead for the judge's own pairs.

    `whole` is fitted to `everyone`. With :math:`V` the covariance of the whole, :math:`g_j` and :math:`B_j` a judge's
    part of gradient and information, one step goes to :math:`\theta - (V^{-1} - B_j)^{-1} g_j`, found by the iteration
    :math:`y \leftarrow V (g_j + B_j y)`. A judge with a share of votes above `LARGE`, or for whom the iteration
    converges slowly, is left out by Newton's method.
    """
    m, n, starts = len(whole.parameters), votes.n_agents, np.searchsorted(votes.judge, np.arange(votes.n_judges + 1))
    rows = (votes if everyone is None else everyone).pooled()
    share = votes.decided() / max(float(rows.n.sum()), 1.0)
    lead, thresholds = np.zeros(len(votes)), np.zeros((votes.n_judges, m))
    wide = across(whole.covariance, votes.a, votes.b)
    for j in range(votes.n_judges):
        cells = slice(starts[j], starts[j + 1])
        own = votes.take(cells)
        step = None if share[j] > LARGE else _step_away(own, whole)
        if step is None:
            fit = refitted(rows, own, whole)
            thresholds[j], wide[cells] = fit.ended.x, across(_inverse(fit), own.a, own.b)
        else:
            thresholds[j] = whole.parameters - step
        lead[cells] = thresholds[j, own.a] - thresholds[j, own.b]
    lead /= np.sqrt(1 + LOGISTIC * np.maximum(wide, 0.0))
    return Without(lead, thresholds[:, :n], thresholds[:, n:])


def _step_away(own: Votes, whole: Consensus) -> Floats | None:
    """Return one Newton step without a judge, or None where its votes dominate some agents."""
    n, V, here = own.n_agents, whole.covariance, whole.parameters
    p = expit(here[own.a] - here[own.b] + own.x @ here[n:])
    w = own.n * p * (1 - p)
    gradient = _gathered(own, own.wins - own.n * p)
    step = V @ gradient
    for _ in range(SETTLED):
        new = V @ (gradient + _gathered(own, w * (step[own.a] - step[own.b] + own.x @ step[n:])))
        change, step = float(np.abs(new - step).max(initial=0.0)), new
        if change < 1e-6:
            return step
    return None


def _gathered(rows: Votes, e: Floats) -> Floats:
    """Return sums over cells by agent and column, (n + k,)."""
    return np.concatenate([incident(rows.n_agents, rows.a, rows.b, e, -e), rows.x.T @ e])


def refitted(rows: Votes, less: Votes, whole: Consensus) -> Fit:
    """Fit strengths and shifts without some of the votes, starting from the whole.

    Parameters
    ----------
    rows, less : Votes
        All votes, pooled or not, and those to leave out. Cells of `less` with `n` of zero reverse votes: that many wins
        fewer.
    whole : Consensus
        Of `rows`.
    """
    both = (rows.comparisons(), less.comparisons())
    a, b, x = (np.concatenate([getattr(one, name) for one in both]) for name in ("a", "b", "x"))
    left = Comparisons(rows.n_agents, a, b, np.concatenate([both[0].counts, -both[1].counts]), x)
    return _fitted(left, whole.spread, whole.parameters)
