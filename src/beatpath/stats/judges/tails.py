r"""Tail probabilities of sums of votes, good far out and for few votes; and a list of tests at one error for all.

A judge's score is :math:`U = \sum_i a_i (w_i - n_i p_i)` with :math:`w_i` binomial. Its tail is Lugannani and Rice's saddlepoint
approximation [1]_, from

.. math::  K(t) = \sum_i n_i \left[ \ln(1 - p_i + p_i e^{t a_i}) - t\, a_i p_i \right], \qquad K'(\hat t) = U.

With a handful of votes a normal tail can be wrong by orders of magnitude; this one is not.

References
----------
.. [1] R. Lugannani, S. Rice, "Saddle point approximation for the distribution of the sum of independent random variables",
       *Advances in Applied Probability* 12 (1980), 475-490.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from beatpath._arrays import Bools, Floats
from beatpath.stats.codes import sums_by_code

PLAIN = 1.0  # standard errors below which the normal tail does


def upper_tail(judge: NDArray[np.integer], a: Floats, wins: Floats, n: Floats, p: Floats, n_judges: int) -> Floats:
    """Return for each judge the normal score of ``P(U >= u)``: large and positive where so much is hardly chance.

    Parameters
    ----------
    judge : (c,) int
    a, wins, n, p : (c,) float
        What a vote counts, votes for, votes in all, and the probability of one.
    n_judges : int

    Examples
    --------
    Ten heads in ten tosses have a probability of 1 in 1,024, a normal score of 3.1.

    >>> score = upper_tail(np.array([0]), np.ones(1), np.array([10.0]), np.array([10.0]), np.array([0.5]), 1)
    >>> bool(2.9 < score[0] < 3.2)
    True
    """
    u = sums_by_code(judge, a * (wins - n * p), n_judges)
    v = sums_by_code(judge, a**2 * n * p * (1 - p), n_judges)
    z = np.divide(u, np.sqrt(v), out=np.zeros(n_judges), where=v > 0)
    far = np.abs(z) > PLAIN
    if far.any():
        cells = far[judge]
        number = np.cumsum(far) - 1
        scores = _saddlepoint(number[judge[cells]], a[cells], wins[cells], n[cells], p[cells], u[far], v[far])
        z[far] = scores
    return z


def _saddlepoint(
    judge: NDArray[np.integer], a: Floats, wins: Floats, n: Floats, p: Floats, u: Floats, v: Floats
) -> Floats:
    """Normal scores of upper tails by Lugannani and Rice; votes all one way are pulled in by half of the smallest step."""
    m = len(u)
    most, least = (sums_by_code(judge, n * (np.maximum(s * a, 0) - s * a * p), m) for s in (1, -1))
    room = 1e-3 * np.sqrt(v)
    step = np.full(m, np.inf)
    np.minimum.at(step, judge, np.where(np.abs(a) > 0, np.abs(a), np.inf))
    edge = np.maximum(np.minimum(step / 2, np.minimum(most, least) / 2), room)
    u = np.clip(u, -(least - edge), most - edge)
    low, high = np.full(m, -60.0), np.full(m, 60.0)
    scale = 1 / np.sqrt(v)
    t = np.clip(u / v, low * scale, high * scale)
    low, high = low * scale, high * scale
    odds = np.log(p) - np.log1p(-p)
    for _ in range(80):
        q = expit(odds + t[judge] * a)
        slope = sums_by_code(judge, n * a * (q - p), m)
        bend = np.maximum(sums_by_code(judge, n * a**2 * q * (1 - q), m), 1e-300)
        low, high = np.where(slope < u, t, low), np.where(slope > u, t, high)
        new = t + (u - slope) / bend
        new = np.where((new > low) & (new < high), new, (low + high) / 2)
        done = np.abs(new - t) <= 1e-9 * scale
        t = new
        if done.all():
            break
    tilted = odds + t[judge] * a
    bend = np.maximum(sums_by_code(judge, n * a**2 * expit(tilted) * expit(-tilted), m), 1e-300)
    K = sums_by_code(judge, n * (np.logaddexp(0, tilted) - np.logaddexp(0, odds) - t[judge] * a * p), m)
    root = np.sign(t) * np.sqrt(np.maximum(2 * (t * u - K), 0.0))
    wald = t * np.sqrt(bend)
    near = np.abs(root) < 1e-4
    root, wald = np.where(near, 1.0, root), np.where(near, 1.0, wald)
    star = root + np.log(wald / root) / root  # Barndorff-Nielsen's form: one normal score, never outside 0 to 1
    return np.where(near, u / np.sqrt(v), star)


def two_sided(score: Floats) -> Floats:
    """Return probabilities of scores as far from zero either way.

    >>> two_sided(np.array([1.959964])).round(4)
    array([0.05])
    """
    return np.asarray(2 * ndtr(-np.abs(score)))


def below(score: Floats) -> Floats:
    """Return probabilities of scores as low as these.

    >>> below(np.array([-1.644854])).round(4)
    array([0.05])
    """
    return np.asarray(ndtr(score))


def holm(p: Floats, error: float) -> Bools:
    """Return which of several tests reject at one error for all of them: Holm's step-down.

    >>> holm(np.array([0.01, 0.04, 0.024]), 0.05)
    array([ True,  True,  True])
    >>> holm(np.array([0.01, 0.04, 0.026]), 0.05)
    array([ True, False, False])
    """
    order = np.argsort(p, kind="stable")
    passes = p[order] <= error / np.arange(len(p), 0, -1)
    rejected = np.zeros(len(p), dtype=bool)
    rejected[order[: int(np.argmin(np.append(passes, False)))]] = True
    return rejected
