"""Pairwise evidence for the planted model: the probability that each agent is the better, and one likely order.

The strength of a pair is the win probability of its better agent, between 1/2 and 1. Its distribution is a histogram
of `BINS` equal bins whose weights are fitted to all pairs of a kind together, so that a 3 to 2 score means more where
pairs are one-sided than where they are close.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betainc, betaln, logsumexp

from beatpath._arrays import Bools, Floats, Ints
from beatpath.inference.core.worlds.ladders import PairWins
from beatpath.methods.kemeny.orders import improved

BINS, STEPS = 20, 60  # bins of the histogram of strengths, and EM steps of its fit
POOLED, BY_GAP = 1.0, 10.0  # prior weight, in pairs, of the fit to all pairs and of the fits by gap
USUAL_UPSETS, TINY = 0.05, 1e-200  # upset rate of the initial order, and the smallest likelihood
# means and concentrations of the beta distributions of strength over which the evidence is averaged
MEANS, SPREADS = np.geomspace(0.02, 0.95, 16), (1.0, 4.0, 16.0, 64.0)
CLOSE = 6  # bins of a close pair: strengths from 0.5 to 0.65


@dataclass(frozen=True, slots=True, eq=False)
class Coins:
    """Independent pairs with the fitted strengths.

    Attributes
    ----------
    evidence : float
        The log evidence of the strengths, with a coin deciding the better agent of each pair.
    better : (n, n) float
        Probability that the row is the better, from the pair's score alone.
    """

    evidence: float
    better: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PlantedEdges:
    r"""Probabilities that one agent of a pair is the better, and an order of all agents.

    Attributes
    ----------
    better : (n, n) float
        :math:`q_{ab}`, the probability that *a* is the better, from this pair's score alone; 1/2 on the diagonal.
    close : (n, n) float
        The same if the pair is close, its strength anywhere from 0.5 to 0.65.
    close_gain : (n, n) float
        Log-likelihood of the score if the pair is close, minus that under the fitted strengths.
    order : (n,) int
        All agents in an order of high likelihood, the highest first.
    coins : Coins
        The same strengths, one fit for all pairs, without structure.
    strength : float
        The mean win probability of the better agent of a pair, as fitted to all pairs compared.
    """

    better: Floats
    close: Floats
    close_gain: Floats
    order: Ints
    coins: Coins
    strength: float


def planted_edges(data: PairWins) -> PlantedEdges:
    r"""Fit strengths to pairs, and find a likely order.

    Strengths are fitted twice: to all pairs, and then to pairs at similar distance in the expected order, with the
    first fit as a prior worth ten pairs. Neighbors are often closer than distant agents, and then a score between
    neighbors means less.

    Examples
    --------
    Nine wins to one are strong evidence; a pair never compared directly has none.

    >>> edges = planted_edges(PairWins(3, np.array([0]), np.array([1]), np.array([9.0]), np.array([1.0])))
    >>> bool(edges.better[0, 1] > 0.95), float(edges.better[0, 2])
    (True, 0.5)
    """
    scores = _Scores(data)
    everywhere = scores.weights(np.ones(len(data.a), dtype=bool), np.full(BINS, POOLED / BINS))
    coins = Coins(scores.log_evidence(), scores.better(np.broadcast_to(everywhere, (len(data.a), BINS))))
    merit = coins.better.sum(axis=1)
    gap = np.log2(1 + np.abs(merit[data.a] - merit[data.b]) + 1e-9).astype(np.int64)
    weight = np.empty((len(data.a), BINS))
    for kind in np.unique(gap):
        weight[gap == kind] = scores.weights(gap == kind, BY_GAP * everywhere)
    better = scores.better(weight)
    level = np.broadcast_to(np.where(np.arange(BINS) < CLOSE, 1 / CLOSE, 0.0), weight.shape)
    above = log_above(better, USUAL_UPSETS)
    order = improved(above - above.T, np.argsort(-better.sum(axis=1), kind="stable"), tol=1e-9)
    middle = 0.5 + (np.arange(BINS) + 0.5) / (2 * BINS)
    gain = scores.log_either(level) - scores.log_either(weight)
    return PlantedEdges(
        better, scores.better(level), scores.matrix(gain, gain, 0.0), order, coins, float(everywhere @ middle)
    )


def log_above(better: Floats, upsets: float) -> Floats:
    r"""Return :math:`\log 2 ((1 - \epsilon) q_{ab} + \epsilon q_{ba})`: both are outside and *a* is higher.

    >>> log_above(np.array([[0.5, 1.0], [0.0, 0.5]]), 0.5)
    array([[0., 0.],
           [0., 0.]])
    """
    return np.asarray(np.log(2 * ((1 - upsets) * better + upsets * better.T)))


class _Scores:
    """The distinct scores of the pairs, and their likelihoods by bin of strength."""

    def __init__(self, data: PairWins) -> None:
        self.data = data
        self.score, place = np.unique(np.column_stack([data.won, data.lost]), axis=0, return_inverse=True)
        self.place = place.ravel()
        self.forward = strength_likelihoods(self.score[:, 0], self.score[:, 1])
        self.backward = strength_likelihoods(self.score[:, 1], self.score[:, 0])

    def weights(self, some: Bools, prior: Floats) -> Floats:
        """Fit the histogram of strengths to some pairs."""
        times = np.bincount(self.place[some], minlength=len(self.score)).astype(np.float64)
        possible = times > 0
        return strength_weights((self.forward + self.backward)[possible], times[possible], prior)

    def better(self, weight: Floats) -> Floats:
        """Return the probability that each agent is the better, given the weights of each pair's bins."""
        forward, backward = self._both(weight)
        return self.matrix(forward / (forward + backward), backward / (forward + backward), 0.5)

    def log_either(self, weight: Floats) -> Floats:
        """Return the log-likelihood of each pair's score, whichever agent is the better."""
        forward, backward = self._both(weight)
        return np.asarray(np.log(forward + backward))

    def _both(self, weight: Floats) -> tuple[Floats, Floats]:
        forward = (self.forward[self.place] * weight).sum(axis=1)
        backward = (self.backward[self.place] * weight).sum(axis=1)
        return np.maximum(forward, TINY), np.maximum(backward, TINY)

    def matrix(self, one: Floats, turned: Floats, unmet: float) -> Floats:
        """Return values of pairs as a matrix."""
        full = np.full((self.data.n, self.data.n), unmet)
        full[self.data.a, self.data.b], full[self.data.b, self.data.a] = one, turned
        return full

    def log_evidence(self) -> float:
        r"""Return the log evidence of independent pairs, averaged over `strength_histograms`.

        .. math::  \log \frac1H \sum_h \prod_p \tfrac12 (L^{h}_{ab} + L^{h}_{ba}) B(w_p + 1, l_p + 1)
        """
        times = np.bincount(self.place, minlength=len(self.score))
        pair = np.log(np.maximum((self.forward + self.backward) @ strength_histograms().T / 2, 1e-300))
        total = times @ (pair + betaln(self.score[:, 0] + 1, self.score[:, 1] + 1)[:, None])
        return float(logsumexp(total) - np.log(len(total)))


@lru_cache(maxsize=1)
def strength_histograms() -> Floats:
    r"""Return 64 histograms of the strength :math:`(1 + x) / 2`, x ~ Beta(c m, c (1 - m)): (64, BINS).

    Means m are log-uniform from 0.02 to 0.95, c is 1, 4, 16 or 64.

    >>> bool(np.allclose(strength_histograms().sum(axis=1), 1))
    True
    """
    edge = np.linspace(0.0, 1.0, BINS + 1)
    histograms = [np.diff(betainc(c * m, c * (1 - m), edge)) for c in SPREADS for m in MEANS]
    return np.maximum(np.array(histograms), 1e-12)


def strength_likelihoods(wins: Floats, losses: Floats) -> Floats:
    r"""Return the likelihood of each pair's score for each bin of strength, if the first agent is the better.

    With :math:`w` wins and :math:`l` losses, the mean of :math:`\theta^w (1 - \theta)^l / B(w + 1, l + 1)` over a bin
    is a difference of incomplete beta functions.

    Parameters
    ----------
    wins, losses : (m,) float
        Settled counts; need not be whole.

    Returns
    -------
    ndarray, shape (m, BINS)

    Examples
    --------
    A pair never compared directly carries no information: all bins are equally likely.

    >>> bool(np.allclose(strength_likelihoods(np.zeros(1), np.zeros(1)), 1.0))
    True
    """
    edge = np.linspace(0.5, 1.0, BINS + 1)
    beyond = betainc(losses[:, None] + 1, wins[:, None] + 1, 1 - edge)
    return np.asarray(-np.diff(beyond, axis=1) * (2 * BINS))


def strength_weights(either: Floats, times: Floats, prior: Floats) -> Floats:
    r"""Return the weights of the bins by expectation-maximization; which agent of a pair is the better is latent.

    Parameters
    ----------
    either : (m, BINS) float
        For each score the sum of its `strength_likelihoods` and those of the reversed score.
    times : (m,) float
        Number of pairs with this score.
    prior : (BINS,) float
        Prior weight of each bin, in pairs, all positive.

    Returns
    -------
    ndarray, shape (BINS,)
        Sums to one.

    Examples
    --------
    One comparison per pair cannot tell strong pairs from close ones, ten can.

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
