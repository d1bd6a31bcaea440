r"""Fit Bradley-Terry strengths to many similar sets of counts at once, such as bootstrap resamples.

All start from the strengths :math:`\hat\theta` of the original counts and take steps with *its* information matrix,

.. math::  \theta \leftarrow \theta + H^{-1} g(\theta), \qquad
           g_a = \sum_b w_{ab} - e^{\theta_a} \sum_b \frac{w_{ab} + w_{ba}}{e^{\theta_a} + e^{\theta_b}} + p\,(1 - 2 \sigma(\theta_a)),

with :math:`w` the wins and :math:`p` the prior. One matrix is inverted for all of them, a step needs no logarithm per
pair, and the error falls by a constant factor that is smaller the more alike the counts are. If a set of counts has
no finite estimate, or is too different for the steps to converge, it is flagged and left to `bradley_terry`. A
thousand resamples of 100 agents take 0.9 processor seconds.
"""

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats
from beatpath.fit.pairs import decided, pairs_model
from beatpath.fit.ties import Prior

SETTLED = 1e-11  # convergence: largest entry of the last step, in log odds
STEPS = 60  # steps after which a set of counts is given up
TABLE = 1 << 18  # entries processed at a time, so that they stay in the CPU cache


def shared_inverse(wins: Floats, strength: Floats, prior: float = 0.0) -> Floats:
    """Return the (n, n) inverse of the information of counts at given strengths, on differences of strengths.

    Parameters
    ----------
    wins : (n, n) float
        Wins of the row agent over the column agent, ties as halves.
    strength : (n,) float
        Strengths in log odds.
    prior : float
        As for `bradley_terry`.

    Examples
    --------
    Four battles of equal agents: an information of one on their difference.

    >>> shared_inverse(np.array([[0.0, 2.0], [2.0, 0.0]]), np.zeros(2)) @ [1.0, -1.0]
    array([ 0.5, -0.5])
    """
    a, b = np.nonzero(np.triu(wins + wins.T, 1))
    rows = decided(len(wins), a, b, wins[a, b], wins[a, b] + wins[b, a])
    information = pairs_model(rows, prior=Prior(prior)).information(strength).laplacian.matrix()
    return np.linalg.inv(information if prior else information + information.diagonal().mean() / len(wins))


def batched_strengths(wins: Floats, start: Floats, inverse: Floats, *, prior: float = 0.0) -> tuple[Floats, Bools]:
    """Return strengths with mean zero for every set of counts, and which of them converged.

    Parameters
    ----------
    wins : (k, n, n) float
        Wins of the row agent over the column agent, ties as halves, for each set of counts.
    start : (n,) float
        Initial strengths.
    inverse : (n, n) float
        Inverse information at `start`; see `shared_inverse`.
    prior : float
        As for `bradley_terry`.

    Returns
    -------
    strength : (k, n) float
        Strengths in log odds.
    settled : (k,) bool
        False if the estimate is not finite, or was not reached.

    Examples
    --------
    Three wins in four are odds of three; an agent that never lost has no finite strength.

    >>> near = shared_inverse(np.array([[0.0, 2.0], [2.0, 0.0]]), np.zeros(2))
    >>> strength, settled = batched_strengths(np.array([[[0.0, 3.0], [1.0, 0.0]], [[0.0, 4.0], [0.0, 0.0]]]), np.zeros(2), near)
    >>> settled, bool(np.isclose(np.ptp(strength[0]), np.log(3)))
    (array([ True, False]), True)
    """
    strength, settled = np.empty(wins.shape[:2]), np.zeros(len(wins), dtype=bool)
    edges, finite = (wins > 0).astype(np.float32), np.ones(len(wins), dtype=bool)
    if not prior:  # the win graph must be strongly connected
        finite = _reached(edges) & _reached(edges.transpose(0, 2, 1))
    height = max(1, TABLE // wins.shape[1] ** 2)
    for low in range(0, len(wins), height):
        some = slice(low, low + height)
        strength[some], settled[some] = _settle(wins[some], start, inverse, prior)
    return strength - strength.mean(axis=1, keepdims=True), settled & finite


def _settle(wins: Floats, start: Floats, inverse: Floats, prior: float) -> tuple[Floats, Bools]:
    """Take steps until all sets converge, or the limit is reached."""
    solution, settled = np.tile(start, (len(wins), 1)), np.zeros(len(wins), dtype=bool)
    left, theta = np.arange(len(wins)), solution.copy()
    battles, won, work = wins + wins.transpose(0, 2, 1), wins.sum(axis=2), np.empty(wins.shape)
    with np.errstate(all="ignore"):  # diverging sets are flagged below
        for _ in range(STEPS):
            gradient = _batched_gradient(theta, battles, won, prior, work[: len(theta)])
            step = np.einsum("ka,ab->kb", gradient, inverse)  # BLAS may round differently by number of threads
            theta += step
            here = np.abs(step).max(axis=1) <= SETTLED
            solution[left], settled[left] = theta, here
            if here.all():
                break
            if 2 * here.sum() > len(here):
                left, theta, battles, won = left[~here], theta[~here], battles[~here], won[~here]
    return solution, settled


def _batched_gradient(theta: Floats, battles: Floats, won: Floats, prior: float, work: Floats) -> Floats:
    """Gradient of every log-likelihood; `work` is a buffer as large as `battles`."""
    odds = np.exp(theta)
    np.add(odds[:, :, None], odds[:, None, :], out=work)
    expected = odds * np.divide(battles, work, out=work).sum(axis=2)
    return won - expected + (prior * (1 - 2 * odds / (1 + odds)) if prior else 0.0)


def _reached(edges: NDArray[np.float32]) -> Bools:
    """Flag graphs in which every agent is reachable from the first."""
    reached = np.zeros(edges.shape[:2], dtype=bool)
    reached[:, 0] = True
    for _ in range(edges.shape[1]):
        more = reached | ((reached[:, None, :].astype(np.float32) @ edges)[:, 0] > 0)
        if (more == reached).all():
            break
        reached = more
    return np.asarray(reached.all(axis=1))
