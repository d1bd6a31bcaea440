r"""What win rates would be worth with more battles of some pairs.

New battles of a pair are taken to come in clusters of their own, which look like those seen in that pair: as many battles in
each, and as alike. With :math:`f_p = N_p / (N_p + \Delta_p)`, the share that :math:`\Delta_p` more battles leave to the old ones,
the covariance of the rates becomes

.. math::  V_{pq}(f) = f_p f_q V_{pq} \quad (p \ne q), \qquad V_{pp}(f) = f_p V_{pp} :

a pair's own variance falls as one over its battles, and what it shares with other pairs by common clusters is diluted.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, vstack

from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.win_rates.estimate import Array, Clustering, WinRateEstimate

FULL = 0.1  # share of clusters times pairs from which dense products are the faster


def with_more_battles(pairwise: WinRateEstimate, extra: Array) -> WinRateEstimate:
    """Return the win rates as they would be with so many more battles of every pair and the same shares won.

    Parameters
    ----------
    pairwise : WinRateEstimate
    extra : (p,) float
        New battles of every pair, not negative.

    Examples
    --------
    Three times as many battles, a third of the variance.

    >>> one = WinRateEstimate(("x", "y"), np.array([0]), np.array([1]), *map(np.array, ([0.6], [5.0], [5], [0.06], [0.2])))
    >>> more = with_more_battles(one, np.array([10.0]))
    >>> more.battles, more.variance.round(6)
    (array([15]), array([0.02]))
    """
    kept = pairwise.battles / (pairwise.battles + extra)
    return replace(
        pairwise,
        weight=pairwise.weight / kept,
        battles=np.ceil(np.round(pairwise.battles + extra, 6)).astype(np.int64),
        own=pairwise.own * kept,
        alone=pairwise.alone * kept,
        clusterings=tuple(_with_more_clusters(one, kept) for one in pairwise.clusterings),
    )


def _with_more_clusters(one: Clustering, kept: Array) -> Clustering:
    """Old clusters with less to say, and below them a new one for every old cluster of every pair that grows."""
    cluster, pair = one.share.nonzero()
    grows = kept[pair] < 1
    if not grows.any():
        return one
    cluster, pair, old = cluster[grows], pair[grows], diags_array(kept, format="csr")
    times = 1 / kept[pair] - 1  # new clusters for one old one
    at = (np.arange(len(pair)), pair)
    shape = (len(pair), one.share.shape[1])
    moved = np.asarray(one.influence[cluster, pair]).ravel() * kept[pair] * np.sqrt(times)
    share = np.asarray(one.share[cluster, pair]).ravel() * kept[pair]
    return replace(
        one,
        influence=vstack([one.influence @ old, csr_array((moved, at), shape=shape)], format="csr"),
        share=vstack([one.share @ old, csr_array((share, at), shape=shape)], format="csr"),
        times=np.concatenate([one.times, one.times[cluster] * times]),
    )


def only_pairs(pairwise: WinRateEstimate, chosen: NDArray[np.int64]) -> WinRateEstimate:
    """Return the win rates of some pairs alone, clusters that say nothing of them left out."""
    return replace(
        pairwise,
        a=pairwise.a[chosen],
        b=pairwise.b[chosen],
        rate=pairwise.rate[chosen],
        weight=pairwise.weight[chosen],
        battles=pairwise.battles[chosen],
        own=pairwise.own[chosen],
        alone=pairwise.alone[chosen],
        clusterings=tuple(_only_clusters(one, chosen) for one in pairwise.clusterings),
    )


def _only_clusters(one: Clustering, chosen: NDArray[np.int64]) -> Clustering:
    share = csr_array(one.share[:, chosen])
    rows = np.flatnonzero(np.diff(share.indptr))
    return replace(one, influence=csr_array(one.influence[:, chosen])[rows], share=share[rows], times=one.times[rows])


def score_map(pairwise: WinRateEstimate, board: Leaderboard) -> csr_array:
    """Return the (n, p) map from win rates to the board's scores, where more battles do not change what a score is."""
    if board.agents != pairwise.agents:
        raise UsageError("`board` and `pairwise` must be of the same agents; make the board of these win rates.")
    if board.influence is None:
        raise UsageError(
            f"more battles of a pair must leave alone what a score is; under {quoted(board.settings.get('estimand'))} they do "
            "not. Use the estimand `mean_win_rate`."
        )
    return csr_array(board.influence)


class Outlook:
    """The errors of scores as a function of the shares *f* that more battles leave to the old ones.

    Parameters
    ----------
    pairwise : WinRateEstimate
    L : (n, p) sparse
        The map from rates to scores.
    """

    def __init__(self, pairwise: WinRateEstimate, L: csr_array) -> None:
        self.L = L
        self.V = csr_array(diags_array(pairwise.own))
        for one in pairwise.clusterings:
            self.V = self.V + one.sign * _products(one.influence)
        self.own = self.V.diagonal()

    def covariance(self, f: Array) -> Array:
        """Return the (n, n) covariance of the scores."""
        moved = self.L @ diags_array(f)
        own = self.L @ diags_array(self.own * f * (1 - f))
        return np.asarray((moved @ (self.V @ moved.T)).toarray() + (own @ self.L.T).toarray())

    def slopes(self, f: Array, weight: Array) -> Array:
        r"""Return the slope in each share of :math:`\sum_{i < j} w_{ij} \operatorname{var}(S_i - S_j)`, shape (p,).

        With :math:`\Lambda = \operatorname{diag}(w 1) - w` that sum is the trace of :math:`\Lambda` times the covariance.

        Parameters
        ----------
        f : (p,) float
        weight : (n, n) float
            Symmetric, zero on the diagonal.
        """
        turned = self.L.T @ (np.diag(weight.sum(axis=1)) - weight)
        shared = self.V @ (diags_array(f) @ self.L.T)
        within = np.asarray(self.L.T.multiply(turned).sum(axis=1)).ravel()
        return np.asarray(2 * shared.multiply(turned).sum(axis=1)).ravel() + (1 - 2 * f) * self.own * within


def _products(influence: csr_array) -> csr_array:
    """The sums over clusters of products of what they do to two pairs."""
    if influence.nnz > FULL * influence.shape[0] * influence.shape[1]:
        full = influence.toarray()
        return csr_array(full.T @ full)
    return influence.T @ influence
