r"""What every pair's score says to the core posterior: how probable each agent is the better, and one likely order.

The strength of a pair is the win probability of its better agent, between 1/2 and 1. Its distribution is a histogram of
`BINS` equal bins whose weights are fitted to all pairs of a kind together, so that a 3 to 2 score says more where pairs
are known to be one-sided than where they are close.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from beatpath.evidence import Pairs
from beatpath.methods.kemeny.moves import improved

BINS = 20
STEPS = 60
Array = NDArray[np.float64]
POOLED, BY_GAP = 1.0, 10.0
CERTAIN = 1e-9
USUAL_UPSETS = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class CoreEdges:
    r"""Probabilities that one agent of a pair is the better, and an order of all agents.

    Parameters
    ----------
    better : (n, n) float
        :math:`q_{ab}`, the probability that *a* is the better, from this pair's score alone; 1/2 on the diagonal.
    order : (n,) int
        All agents in an order of high likelihood, the highest first.
    strength : float
        The mean win probability of the better agent of a pair, as fitted to all that met.
    """

    better: Array
    order: NDArray[np.int64]
    strength: float


def core_edges(settled: Pairs) -> CoreEdges:
    r"""Fit strengths to settled pairs, and find an order.

    Strengths are fitted twice: to all pairs, and then to pairs that are about as far apart, by how many rivals each agent
    is expected to be better than, with ten pairs' worth of the first fit for a prior. Neighbours are often closer
    than agents far apart, and then a score between neighbours says less.

    Examples
    --------
    Nine wins to one leave little doubt; a pair that never met leaves all of it.

    >>> pairs = Pairs(("ada", "bob", "cyd"), [0], [1], [[9, 1, 0, 0]])
    >>> edges = core_edges(pairs)
    >>> bool(edges.better[0, 1] > 0.95), float(edges.better[0, 2])
    (True, 0.5)
    """
    scores = _Scores(settled)
    everywhere = scores.weights(np.ones(len(settled), dtype=bool), np.full(BINS, POOLED / BINS))
    better = scores.better(np.broadcast_to(everywhere, (len(settled), BINS)))
    merit = better.sum(axis=1)
    gap = np.log2(1 + np.abs(merit[settled.a] - merit[settled.b]) + 1e-9).astype(np.int64)
    weight = np.empty((len(settled), BINS))
    for kind in np.unique(gap):
        weight[gap == kind] = scores.weights(gap == kind, BY_GAP * everywhere)
    better = scores.better(weight)
    above = log_above(better, USUAL_UPSETS)
    order = improved(above - above.T, np.argsort(-better.sum(axis=1), kind="stable"), tol=1e-9)
    middle = 0.5 + (np.arange(BINS) + 0.5) / (2 * BINS)
    return CoreEdges(better, order, float(everywhere @ middle))


def log_dominates(better: Array) -> Array:
    r"""Return :math:`\log 2 q_{ab}`: *a* is in the core and *b* is not, against not knowing who is the better.

    >>> log_dominates(np.array([[0.5, 1.0], [0.0, 0.5]])).round(2)
    array([[  0.  ,   0.69],
           [-20.03,   0.  ]])
    """
    return np.log(2 * np.maximum(better, CERTAIN))


def log_above(better: Array, upsets: float) -> Array:
    r"""Return :math:`\log 2 ((1 - \epsilon) q_{ab} + \epsilon q_{ba})`: both are outside and *a* stands higher.

    >>> log_above(np.array([[0.5, 1.0], [0.0, 0.5]]), 0.5)
    array([[0., 0.],
           [0., 0.]])
    """
    return np.log(2 * ((1 - upsets) * better + upsets * better.T))


class _Scores:
    """The distinct scores of the cells, and their likelihoods by bin of strength."""

    def __init__(self, settled: Pairs) -> None:
        self.pairs = settled
        score, place = np.unique(settled.counts[:, :2], axis=0, return_inverse=True)
        self.place = place.ravel()
        self.met = score.sum(axis=1)[self.place] > 0
        self.forward = strength_likelihoods(score[:, 0], score[:, 1])
        self.backward = strength_likelihoods(score[:, 1], score[:, 0])

    def weights(self, cells: NDArray[np.bool_], prior: Array) -> Array:
        """The strengths of these cells, those that met."""
        times = np.bincount(self.place[cells & self.met], minlength=len(self.forward))
        seen = times > 0
        return strength_weights((self.forward + self.backward)[seen], times[seen].astype(np.float64), prior)

    def better(self, weight: Array) -> Array:
        """Who is the better, given the weights of each cell's bins."""
        forward = (self.forward[self.place] * weight).sum(axis=1)
        backward = (self.backward[self.place] * weight).sum(axis=1)
        n, a, b = len(self.pairs.agents), self.pairs.a, self.pairs.b
        better = np.full((n, n), 0.5)
        better[a, b], better[b, a] = forward / (forward + backward), backward / (forward + backward)
        return better


def strength_likelihoods(wins: Array, losses: Array) -> Array:
    r"""Return the likelihood of each pair's score for each bin of strength, if the first agent is the better.

    With :math:`w` wins and :math:`l` losses, the mean of :math:`\theta^w (1 - \theta)^l` over a bin is a difference of
    incomplete beta functions; what does not depend on the bin, or on which agent is the better, is left out.

    Parameters
    ----------
    wins, losses : (m,) float
        Settled counts; need not be whole.

    Returns
    -------
    ndarray, shape (m, BINS)

    Examples
    --------
    A pair that never met says nothing: every bin is as likely as any other.

    >>> bool(np.allclose(strength_likelihoods(np.zeros(1), np.zeros(1)), 1.0))
    True
    """
    edge = np.linspace(0.5, 1.0, BINS + 1)
    beyond = betainc(losses[:, None] + 1, wins[:, None] + 1, 1 - edge)
    return -np.diff(beyond, axis=1) * (2 * BINS)


def strength_weights(either: Array, times: Array, prior: Array) -> Array:
    r"""Return the weights of the bins by expectation-maximisation, not knowing which agent of a pair is the better.

    Parameters
    ----------
    either : (m, BINS) float
        For each score its `strength_likelihoods`, and those of the score turned round, added up.
    times : (m,) float
        How many pairs have this score.
    prior : (BINS,) float
        Pairs' worth of weight that each bin has from the start, none zero.

    Returns
    -------
    ndarray, shape (BINS,)
        Adds up to one.

    Examples
    --------
    One comparison a pair cannot tell strong pairs from close ones, ten can.

    >>> def either(w, l):
    ...     w, l = np.array([w]), np.array([l])
    ...     return strength_likelihoods(w, l) + strength_likelihoods(l, w)
    >>> even, fifty = np.full(BINS, 1 / BINS), np.array([50.0])
    >>> bool(np.allclose(strength_weights(either(1.0, 0.0), fifty, even), even))
    True
    >>> bool(strength_weights(either(10.0, 0.0), fifty, even)[-1] > 0.9)
    True
    """
    weight = prior / prior.sum()
    for _ in range(STEPS):
        share = either * weight
        total = times @ (share / share.sum(axis=1, keepdims=True)) + prior
        weight = total / total.sum()
    return weight
