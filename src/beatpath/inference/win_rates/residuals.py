r"""Residuals of every cluster of battles around predicted win rates.

For predicted rates :math:`\sigma_p`, cluster *c* has the residual :math:`f_{cp} = s_{cp} - \sigma_p n_{cp}` on the
pair *p*. Battles *i* outside clusters are known by pair in total: with :math:`w_p` the weight of a pseudo-count and
:math:`\tilde\psi_p` the rate smoothed by it, from :math:`\sum_i w_i^2 (o_i - \tilde\psi_p)^2` follows

.. math::  \sum_i w_i^2 (o_i - \sigma_p)^2 = \sum_i w_i^2 (o_i - \tilde\psi_p)^2
           + 2 (\tilde\psi_p - \sigma_p) \sum_i w_i^2 (o_i - \tilde\psi_p) + (\tilde\psi_p - \sigma_p)^2 \sum_i w_i^2 .

This is exact where the battles of a pair have equal weights. Otherwise :math:`w_p` is approximated by their mean
weight, and the middle sum by that mean times :math:`\sum_i w_i (o_i - \tilde\psi_p)`, which is known.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence.select import new_codes
from beatpath.inference.win_rates.cluster_rows import ClusterRows, column_sums
from beatpath.inference.win_rates.estimate import WinRateEstimate

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ClusterResiduals:
    """Residuals by cluster of one clustering.

    Parameters
    ----------
    sign : float
        That of the `Clustering`.
    times : (clusters,) float
        Number of equal clusters.
    f : (clusters, pairs) ClusterRows
        :math:`f_{cp}`, times the root of `times`, with the entries of `n`.
    n : (clusters, pairs) ClusterRows
        :math:`n_{cp}` of one cluster.
    """

    sign: float
    times: Array
    f: ClusterRows
    n: ClusterRows


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    r"""Residuals by cluster, and by pair for battles outside clusters.

    Parameters
    ----------
    parts : tuple of ClusterResiduals
        One per clustering.
    alone : (p,) float
        :math:`\sum_i w_i^2 (o_i - \sigma_p)^2` of battles outside clusters.
    number : (p,) float
        Effective number of those battles; overestimated where their weights differ.
    """

    parts: tuple[ClusterResiduals, ...]
    alone: Array
    number: Array


def residuals(pairwise: WinRateEstimate, predicted: Array) -> Residuals:
    """Return the residuals of clusters around predicted rates.

    Parameters
    ----------
    pairwise : WinRateEstimate
        Observed win rates.
    predicted : (p,) float
        The predicted rate of every pair.

    Examples
    --------
    Four battles outside clusters; the prediction is even odds, so each residual is one half.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> four = win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))
    >>> residuals(four, np.array([0.5])).alone.round(9)
    array([1.])
    """
    N = pairwise.weight
    w = N / np.maximum(pairwise.battles, 1)
    smooth = (pairwise.rate * N + w / 2) / (N + w)
    off = smooth - predicted
    left = w * (smooth - 0.5)  # of all battles; the share of the clusters is subtracted below
    parts = []
    for one in pairwise.clusterings:
        assert isinstance(one.moved, ClusterRows)
        assert isinstance(one.held, ClusterRows)
        f, n = one.moved.of_counts(1.0, -predicted), one.held.of_counts(0.0, np.ones_like(N))
        if pairwise.alone.any():
            left = left - one.sign * (column_sums(f, np.sqrt(one.times)) - off * column_sums(n, one.times))
        parts.append(ClusterResiduals(one.sign, one.times, f, n))
    around = pairwise.own * N**2 - w**2 * ((1 - smooth) ** 2 + smooth**2) / 2
    alone = around + 2 * off * w * left + off**2 * pairwise.alone * N**2
    alone = np.where(pairwise.alone > 0, np.maximum(alone, 0.0), 0.0)
    return Residuals(tuple(parts), alone, pairwise.alone * pairwise.battles.astype(np.float64) ** 2)


def restricted(pairwise: WinRateEstimate, keep: NDArray[np.bool_]) -> tuple[WinRateEstimate, NDArray[np.bool_]]:
    """Return the win rates among some agents, renumbered, and a mask of their pairs.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> three = win_rate_inference(Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[1, 1, 0, 0]] * 3))
    >>> two, part = restricted(three, np.array([True, False, True]))
    >>> two.agents, two.a, two.b, part
    (('ada', 'cyd'), array([0], dtype=int32), array([1], dtype=int32), array([False,  True, False]))
    """
    inside = keep[pairwise.a] & keep[pairwise.b]
    if keep.all():
        return pairwise, inside
    code = new_codes(np.flatnonzero(keep), len(keep))
    columns = np.flatnonzero(inside)
    clusterings = (
        replace(one, moved=one.moved.of_pairs(columns), held=one.held.of_pairs(columns)) for one in pairwise.clusterings
    )
    part = replace(
        pairwise,
        agents=tuple(name for name, stays in zip(pairwise.agents, keep.tolist(), strict=True) if stays),
        a=code[pairwise.a[inside]],
        b=code[pairwise.b[inside]],
        **{name: getattr(pairwise, name)[inside] for name in ("rate", "weight", "battles", "own", "alone")},
        common=None if pairwise.common is None else pairwise.common[inside],
        clusterings=tuple(clusterings),
    )
    return part, inside
