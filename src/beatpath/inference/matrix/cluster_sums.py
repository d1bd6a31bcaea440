r"""Cluster-robust covariances of scores, summed block by block, and their degrees of freedom.

A linear map of the rates that acts through agents has the form :math:`A = E D^\top K + F D^\top W` with *D* the
incidence matrix of pairs and agents, *E*, *K*, *W* diagonal and *F* dense. With :math:`U` the influence of clusters,
:math:`U A^\top = Y_1 E + Y_2 F^\top`, where :math:`Y_1 = U K D` and :math:`Y_2 = U W D` have two entries per entry of
*U*: no dense matrix of clusters by pairs, or maps by pairs, is ever built.

Where many clusters affect many agents, products are computed in single precision by block and summed in double. The
loss in an agent's :math:`m_i = Y_1 E_i + Y_2 F_i^\top` is :math:`\epsilon` times itself and times the range of
:math:`F_i` over :math:`Y_2`. Where :math:`Y_2^\top Y_2` suffices, the loss in a variance is :math:`\epsilon` times the
square of the weighted sum of the standard deviations of all agents' sums. Unless that is less than 1e-5 of the
standard error of every difference, double precision is used.

Degrees of freedom are Kish's effective number of clusters behind every difference.

With :math:`v_{ci} = \sum_p A_{ip}^2 s_{cp}^2` the weight of a cluster in a map, :math:`s_{cp}` its share of a pair's
battles, they are :math:`(\sum_c v_c)^2 / \sum_c v_c^2` minus one. The first sum is over pairs; the second needs every
map at every cell of the clusters, which is most of the work on a large board. In a map that acts through agents (see
`AgentMaps`) a cluster mostly affects its own agents. So :math:`v_{ci} = o_{ci} + r_{ci}`: *o* from the pairs of agent
*i* itself, two entries per cell, and *r* from all others, where :math:`A_{ip} = w_p (F_{ia} - F_{ib})` and therefore

.. math::  0 \le r_{ci} \le x_c\, \max_{a, b \ne i} (F_{ia} - F_{ib})^2, \qquad x_c = \sum_p w_p^2 s_{cp}^2 .

Both bounds, and the sum of *r* over clusters, are known without visiting all cells. With very many clusters even the
overlap of two agents' clusters is only bounded: between zero and the Cauchy-Schwarz bound. Where the bounds are so
tight that no Gaussian equivalent up to 4.5 moves by more than 1e-4 (a simulated critical value has a hundred times
that error), the sum is distributed over clusters by :math:`x_c`, and agents share clusters as if independent;
elsewhere the full sum is computed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from beatpath._arrays import Codes, Floats, Ints
from beatpath.inference.leaderboard import variances_of_differences
from beatpath.inference.win_rates.cluster_rows import (
    FULL,
    SparseRows,
    blocks,
    columns_times,
    filled,
    row_spans,
    sparse_gram,
)
from beatpath.inference.win_rates.estimate import Clustering

SINGLE = 1e10  # number of products from which single precision, twice as fast, is worth checking
LOST = 1e-5  # largest loss of precision, relative to a standard error


@dataclass(frozen=True, eq=False)
class AgentMaps:
    """Linear maps of the rates that act through agents.

    Parameters
    ----------
    a, b : (p,) int
        The pairs.
    each : (n,) float
        *E*.
    k, w : (p,) float
        *K* and *W*.
    F : (n, n) float
        *F*.
    """

    a: Ints
    b: Ints
    each: Floats
    k: Floats
    w: Floats
    F: Floats

    def moved(self, influence: SparseRows, scale: Floats, *, exact: bool = False) -> Floats:
        r"""Return :math:`\sum_c m_c m_c^\top` over clusters, with rates multiplied by *scale*, (n, n).

        `exact` forces double precision, as needed where two such matrices are subtracted.
        """
        n = len(self.each)
        if quicker_sparse(influence, n):
            whole, ends = influence.tocsr(), ends_of(self.a, self.b)
            own = agent_sums(columns_times(whole, scale * self.k), ends, n, self.each)
            pull = agent_sums(columns_times(whole, scale * self.w), ends, n)
            return from_both_sides(sparse_gram(hstack([own, pull], format="csr")), self.F)
        single = not exact and influence.shape[0] * float(n) ** 2 > SINGLE
        for kind in (np.float32, np.float64) if single else (np.float64,):
            total, sound = self._moved_as_one(influence, scale, kind) or self._moved_densely(influence, scale, kind)
            if sound:
                break
        return total

    def _moved_as_one(self, influence: SparseRows, scale: Floats, kind: Any) -> tuple[Floats, bool] | None:
        r"""Return the same where :math:`K = \kappa W`, as when no pairs stand out, and whether the loss is small.

        Then :math:`U A^\top = Y_2 (\kappa E + F)^\top`, and one product :math:`Y_2^\top Y_2` per block suffices.
        """
        most = int(np.argmax(self.w))
        kappa = self.k[most] / self.w[most]
        if not np.allclose(self.k, kappa * self.w, rtol=1e-12, atol=0.0):
            return None
        pulled = agent_gram(influence, self.a, self.b, len(self.each), scale * self.w, single=kind is np.float32)
        M = self.F + np.diag(kappa * self.each)
        total = M @ pulled @ M.T
        spread = np.abs(M) @ np.sqrt(np.diag(pulled))
        lost = np.finfo(kind).eps / 2 * np.add.outer(spread, spread) ** 2
        return (total + total.T) / 2, kind is np.float64 or bool((lost < LOST * of_differences(total)).all())

    def _moved_densely(self, influence: SparseRows, scale: Floats, kind: Any) -> tuple[Floats, bool]:
        """Return the sum over clusters by dense blocks, and whether the loss is small."""
        n, ends = len(self.each), ends_of(self.a, self.b)
        total, pulled, F = np.zeros((n, n)), 0.0, np.ascontiguousarray(self.F.T, dtype=kind)
        pulls = filled(
            agent_sums(block, ends, n, kind=kind) for block in blocks(columns_times(influence, scale * self.w), n)
        )
        own_blocks = blocks(columns_times(influence, scale * self.k), n)
        owns = filled(agent_sums(block, ends, n, self.each, kind=kind) for block in own_blocks)
        for pull, own in zip(pulls, owns, strict=True):
            moved = pull @ F
            moved += own
            total += moved.T @ moved
            pulled += float(np.vdot(pull, pull))
        return total, kind is np.float64 or _little_lost(total, np.ptp(self.F, axis=1) * np.sqrt(pulled))


def ends_of(a: Ints, b: Ints) -> Codes:
    """Return the two agents of every pair as columns, (p, 2)."""
    return np.stack([a, b], axis=1).astype(np.int32)


def agent_sums(
    influence: csr_array, ends: Codes, n: int, each: Floats | None = None, *, kind: Any = np.float64
) -> csr_array:
    r"""Return :math:`U D \operatorname{diag}(\text{each})`, (units, n): two entries per entry of *U*.

    >>> U = csr_array(np.array([[0.5, 2.0]]))
    >>> agent_sums(U, ends_of(np.array([0, 0]), np.array([1, 2])), 3).toarray()
    array([[ 2.5, -0.5, -2. ]])
    """
    data, place = np.empty((len(influence.data), 2), dtype=kind), ends.take(influence.indices, axis=0)
    data[:, 0] = influence.data
    np.negative(data[:, 0], out=data[:, 1])
    if each is not None:
        data *= each.astype(kind)[place]
    return two_a_cell(influence, data, place, n)


def two_a_cell(X: csr_array, data: NDArray[Any], place: Codes, n: int) -> csr_array:
    """Return a matrix with the rows of *X* and *n* columns, with two entries, (m, 2), per entry of *X*."""
    start = 2 * X.indptr.astype(np.int64 if len(place) >= 2**30 else np.int32)
    return csr_array((data.ravel(), place.ravel(), start), shape=(X.shape[0], n))


def agent_gram(influence: SparseRows, a: Ints, b: Ints, n: int, weight: Floats, *, single: bool = False) -> Floats:
    r"""Return :math:`Y^\top Y` of `agent_sums` *Y*, (n, n); `single` allows single precision.

    >>> agent_gram(csr_array(np.array([[0.5, 2.0]])), np.array([0, 0]), np.array([1, 2]), 3, np.ones(2))
    array([[ 6.25, -1.25, -5.  ],
           [-1.25,  0.25,  1.  ],
           [-5.  ,  1.  ,  4.  ]])
    """
    ends = ends_of(a, b)
    if quicker_sparse(influence, n):
        return sparse_gram(agent_sums(columns_times(influence, weight).tocsr(), ends, n))
    kind = np.float32 if single and influence.shape[0] * float(n) ** 2 > SINGLE else np.float64
    total = np.zeros((n, n))
    for full in filled(agent_sums(block, ends, n, kind=kind) for block in blocks(columns_times(influence, weight), n)):
        total += full.T @ full
    return total


def quicker_sparse(influence: SparseRows, n: int) -> bool:
    """Return whether sums over *n* agents are so sparse that sparse products are faster."""
    entries = 2.0 * np.diff(influence.indptr)
    return FULL * float(entries @ entries) < influence.shape[0] * float(n) ** 2


def _little_lost(total: Floats, shared: Floats) -> bool:
    """Return whether single precision lost little of the standard errors of all differences.

    >>> V = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> _little_lost(V, np.array([10.0, 10.0])), _little_lost(V, np.array([1000.0, 10.0])), _little_lost(0 * V, np.zeros(2))
    (True, False, False)
    """
    spread = np.sqrt(np.diag(total)) + shared
    lost = np.finfo(np.float32).eps / 2 * np.add.outer(spread, spread)
    return bool((lost**2 < LOST**2 * of_differences(total)).all())


def of_differences(V: Floats) -> Floats:
    r"""Return :math:`(e_i - e_j)^\top V (e_i - e_j)`, the variances of all differences; the diagonal is that of *V*.

    >>> of_differences(np.array([[2.0, 1.0], [1.0, 3.0]]))
    array([[2., 3.],
           [3., 3.]])
    """
    full = variances_of_differences((V + V.T) / 2)
    np.fill_diagonal(full, np.diag(V))
    return full


def from_both_sides(gram: Floats, F: Floats) -> Floats:
    r"""Return :math:`[I\; F]\, G\, [I\; F]^T`."""
    k = len(F)
    cross = gram[:k, k:] @ F.T
    full = gram[:k, :k] + cross + cross.T + F @ gram[k:, k:] @ F.T
    return (full + full.T) / 2


ROWS, BLOCK = 1 << 17, 1 << 20  # numbers per block of maps, and of cluster weights
WORTH = 1e8  # maps times cells from which bounds are worth computing first
# largest uncertainty of one over the degrees of freedom; z (z^2 + 1) / 4 times it is the shift of a Gaussian
# equivalent
OPEN = 4e-6


def cluster_degrees(maps: AgentMaps, clustering: Clustering, alone: Floats) -> Floats:
    """Return degrees of freedom of all differences of maps, and of the maps on the diagonal, (n, n); at least 1.

    Parameters
    ----------
    maps : AgentMaps
        The linear maps.
    clustering : Clustering
        The clusters, with their shares :math:`s_{cp}`.
    alone : (p,) float
        Contribution of battles outside clusters to the first sum, per pair.

    Notes
    -----
    Squares are summed in single precision, on a scale that avoids underflow: degrees of freedom are accurate to six
    digits where the full sum is computed.
    """
    share, times, square = clustering.held, clustering.times, alone + clustering.concentration
    whole = _whole(maps, square)
    both = whole[:, None] + whole[None, :]
    np.fill_diagonal(both, whole)
    crossed = _nearly_crossed(maps, share, times, square, whole, both) if share.nnz * len(whole) > WORTH else None
    if crossed is None:
        crossed = _crossed(_joint(maps, share.tocsr(), times))
    return np.maximum(both**2 / np.maximum(crossed, 1e-300) - 1, 1.0)


def _crossed(joint: Floats) -> Floats:
    r"""Return :math:`\sum_c (v_{ci} + v_{cj})^2`, and :math:`\sum_c v_{ci}^2` on the diagonal."""
    own = np.diag(joint)
    crossed = own[:, None] + own[None, :] + 2 * joint
    np.fill_diagonal(crossed, own)
    return crossed


def _whole(maps: AgentMaps, square: Floats) -> Floats:
    r"""Return :math:`\sum_c v_c` from squared maps, weighted by *square* per pair.

    With :math:`q_p` the square, :math:`\sum_p q_p w_p^2 (F_{ia} - F_{ib})^2` is a quadratic form of the Laplacian of
    :math:`q w^2` in the rows of *F*; an agent's own pairs add a sum over them.
    """
    F = maps.F - maps.F.mean(axis=1, keepdims=True)
    far, cross, near = np.zeros((3, *F.shape))  # by agents: symmetric
    for table, values in ((far, maps.w**2), (cross, maps.w * maps.k), (near, maps.k**2)):
        table[maps.a, maps.b] = table[maps.b, maps.a] = square * values
    variance = F**2 @ far.sum(axis=1) - ((F @ far) * F).sum(axis=1)
    own = 2 * (np.diag(F) * cross.sum(axis=1) - (cross * F).sum(axis=1)) + maps.each * near.sum(axis=1)
    return np.maximum(variance + maps.each * own, 0.0)


def _nearly_crossed(
    maps: AgentMaps, share: SparseRows, times: Floats, square: Floats, whole: Floats, both: Floats
) -> Floats | None:
    """Return sums of squares with the rest distributed by :math:`x_c`; None if bounds are too wide."""
    n, at, widest = len(whole), own_maps(maps), _widest(maps.F) ** 2
    own = np.bincount(maps.a, square * at[0] ** 2, n) + np.bincount(maps.b, square * at[1] ** 2, n)
    rest = np.maximum(whole - own, 0.0) / max(float(square @ maps.w**2), 1e-300)
    unit = float(max(np.abs(one).max(initial=0.0) for one in at) * np.sqrt(square.max(initial=0.0))) or 1.0
    clusters = float(times.sum())
    many = 2 * OPEN * clusters > 1  # with fewer, the bounds of the overlap are too wide
    for shared in (False, True) if many else (True,):
        sums = _sums_of_own(maps, at, share, times, unit, shared=shared)
        low, high, likely = (sums.joint,) * 3 if shared else sums.bounds(clusters)
        if (sums.crossed(high, widest) - sums.crossed(low, 0 * widest) <= OPEN * both**2).all():
            return sums.crossed(likely, rest)
    return None


@dataclass(frozen=True, eq=False)
class _OwnSums:
    r"""Sums over clusters of the agents' own parts.

    Parameters
    ----------
    joint : (n, n) float
        :math:`\sum_c o_c o_c^\top`, or its diagonal alone.
    total, across : (n,) float
        :math:`\sum_c o_c` and :math:`\sum_c o_c x_c`.
    rest : float
        :math:`\sum_c x_c^2`.
    """

    joint: Floats
    total: Floats
    across: Floats
    rest: float

    def crossed(self, joint: Floats, r: Floats) -> Floats:
        """Return sums of squares where clusters have *r* times :math:`x_c` in addition."""
        return _crossed(
            joint + r[:, None] * self.across[None, :] + self.across[:, None] * r[None, :] + np.outer(r, r) * self.rest
        )

    def bounds(self, clusters: float) -> tuple[Floats, Floats, Floats]:
        r"""Return lower and upper bounds of the overlap of two agents' clusters, and its value under independence.

        The upper bound is Cauchy-Schwarz, :math:`\sqrt{\sum_c o_{ci}^2 \sum_c o_{cj}^2}`.
        """
        own = np.diag(self.joint)
        most = np.sqrt(np.outer(own, own))
        likely = np.minimum(np.outer(self.total, self.total) / clusters, most)
        np.fill_diagonal(likely, own)
        return np.diag(own), most, likely


def own_maps(maps: AgentMaps) -> tuple[Floats, Floats]:
    """Return the maps of a pair's two agents at the pair itself, (p,) each."""
    a, b, F = maps.a, maps.b, maps.F
    return (maps.w * (F[a, a] - F[a, b]) + maps.each[a] * maps.k, maps.w * (F[b, a] - F[b, b]) - maps.each[b] * maps.k)


def _sums_of_own(
    maps: AgentMaps, at: tuple[Floats, Floats], share: SparseRows, times: Floats, unit: float, *, shared: bool
) -> _OwnSums:
    """Sum the agents' own parts by block, scaled by `unit`; products of two agents where `shared`."""
    n, ends = len(maps.each), ends_of(maps.a, maps.b)
    both = np.stack([((one / unit) ** 2).astype(np.float32) for one in at], axis=1)
    joint, total, across, rest = np.zeros((n, n)), np.zeros(n), np.zeros(n), 0.0
    for rows in row_spans(share, n):
        block, root = share[rows], np.sqrt(times[rows])
        pair = block.indices
        data, far = both.take(pair, axis=0), maps.w.take(pair)
        data *= (block.data**2).astype(np.float32)[:, None]
        far *= block.data / unit
        o = two_a_cell(block, data, ends.take(pair, axis=0), n).toarray()
        if (root != 1).any():
            o *= root.astype(np.float32)[:, None]
        x = csr_array((far**2, pair, block.indptr), shape=block.shape).sum(axis=1) * root
        if shared:
            joint += o.T @ o
        else:
            joint[np.arange(n), np.arange(n)] += np.einsum("ci,ci->i", o, o)
        total += root.astype(np.float32) @ o
        across += x.astype(np.float32) @ o
        rest += float(x @ x)
    return _OwnSums(joint * unit**4, total * unit**2, across * unit**4, rest * unit**4)


def _widest(F: Floats) -> Floats:
    """Return the range of the entries of every row without the diagonal.

    >>> _widest(np.array([[9.0, 1.0, 3.0], [2.0, 9.0, 2.0], [0.0, -1.0, 9.0]]))
    array([2., 0., 1.])
    """
    rest = ~np.eye(len(F), dtype=bool)
    highest = F.max(axis=1, initial=-np.inf, where=rest)
    return np.maximum(highest - F.min(axis=1, initial=np.inf, where=rest), 0.0)


def _joint(maps: AgentMaps, share: csr_array, times: Floats) -> Floats:
    r"""Return :math:`\sum_c v_c v_c^\top`, every map at every cell."""
    n, filled = len(maps.each), np.flatnonzero(np.diff(share.indptr))
    size, columns = _scaled(maps)
    unit = float(size * np.abs(share.data).max(initial=0.0)) or 1.0
    joint, data, step = np.zeros((n, n)), share.data * (size / unit), max(1, BLOCK // n)
    for low in range(0, len(filled), step):
        some = filled[low : low + step]
        start, end = share.indptr[some], int(share.indptr[some[-1] + 1])
        v = _weights(maps, share.indices, data, start, end, columns, size)
        v *= np.sqrt(times[some, None])
        joint += v.T @ v
    return joint * unit**4


def _scaled(maps: AgentMaps) -> tuple[float, NDArray[np.float32]]:
    """Return a bound of all maps, and the columns of *F* divided by it."""
    size = 2 * np.abs(maps.w).max(initial=0.0) * np.abs(maps.F).max() + (maps.each * np.abs(maps.k).max()).max()
    return float(size), np.ascontiguousarray(maps.F.T / size, dtype=np.float32)


def _weights(
    maps: AgentMaps, pair: Ints, share: Floats, start: Ints, end: int, columns: NDArray[np.float32], size: float
) -> Floats:
    """Return the weights :math:`v` of clusters whose entries begin at `start`, (clusters, n)."""
    v, step = np.zeros((len(start), len(maps.each))), max(1, ROWS // len(maps.each))
    for low in range(int(start[0]), end, step):
        high = min(low + step, end)
        here = slice(np.searchsorted(start, low, "right") - 1, np.searchsorted(start, high - 1, "right"))
        rows = _at(maps, pair[low:high], share[low:high], columns, size)
        rows *= rows
        v[here] += np.add.reduceat(rows, np.maximum(start[here] - low, 0), axis=0)
    return v


def _at(maps: AgentMaps, pair: Ints, times: Floats, columns: NDArray[np.float32], size: float) -> NDArray[np.float32]:
    """Return the maps at pairs, (pairs, n), multiplied by *times* and divided by `size`."""
    a, b, row, k = maps.a[pair], maps.b[pair], np.arange(len(pair)), maps.k[pair] * times / size
    picked: NDArray[np.float32] = columns[a]
    picked -= columns[b]
    picked *= (maps.w[pair] * times).astype(np.float32)[:, None]
    picked[row, a] += (maps.each[a] * k).astype(np.float32)
    picked[row, b] -= (maps.each[b] * k).astype(np.float32)
    return picked
