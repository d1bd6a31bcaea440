r"""The most probable curves, by Newton's method over all agents at once.

With knots :math:`\theta_{it}`, battles :math:`(k, l, s, w)` between knots, steps of variance :math:`\tau^2 \Delta t` and
:math:`c` wins and losses against an agent of strength zero where a curve begins, the log posterior is

.. math::  \sum w\,[s \ln \sigma(\theta_k - \theta_l) + (1 - s) \ln \sigma(\theta_l - \theta_k)]
           - \sum_{i,t} \frac{(\theta_{i,t+1} - \theta_{it})^2}{2\,\tau^2 \Delta t}
           + c \sum_i [\ln \sigma(\theta_{i1}) + \ln \sigma(-\theta_{i1})].

It is strictly concave. Its curvature is a matrix tridiagonal within every curve, and one entry for each pair of knots that met:
Newton's equations are solved by conjugate gradients with the curves' own tridiagonal part as preconditioner, which is one
sweep over all knots. The agent by agent form of R. Coulom ("Whole-history rating", 2008) climbs to the same peak.
"""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.methods.rating.whole_history.knots import Knots

STEPS = 100  # of Newton
SMALL = 1e-10  # of the largest move, in log odds
DENSE = 2500  # knots up to which the whole inverse is taken


@dataclass(frozen=True, slots=True, eq=False)
class CurveFit:
    """Strength at every knot, the same less the mean of all agents, and what each curve changed, with standard deviations.

    A strength by itself is known no better than the level of all together, which the prior alone holds; `relative` is what battles
    tell.

    `joint` says that deviations carry the uncertainty of the opponents too; otherwise these are taken as known. `evidence` is the
    logarithm of how probable the battles are under the drift, up to a constant, where deviations are joint.
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


def fit_curves(knots: Knots, drift: float, prior: float = 1.0, start: Floats | None = None) -> CurveFit:
    """Return the most probable curves and how uncertain they are.

    Parameters
    ----------
    knots : Knots
    drift : float
        Standard deviation, in log odds, of what an agent changes in a unit of time.
    prior : float
        Wins and losses of each agent, where its curve begins, against one of strength zero.
    start : (n,) float, optional
        Where Newton begins.
    """
    theta, steps, converged = most_probable(knots, drift, prior, start)
    step, change = knots.variance(drift), theta[knots.last] - theta[knots.first]
    relative = theta - knots.share @ theta
    if len(knots) > DENSE:
        deviation, of_change = _given_opponents(theta, knots, step, prior)
        return CurveFit(theta, deviation, relative, deviation, change, of_change, False, steps, converged)
    deviation, of_relative, of_change, volume = _jointly(theta, knots, step, prior)
    evidence = float(log_posterior(theta, knots, step, prior) - np.log(step[~knots.first]).sum() / 2 + volume)
    return CurveFit(theta, deviation, relative, of_relative, change, of_change, True, steps, converged, evidence)


def most_probable(knots: Knots, drift: float, prior: float, start: Floats | None) -> tuple[Floats, int, bool]:
    """Return the most probable strengths, how many steps Newton took, and whether it came to an end."""
    step = knots.variance(drift)
    theta = np.zeros(len(knots)) if start is None else start.copy()
    value = log_posterior(theta, knots, step, prior)
    steps, largest = 0, np.inf
    while largest > SMALL and steps < STEPS:
        steps += 1
        slope = gradient(theta, knots, step, prior)
        move = _newton_move(theta, knots, step, prior, slope)
        share, gain = 1.0, float(slope @ move)
        while (new := log_posterior(theta + share * move, knots, step, prior)) < value + 1e-4 * share * gain - 1e-9:
            share /= 2
        theta, value = theta + share * move, new
        largest = float(np.abs(share * move).max(initial=0.0))
    return theta, steps, largest <= SMALL


def log_posterior(theta: Floats, knots: Knots, step: Floats, prior: float) -> float:
    """Return the logarithm of the posterior density, up to a constant."""
    gap = theta[knots.a] - theta[knots.b]
    battles = knots.weight @ (knots.outcome * gap - np.logaddexp(0, gap))
    moved = np.diff(theta, prepend=0.0)[~knots.first]
    begun = theta[knots.first]
    return float(
        battles
        - (moved**2 / (2 * step[~knots.first])).sum()
        - prior * (np.logaddexp(0, begun) + np.logaddexp(0, -begun)).sum()
    )


def gradient(theta: Floats, knots: Knots, step: Floats, prior: float) -> Floats:
    """Return the slope of the log posterior."""
    n = len(knots)
    surprise = knots.weight * (knots.outcome - logistic(theta[knots.a] - theta[knots.b]))
    slope = _at_knots(knots.a, surprise, n) - _at_knots(knots.b, surprise, n)
    pull = np.where(knots.first, 0.0, np.diff(theta, prepend=0.0) / step)
    slope -= pull
    slope[:-1] += pull[1:]
    slope[knots.first] -= prior * np.tanh(theta[knots.first] / 2)
    return slope


def curvature(theta: Floats, knots: Knots, step: Floats, prior: float) -> tuple[Floats, Floats, Floats]:
    """Return minus the curvature: the diagonal, the entry of each knot with the one before, and that of each battle."""
    n = len(knots)
    p = logistic(theta[knots.a] - theta[knots.b])
    met = knots.weight * p * (1 - p)
    tie = np.where(knots.first, 0.0, 1 / step)
    diagonal = _at_knots(knots.a, met, n) + _at_knots(knots.b, met, n) + tie
    diagonal[:-1] += tie[1:]
    begun = logistic(theta[knots.first])
    diagonal[knots.first] += 2 * prior * begun * (1 - begun)
    return diagonal, -tie, -met


def _at_knots(knot: Ints, values: Floats, n: int) -> Floats:
    return np.bincount(knot, values, n).astype(np.float64, copy=False)


def logistic(x: Floats) -> Floats:
    """Return the logistic function.

    >>> logistic(np.array([0.0, -800.0]))
    array([0.5, 0. ])
    """
    half: Floats = (1 + np.tanh(x / 2)) / 2
    return half


def _newton_move(theta: Floats, knots: Knots, step: Floats, prior: float, slope: Floats) -> Floats:
    """Solve Newton's equations by preconditioned conjugate gradients."""
    from scipy.linalg import cho_solve_banded, cholesky_banded
    from scipy.sparse import csr_array

    if not len(theta):
        return slope
    diagonal, below, met = curvature(theta, knots, step, prior)
    chains = (cholesky_banded(np.stack([below, diagonal])), False)
    n, chain = len(theta), np.flatnonzero(~knots.first)
    rows = np.concatenate([np.arange(n), chain, chain - 1, knots.a, knots.b])
    columns = np.concatenate([np.arange(n), chain - 1, chain, knots.b, knots.a])
    matrix = csr_array(
        (np.concatenate([diagonal, below[chain], below[chain], met, met]), (rows, columns)), shape=(n, n)
    )
    move, rest = np.zeros(n), slope.copy()
    ahead = cho_solve_banded(chains, rest)
    direction, size = ahead, float(rest @ ahead)
    enough = size * min(1e-6, size)  # the nearer the peak, the finer
    for _ in range(10 * n):
        if size <= enough or size < 1e-26:
            break
        turned = matrix @ direction
        along = size / float(direction @ turned)
        move += along * direction
        rest -= along * turned
        ahead = cho_solve_banded(chains, rest)
        size, before = float(rest @ ahead), size
        direction = ahead + size / before * direction
    return move


def _given_opponents(theta: Floats, knots: Knots, step: Floats, prior: float) -> tuple[Floats, Floats]:
    """Standard deviations of strengths and of changes by the curvature at the peak, the opponents' strengths taken as known."""
    diagonal, below, _ = curvature(theta, knots, step, prior)
    first, last = np.flatnonzero(knots.first), knots.last
    variance = _tridiagonal_inverse_diagonal(diagonal, below)
    shared = _tridiagonal_covariance(diagonal, below, first, last, variance)
    return np.sqrt(variance), _of_changes(variance, shared, first, last)


def _jointly(theta: Floats, knots: Knots, step: Floats, prior: float) -> tuple[Floats, Floats, Floats, float]:
    """Standard deviations of strengths, of the same less their mean, and of changes, by the curvature of all strengths at once.

    With them comes the logarithm of the volume under a normal law, a constant a knot left out.
    """
    from scipy.linalg.lapack import dpotrf, dtrtri

    diagonal, below, met = curvature(theta, knots, step, prior)
    matrix, i = np.asfortranarray(np.diag(diagonal)), np.flatnonzero(~knots.first)
    np.add.at(matrix, (i, i - 1), below[i])
    np.add.at(matrix, (i - 1, i), below[i])
    np.add.at(matrix, (knots.a, knots.b), met)
    np.add.at(matrix, (knots.b, knots.a), met)
    factor = dpotrf(matrix, lower=True, overwrite_a=True)[0]
    inverse = dtrtri(factor, lower=True)[0]  # in the order of Fortran: a column lies together
    variance: Floats = np.einsum("ij,ij->i", inverse.T, inverse.T)
    first, last = np.flatnonzero(knots.first), knots.last
    shared: Floats = np.einsum("ij,ij->i", inverse.T[first], inverse.T[last])
    mean = inverse @ knots.share
    of_relative = np.sqrt(np.maximum(variance - 2 * (inverse.T @ mean) + mean @ mean, 0.0))
    volume = -float(np.log(np.diag(factor)).sum())
    return np.sqrt(variance), of_relative, _of_changes(variance, shared, first, last), volume


def _of_changes(variance: Floats, covariance: Floats, first: Ints, last: Ints) -> Floats:
    """Standard deviations of differences between the first and the last knot of every curve; none where they are one."""
    return np.sqrt(np.where(first == last, 0.0, np.maximum(variance[first] + variance[last] - 2 * covariance, 0.0)))


def _tridiagonal_covariance(diagonal: Floats, below: Floats, first: Ints, last: Ints, variance: Floats) -> Floats:
    """The entries of the inverse at (first, last) of every curve: with pivots f, each is -below / f times the next one's.

    >>> one = np.array([0])
    >>> _tridiagonal_covariance(np.array([2.0, 2.0]), np.array([0.0, -1.0]), one, one + 1, np.array([2, 2]) / 3).round(4)
    array([0.3333])
    """
    pivot, falls = diagonal.tolist(), np.ones(len(diagonal))
    for i in range(1, len(pivot)):
        pivot[i] -= below[i] ** 2 / pivot[i - 1]
        falls[i] = -below[i] / pivot[i - 1]
    falls[first] = 1.0
    shared: Floats = np.multiply.reduceat(falls, first) * variance[last]
    return shared


def _tridiagonal_inverse_diagonal(diagonal: Floats, below: Floats) -> Floats:
    """The diagonal of the inverse, from pivots swept forwards and backwards.

    >>> _tridiagonal_inverse_diagonal(np.array([2.0, 2.0]), np.array([0.0, -1.0])).round(4)
    array([0.6667, 0.6667])
    """
    forward, backward = diagonal.tolist(), diagonal.tolist()
    square = (below**2).tolist()
    for i in range(1, len(forward)):
        forward[i] -= square[i] / forward[i - 1]
    for i in range(len(backward) - 2, -1, -1):
        backward[i] -= square[i + 1] / backward[i + 1]
    return 1 / (np.array(forward) + np.array(backward) - diagonal)
