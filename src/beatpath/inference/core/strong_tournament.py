"""How likely a random tournament is strong: everyone reaches everyone along wins."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from beatpath.inference.core.subset_sums import subset_sums

FLOOR = 1e-12


def strong_fractions(n: int) -> NDArray[np.float64]:
    r"""Return the share of tournaments on :math:`k` labelled agents that are strong, for k from 0 to n.

    A tournament has exactly one top cycle, so with :math:`S_k` the share of strong ones

    .. math::  1 = \sum_{j=1}^{k} \binom{k}{j} 2^{-j(k-j)} S_j .

    Examples
    --------
    Of the eight tournaments of three agents two are cycles; two agents never form one.

    >>> strong_fractions(4)[1:]
    array([1.   , 0.   , 0.25 , 0.375])
    """
    share = np.zeros(n + 1)
    for k in range(1, n + 1):
        j = np.arange(1, k)
        sets = np.exp(gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1) - j * (k - j) * np.log(2))
        share[k] = 0.0 if k == 2 else 1 - sets @ share[1:k]
    return share


def log_strong(better: NDArray[np.float64], sure: int) -> NDArray[np.float64]:
    r"""Return the log-probability that agents form a strong tournament, for many sets of them at once.

    Edges are independent, *a* beating *b* with probability :math:`q_{ab}`. A tournament without an agent that beats all the
    rest and without one that loses to all the rest is strong when it has five agents or fewer; with more it could still
    fall into two parts of three or more each, which is left out. The probability of neither is

    .. math::  1 - \sum_a s_a - \sum_b t_b + \sum_{a \ne b} s_a t_b / q_{ab},

    with :math:`s_a = \prod_c q_{ac}` and :math:`t_b = \prod_c q_{cb}`.

    Parameters
    ----------
    better : (m, m) float
        q, nowhere zero; the diagonal is not read.
    sure : int
        The first so many agents are in every set; of the other t all :math:`2^t` subsets are taken.

    Returns
    -------
    ndarray, shape (2 ** t,)
        In the order of `subset_sums`; no less than log 1e-12, and for the empty set meaningless.

    Examples
    --------
    Three even agents form a cycle one time in four.

    >>> float(np.exp(log_strong(np.full((3, 3), 0.5), 0)[-1]))
    0.25
    """
    q = np.array(better)
    np.fill_diagonal(q, 1.0)
    present = subset_sums(np.eye(len(q))[:, sure:]) + (np.arange(len(q)) < sure)
    above, below = (
        np.exp(subset_sums(table[:, sure:]) + table[:, :sure].sum(axis=1)) * present
        for table in (np.log(q), np.log(q.T))
    )
    inverse = 1 / q
    np.fill_diagonal(inverse, 0.0)
    neither = 1 - above.sum(axis=1) - below.sum(axis=1) + ((above @ inverse) * below).sum(axis=1)
    return np.where(present.sum(axis=1) == 1, 0.0, np.log(np.maximum(neither, FLOOR)))
