r"""What win rates would be worth with more battles of some pairs.

New battles of a pair are taken to come in clusters of their own, which look like those seen in that pair: as many battles in
each, and as alike. With :math:`f_p = N_p / (N_p + \Delta_p)`, the share that :math:`\Delta_p` more battles leave to the old ones,
the covariance of the rates becomes

.. math::  V_{pq}(f) = f_p f_q V_{pq} \quad (p \ne q), \qquad V_{pp}(f) = f_p V_{pp} :

a pair's own variance falls as one over its battles, and what it shares with other pairs by common clusters is diluted.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack

from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.estimate import MatrixEstimate
from beatpath.inference.win_rates.estimate import Array, Clustering, WinRateEstimate

LEAST_KEPT = 1e-9  # share of the battles that are there already; what leaves less is as good as knowing the rate


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
        moved=vstack([one.influence @ old, csr_array((moved, at), shape=shape)], format="csr"),
        held=vstack([one.share @ old, csr_array((share, at), shape=shape)], format="csr"),
        times=np.concatenate([one.times, one.times[cluster] * times]),
    )


def made_of(pairwise: WinRateEstimate, board: Leaderboard) -> MatrixEstimate:
    """Return the estimate of all win rates that a board's scores are means of, where more battles leave alone what a score is."""
    if board.agents != pairwise.agents:
        raise UsageError("`board` and `pairwise` must be of the same agents; make the board of these win rates.")
    if board.made is None:
        raise UsageError(
            f"more battles of a pair must leave alone what a score is; under {quoted(board.settings.get('estimand'))} they do "
            "not. Use the estimand `mean_win_rate`."
        )
    made: MatrixEstimate = board.made
    return made


class Outlook:
    """The errors of scores as a function of the shares *f* that more battles leave to the old ones.

    Parameters
    ----------
    pairwise : WinRateEstimate
    board : Leaderboard
        Whose scores are mean win rates.
    """

    def __init__(self, pairwise: WinRateEstimate, board: Leaderboard) -> None:
        self.pairwise, self.board, self.made = pairwise, board, made_of(pairwise, board)

    @lru_cache(maxsize=2)  # noqa: B019 - an outlook is asked for a variance and its slopes in turn, and not kept
    def _planned(self, shares: bytes) -> MatrixEstimate:
        return self.made.planned(np.frombuffer(shares))

    def planned(self, f: Array) -> MatrixEstimate:
        """Return the estimate with so many more battles."""
        return self._planned(np.ascontiguousarray(np.maximum(f, LEAST_KEPT), dtype=np.float64).tobytes())

    def covariance(self, f: Array) -> Array:
        """Return the (n, n) covariance of the scores."""
        return self.planned(f).covariance

    def degrees(self, f: Array, agents: Sequence[int] | None = None) -> Array:
        """Return the degrees of freedom of differences, of all agents or of some.

        They are as many times those there are as more clusters make them.
        """
        some = range(len(self.board.agents)) if agents is None else agents
        now = self.board.df[np.ix_(some, some)]
        if np.isinf(now).all():
            return now
        A, before = self._degrees_before(tuple(some))
        more = with_more_battles(self.pairwise, self.pairwise.battles * (1 / np.maximum(f, LEAST_KEPT) - 1))
        grown = np.divide(more.degrees(A), before, out=np.ones_like(before), where=np.isfinite(before))
        return np.maximum(now * grown, 1.0)

    @lru_cache(maxsize=2)  # noqa: B019 - as above
    def _degrees_before(self, agents: tuple[int, ...]) -> tuple[csr_array, Array]:
        """The maps of some agents' scores, and the degrees of freedom of their differences by the battles there are."""
        A = csr_array(self.made.influence[list(agents)])
        return A, self.pairwise.degrees(A)

    def difference(self, f: Array, i: int, j: int) -> tuple[float, float]:
        """Return variance and degrees of freedom of the difference of two scores."""
        return self.planned(f).variance_of_difference(i, j), float(self.degrees(f, (i, j))[0, 1])

    def slopes(self, f: Array, weight: Array) -> Array:
        r"""Return about the slope in each share of :math:`\sum_{i < j} w_{ij} \operatorname{var}(S_i - S_j)`, shape (p,).

        With :math:`\Lambda = \operatorname{diag}(w 1) - w` that sum is the trace of :math:`\Lambda` times the covariance. Noise
        falls at once, and with it what a pair leaves to the scale; that the scale itself is weighed anew is left out, as
        weights are chosen to make it matter least.

        Parameters
        ----------
        f : (p,) float
        weight : (n, n) float
            Symmetric, zero on the diagonal.
        """
        made = self.planned(f)
        A, direct = made.influence, made.direct.toarray()
        turned = (np.diag(weight.sum(axis=1)) - weight) @ A
        noise, v = made.variance_of_rates(A), made.v / made.old
        own = made.phi * v * A  # of it, what is a pair's own variance
        falls = (turned * (2 * (noise - own * made.old) / made.old + own)).sum(axis=0)
        lean = (np.diag(weight.sum(axis=1)) - weight) @ (noise + (A - direct) * made.deviation)
        a, b = made.rates.a, made.rates.b
        by_scale = lean @ (made.w[:, None] * (made.C[a] - made.C[b]))
        in_k = 2 * (direct * (lean - made.g * (by_scale[:, a] - by_scale[:, b]))).sum(axis=0)
        T, total = made.deviation, made.deviation + made.phi * made.v
        k_falls = (1 - made.k) * T / np.maximum(total * made.old, 1e-300)
        rest = A - direct
        unsure = ((np.diag(weight.sum(axis=1)) - weight) @ rest * rest).sum(axis=0) * (made.phi - 1) * v
        return np.asarray(falls + unsure - in_k * k_falls)
