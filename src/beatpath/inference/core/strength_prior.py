r"""How one-sided pairs are: distributions of strengths, fitted to the pairs at hand.

The strength of a pair is the win probability of its better agent, between 1/2 and 1. Its distribution is a histogram of
`BINS` equal bins whose weights are fitted to all pairs of a kind together, so that a 3 to 2 score says more where pairs
are known to be one-sided than where they are close.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

BINS = 20
STEPS = 60

Array = NDArray[np.float64]


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
