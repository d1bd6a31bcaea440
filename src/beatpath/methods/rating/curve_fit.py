r"""Maximum a posteriori strength curves, by Newton's method over all agents.

With knots :math:`\theta_{it}`, battles :math:`(k, l, s, w)` between knots, steps of variance :math:`\tau^2 \Delta t`
and :math:`c` wins and losses against an agent of strength zero at the start of a curve, the log posterior is

.. math::  \sum w\,[s \ln \sigma(\theta_k - \theta_l) + (1 - s) \ln \sigma(\theta_l - \theta_k)]
           - \sum_{i,t} \frac{(\theta_{i,t+1} - \theta_{it})^2}{2\,\tau^2 \Delta t}
           + c \sum_i [\ln \sigma(\theta_{i1}) + \ln \sigma(-\theta_{i1})].

It is strictly concave: a Bradley-Terry model of knots in which neighbors on a curve have normal leads. Newton's
equations are solved by conjugate gradients with the tridiagonal part of the curves as preconditioner, one sweep over
all knots. The agent-by-agent algorithm of R. Coulom ("Whole-history rating", 2008) converges to the same maximum.
Every agent has a knot at every time it had a battle.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from beatpath._arrays import Bools, Floats, Ints
from beatpath._text import counted
from beatpath.evidence import Battles
from beatpath.evidence.pairs import per_weight
from beatpath.fit.newton import CONVERGED
from beatpath.fit.pairs import Comparisons, Fit, fit_pairs
from beatpath.fit.ties import Prior
from beatpath.methods.rating.online_state import Schedule


@dataclass(frozen=True, slots=True, eq=False)
class Knots:
    """Points of all curves, sorted by agent and time, and the battles between them.

    Attributes
    ----------
    agent : (n,) int
        Agent of each knot.
    time : (n,) float
        Time of each knot.
    first : (n,) bool
        Whether an agent's curve begins here.
    a, b : (t,) int
        The two knots of each battle.
    outcome, weight : (t,) float
        Outcome and weight of each battle.
    """

    agent: Ints
    time: Floats
    first: Bools
    a: Ints
    b: Ints
    outcome: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.agent)

    @property
    def last(self) -> Ints:
        """The last knot of each agent that has any."""
        return np.flatnonzero(np.append(self.first[1:], True)) if len(self) else np.empty(0, dtype=np.int64)

    @property
    def share(self) -> Floats:
        """Weight of every knot in the mean of all agents: agents weigh the same, and so do the knots of one agent."""
        curve = np.cumsum(self.first) - 1
        own = np.bincount(curve, minlength=0)[curve] if len(self) else np.empty(0)
        return 1 / (own * max(int(self.first.sum()), 1))

    def variance(self, drift: float) -> Floats:
        """Return the variance of each step from the knot before, 1 at the start of a curve."""
        gap = np.diff(self.time, prepend=self.time[:1])
        return np.where(self.first, 1.0, drift**2 * gap)


def knots_of(battles: Battles, order: Schedule) -> Knots:
    """Return the knots of battles with known times; weights are scaled to the effective number of battles.

    >>> from beatpath.methods.rating.online_state import schedule
    >>> season = Battles.of([("x", "y", 1), ("y", "z", 1)], time=[1, 2])
    >>> result = knots_of(season, schedule(season))
    >>> result.agent, result.time, result.a, result.b
    (array([0, 1, 1, 2]), array([1., 1., 2., 2.]), array([0, 2]), array([1, 3]))
    """
    assert battles.time is not None
    rows, t = order.rows, len(order.rows)
    times, when = np.unique(battles.time[rows], return_inverse=True)
    cell = np.concatenate([battles.a[rows], battles.b[rows]]).astype(np.int64) * len(times) + np.tile(when, 2)
    cells, knot = np.unique(cell, return_inverse=True)
    agent = cells // len(times) if len(times) else cells
    weight = np.ones(t) if battles.weight is None else battles.weight[rows]
    return Knots(
        agent,
        times[cells % len(times)] if len(times) else np.empty(0),
        np.diff(agent, prepend=-1) != 0,
        knot[:t],
        knot[t:],
        battles.outcome[rows],
        weight * per_weight(weight, weight**2),
    )


DENSE = 2500  # most knots for which the full inverse is computed: a few seconds
# An agent has the drift of all, or with this chance one of its own, by these factors: most agents that do not change and
# one that jumps have no common drift.
OWN_CHANCE, OWN_FACTORS = 0.2, np.array([1 / 16, 1 / 4, 4.0, 16.0])


@dataclass(frozen=True, slots=True, eq=False)
class CurveFit:
    """Strength at every knot, absolute and relative to the mean, and change of each curve, with standard deviations.

    Only the prior identifies the level of all strengths together, so a single strength is uncertain; `relative` is
    what battles determine.

    `joint` states whether deviations include the uncertainty of the opponents; otherwise these are taken as known.
    `evidence` is the log marginal likelihood of the battles under the drift, up to a constant, if deviations are
    joint.
    """

    strength: Floats
    deviation: Floats
    relative: Floats
    relative_deviation: Floats
    change: Floats
    change_deviation: Floats
    joint: bool
    steps: int
    converged: bool
    evidence: float | None = None

    @property
    def status(self) -> str:
        """How it ended, as a sentence."""
        return CONVERGED if self.converged else f"not at an end after {counted(self.steps, 'step')} of Newton"


def fit_curves(
    knots: Knots, drift: float, prior: float = 1.0, start: Floats | None = None, *, own_drifts: bool = False
) -> CurveFit:
    """Return the maximum a posteriori curves and their uncertainty.

    Parameters
    ----------
    knots : Knots
        The knots and battles.
    drift : float
        Standard deviation, in log odds, of an agent's change per unit of time.
    prior : float
        Wins and losses of each agent, at the start of its curve, against one of strength zero.
    start : (n,) float, optional
        Initial strengths.
    own_drifts : bool, default False
        Whether an agent may have another drift than most; see `_with_own_drifts`.
    """
    fit = most_probable(knots, drift, prior, start)
    theta, steps, converged = fit.ended.x, fit.ended.iterations, fit.ended.converged
    change, relative = theta[knots.last] - theta[knots.first], theta - knots.share @ theta
    if len(knots) > DENSE:
        # Standard deviations of strengths and changes by the curvature at the maximum, given the opponents'
        # strengths.
        diagonal, below = curve_precision(fit, knots, drift)
        first, last = np.flatnonzero(knots.first), knots.last
        variance, shared = _tridiagonal_inverse(diagonal, below, first, last)
        deviation, of_change = np.sqrt(variance), _of_changes(variance, shared, first, last)
        return CurveFit(theta, deviation, relative, deviation, change, of_change, False, steps, converged)
    factor = dpotrf(fit.information.laplacian.matrix().T, lower=True, overwrite_a=True)[0]
    inverse = dtrtri(factor, lower=True)[0]  # in Fortran order, where columns are contiguous
    evidence = fit.ended.value - float(np.log(knots.variance(drift)[~knots.first]).sum()) / 2
    evidence -= float(np.log(np.diag(factor)).sum())
    result = CurveFit(theta, *_jointly(theta, inverse, knots), True, steps, converged, evidence)
    return _with_own_drifts(result, inverse, knots, drift) if own_drifts else result


def most_probable(knots: Knots, drift: float, prior: float, start: Floats | None = None) -> Fit:
    """Return the maximum a posteriori strengths.

    The model has battles between knots, and normal leads between neighbors on a curve.
    """
    after = np.flatnonzero(~knots.first)
    counts = np.stack([knots.weight * knots.outcome, knots.weight * (1 - knots.outcome), 0 * knots.weight], axis=1)
    rows = Comparisons(
        len(knots),
        np.concatenate([knots.a, after - 1]),
        np.concatenate([knots.b, after]),
        np.concatenate([counts, np.zeros((len(after), 3))]),
        precision=np.concatenate([np.zeros(len(knots.a)), 1 / knots.variance(drift)[after]]),
    )
    return fit_pairs(rows, prior=Prior(np.where(knots.first, prior, 0.0)), start=start)


def curve_precision(fit: Fit, knots: Knots, drift: float) -> tuple[Floats, Floats]:
    """Return the precision of strengths given the opponents'.

    Returned are its diagonal, and the entry of each knot with the one before.
    """
    return fit.information.laplacian.diagonal, np.where(knots.first, 0.0, -1 / knots.variance(drift))


def _jointly(theta: Floats, inverse: Floats, knots: Knots) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Deviations of strengths, and relative strengths and changes with theirs; `inverse` is that of the Cholesky factor."""
    variance: Floats = np.einsum("ij,ij->i", inverse.T, inverse.T)
    first, last = np.flatnonzero(knots.first), knots.last
    shared: Floats = np.einsum("ij,ij->i", inverse.T[first], inverse.T[last])
    mean = inverse @ knots.share
    of_relative = np.sqrt(np.maximum(variance - 2 * (inverse.T @ mean) + mean @ mean, 0.0))
    of_change = _of_changes(variance, shared, first, last)
    return np.sqrt(variance), theta - knots.share @ theta, of_relative, theta[last] - theta[first], of_change


def _with_own_drifts(fit: CurveFit, inverse: Floats, knots: Knots, drift: float) -> CurveFit:
    r"""Return a fit in which each agent has the common drift, or with a small chance *r* times as much or as little.

    The steps *z* of one agent, in units of the drift and the root of their time, have prior :math:`N(0, I)` and posterior
    :math:`N(m, S)`. With variance :math:`r^2` in the prior and :math:`\delta = r^{-2} - 1`, the evidence changes by the
    posterior mean of the ratio of the priors,

    .. math::  r^{-K} \, |I + \delta S|^{-1/2} \exp\left(-\tfrac\delta2 m^\top (I + \delta S)^{-1} m\right),

    and the posterior is normal again; strengths are averaged over *r*. Opponents stay as they are.
    """
    factor = np.append(1.0, OWN_FACTORS)
    log_prior = np.log(np.append(1 - OWN_CHANCE, np.full(len(OWN_FACTORS), OWN_CHANCE / len(OWN_FACTORS))))
    delta, gained, mean = factor[:, None] ** -2 - 1, 0.0, inverse @ knots.share
    strength, relative, change = fit.strength.copy(), fit.relative.copy(), fit.change.copy()
    deviation, of_relative, of_change = (
        x.copy() for x in (fit.deviation, fit.relative_deviation, fit.change_deviation)
    )
    for i, (first, last) in enumerate(zip(np.flatnonzero(knots.first), knots.last, strict=True)):
        some, one = slice(first, last + 1), slice(i, i + 1)
        root, unit = inverse[:, some], drift * np.sqrt(np.diff(knots.time[some]))
        steps = np.diff(root, axis=1) / unit
        value, vector = np.linalg.eigh(steps.T @ steps)
        steps, m = steps @ vector, np.diff(fit.strength[some]) / unit @ vector
        pull = delta / (1 + delta * value)  # (factors, K)
        log_weight = log_prior - len(m) * np.log(factor) - (np.log1p(delta * value) + pull * m**2).sum(axis=1) / 2
        weight = np.exp(log_weight - log_weight.max())
        total = weight.sum()
        gained += float(log_weight.max() + np.log(total))
        along, average = root.T @ steps, _Reweighted(pull, m, weight / total)
        strength[some], deviation[some] = average.of(strength[some], deviation[some], along)
        relative[some], of_relative[some] = average.of(relative[some], of_relative[some], along - mean @ steps)
        change[one], of_change[one] = average.of(change[one], of_change[one], along[-1:] - along[:1])
    curves = (strength, deviation, relative, of_relative, change, of_change)
    return CurveFit(*curves, True, fit.steps, fit.converged, (fit.evidence or 0.0) + gained)


class _Reweighted(NamedTuple):
    """The posterior of an agent's steps under several drifts: what pulls them, (drifts, K), their means, and weights."""

    pull: Floats
    m: Floats
    weight: Floats

    def of(self, x: Floats, deviation: Floats, along: Floats) -> tuple[Floats, Floats]:
        """Return the mean and deviation of strengths *x* averaged over drifts; `along` is their covariance with steps."""
        under = x - (self.pull * self.m) @ along.T
        variance = deviation**2 - self.pull @ (along**2).T
        middle = self.weight @ under
        return middle, np.sqrt(np.maximum(self.weight @ (variance + (under - middle) ** 2), 0.0))


def _of_changes(variance: Floats, covariance: Floats, first: Ints, last: Ints) -> Floats:
    """Standard deviations of the change from the first to the last knot of every curve; zero if they are the same."""
    return np.sqrt(np.where(first == last, 0.0, np.maximum(variance[first] + variance[last] - 2 * covariance, 0.0)))


def _tridiagonal_inverse(diagonal: Floats, below: Floats, first: Ints, last: Ints) -> tuple[Floats, Floats]:
    """The diagonal of the inverse, from forward and backward pivots, and its entries at (first, last) of every curve.

    With forward pivots f, an entry left of the diagonal is -below / f times the one to its right.

    >>> one = np.array([0])
    >>> [x.round(4) for x in _tridiagonal_inverse(np.array([2.0, 2.0]), np.array([0.0, -1.0]), one, one + 1)]
    [array([0.6667, 0.6667]), array([0.3333])]
    """
    forward, backward = diagonal.tolist(), diagonal.tolist()
    square = (below**2).tolist()
    for i in range(1, len(forward)):
        forward[i] -= square[i] / forward[i - 1]
    for i in range(len(backward) - 2, -1, -1):
        backward[i] -= square[i + 1] / backward[i + 1]
    variance = 1 / (np.array(forward) + np.array(backward) - diagonal)
    falls = np.append(1.0, -below[1:] / np.array(forward[:-1]))
    falls[first] = 1.0
    return variance, np.multiply.reduceat(falls, first) * variance[last]
