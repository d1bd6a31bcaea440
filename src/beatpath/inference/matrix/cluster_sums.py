r"""What clusters do to sums over agents, block by block: covariances of scores, and their degrees of freedom.

A map of the rates that is read off agents has the form :math:`A = E D^\top K + F D^\top W` with *D* the incidence of pairs and
agents, *E*, *K*, *W* diagonal and *F* dense. With :math:`U` the influence of clusters, :math:`U A^\top = Y_1 E + Y_2 F^\top`, where
:math:`Y_1 = U K D` and :math:`Y_2 = U W D` have two entries for each of *U*: nothing as large as clusters by pairs, or maps by
pairs, is ever filled.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from beatpath._arrays import Floats, Ints

FULL = 200  # how much longer an entry takes in a sparse product than in a dense one
CELLS = 1 << 20  # of a dense block, which the cache holds about
ROWS = 1 << 17  # numbers of a block of maps


@dataclass(frozen=True, eq=False)
class AgentMaps:
    """Maps of the rates that are read off agents.

    Parameters
    ----------
    a, b : (p,) int
        The pairs.
    each : (n,) float
        *E*.
    k, w : (p,) float
        *K* and *W*.
    F : (n, n) float
    """

    a: Ints
    b: Ints
    each: Floats
    k: Floats
    w: Floats
    F: Floats

    def moved(self, influence: csr_array, scale: Floats) -> Floats:
        r"""Return :math:`\sum_c m_c m_c^\top` of what clusters do to the maps, *scale* times the rates, (n, n)."""
        n = len(self.each)
        own = agent_sums(influence, self.a, self.b, n, scale * self.k, self.each)
        pull = agent_sums(influence, self.a, self.b, n, scale * self.w)
        if quicker_sparse(own):
            return seen_from_both(gram(hstack([own, pull], format="csr")), self.F)
        total = np.zeros((n, n))
        for rows in _blocks_of_rows(influence.shape[0], n):
            block = own[rows].toarray() + pull[rows].toarray() @ self.F.T
            total += block.T @ block
        return total

    def effective(self, share: csr_array, times: Floats, alone: Floats) -> tuple[Floats, Floats]:
        r"""Return :math:`\sum_c v_c` and :math:`\sum_c v_c v_c^\top`, :math:`v_c = \sum_p A_p^2 s_{cp}^2` the weight of a cluster.

        Parameters
        ----------
        share : (units, p) sparse
            :math:`s_{cp}`.
        times : (units,) float
            How many clusters every row stands for.
        alone : (p,) float
            What battles that are clusters of their own add to the first sum, a pair.

        Notes
        -----
        Squares are summed in single precision, on a scale on which none is lost: degrees of freedom come out right to six digits.
        """
        n, filled = len(self.each), np.flatnonzero(np.diff(share.indptr))
        size = 2 * np.abs(self.w).max(initial=0.0) * np.abs(self.F).max() + (self.each * np.abs(self.k).max()).max()
        unit = float(size * np.abs(share.data).max(initial=0.0)) or 1.0
        columns, data = np.ascontiguousarray(self.F.T / size, dtype=np.float32), share.data * (size / unit)
        first, joint = np.zeros(n), np.zeros((n, n))
        for some in _blocks_of_rows(len(filled), n):
            start, end = share.indptr[filled[some]], share.indptr[filled[some][-1] + 1]
            v = self._weights(share.indices, data, start, end, columns, size) * unit**2
            first += times[filled[some]] @ v
            v *= np.sqrt(times[filled[some], None])
            joint += v.T @ v
        lone = np.flatnonzero(alone)
        for low in range(0, len(lone), max(1, ROWS // n)):
            pair = lone[low : low + max(1, ROWS // n)]
            first += (self._at(pair, np.sqrt(alone[pair]), columns, size) ** 2).sum(axis=0, dtype=np.float64) * size**2
        return first, joint

    def _weights(
        self, pair: Ints, share: Floats, start: Ints, end: int, columns: NDArray[np.float32], size: float
    ) -> Floats:
        """The weights :math:`v` of clusters whose entries begin at `start`, (clusters, n)."""
        v, step = np.zeros((len(start), len(self.each))), max(1, ROWS // len(self.each))
        for low in range(int(start[0]), int(end), step):
            high = min(low + step, int(end))
            here = slice(np.searchsorted(start, low, "right") - 1, np.searchsorted(start, high - 1, "right"))
            rows = self._at(pair[low:high], share[low:high], columns, size)
            rows *= rows
            v[here] += np.add.reduceat(rows, np.maximum(start[here] - low, 0), axis=0)
        return v

    def _at(self, pair: Ints, times: Floats, columns: NDArray[np.float32], size: float) -> NDArray[np.float32]:
        """The maps at pairs, (pairs, n), *times* as large, over `size`."""
        a, b, row, k = self.a[pair], self.b[pair], np.arange(len(pair)), self.k[pair] * times / size
        maps: NDArray[np.float32] = columns[a]
        maps -= columns[b]
        maps *= (self.w[pair] * times).astype(np.float32)[:, None]
        maps[row, a] += (self.each[a] * k).astype(np.float32)
        maps[row, b] -= (self.each[b] * k).astype(np.float32)
        return maps


def agent_sums(influence: csr_array, a: Ints, b: Ints, n: int, weight: Floats, each: Floats | float = 1.0) -> csr_array:
    r"""Return :math:`U \operatorname{diag}(\text{weight}) D \operatorname{diag}(\text{each})`, (units, n): two entries for each of *U*.

    >>> U = csr_array(np.array([[0.5, 2.0]]))
    >>> agent_sums(U, np.array([0, 0]), np.array([1, 2]), 3, np.ones(2)).toarray()
    array([[ 2.5, -0.5, -2. ]])
    """
    pair = influence.indices
    place = np.stack([a[pair], b[pair]], axis=1)
    data = (influence.data * weight[pair])[:, None] * np.array([1.0, -1.0])
    if isinstance(each, np.ndarray):
        data *= each[place]
    return csr_array((data.ravel(), place.ravel(), 2 * influence.indptr), shape=(influence.shape[0], n))


def quicker_sparse(X: csr_array) -> bool:
    """Whether so little of a matrix is filled that its gram is quicker entry by entry."""
    return FULL * float((np.diff(X.indptr).astype(np.float64) ** 2).sum()) < X.shape[0] * float(X.shape[1]) ** 2


def gram(X: csr_array) -> Floats:
    """Return :math:`X^T X` of a sparse matrix, densely where so much is full that this is quicker.

    >>> gram(csr_array([[1.0, 2.0], [0.0, 3.0]]))
    array([[ 1.,  2.],
           [ 2., 13.]])
    """
    if quicker_sparse(X):
        return np.asarray((X.T @ X).toarray())
    total = np.zeros((X.shape[1],) * 2)
    for rows in _blocks_of_rows(*X.shape):
        block = X[rows].toarray()
        total += block.T @ block
    return total


def _blocks_of_rows(rows: int, columns: int) -> list[slice]:
    step = max(CELLS // max(columns, 1), 1)
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def seen_from_both(gram: Floats, F: Floats) -> Floats:
    r""":math:`[I\; F]\, G\, [I\; F]^T`."""
    k = len(F)
    cross = gram[:k, k:] @ F.T
    full = gram[:k, :k] + cross + cross.T + F @ gram[k:, k:] @ F.T
    return (full + full.T) / 2
