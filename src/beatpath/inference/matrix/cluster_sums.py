r"""What clusters do to sums over agents, block by block: covariances of scores.

A map of the rates that is read off agents has the form :math:`A = E D^\top K + F D^\top W` with *D* the incidence of pairs and
agents, *E*, *K*, *W* diagonal and *F* dense. With :math:`U` the influence of clusters, :math:`U A^\top = Y_1 E + Y_2 F^\top`, where
:math:`Y_1 = U K D` and :math:`Y_2 = U W D` have two entries for each of *U*: nothing as large as clusters by pairs, or maps by
pairs, is ever filled.

Where many clusters do something to many agents the products are taken in single precision, block by block, and added up in double:
what is lost of an agent's :math:`m_i = Y_1 E_i + Y_2 F_i^\top` is :math:`\epsilon` times itself and times the range of
:math:`F_i` over :math:`Y_2`. Unless that is less than 1e-5 of the standard error of every difference, double precision is used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack

from beatpath._arrays import Floats, Ints

FULL = 200  # how much longer an entry takes in a sparse product than in a dense one
CELLS = 1 << 20  # of a dense block, which the cache holds about
SINGLE = 1e10  # products beyond which single precision, twice as quick, is worth a look at what it loses
LOST = 1e-5  # of a standard error, at most


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

    def moved(self, influence: csr_array, scale: Floats, *, exact: bool = False) -> Floats:
        r"""Return :math:`\sum_c m_c m_c^\top` of what clusters do to the maps, *scale* times the rates, (n, n).

        `exact` asks for double precision, as what is taken away from another such matrix needs.
        """
        n = len(self.each)
        if quicker_sparse(influence, n):
            own = agent_sums(influence, self.a, self.b, n, scale * self.k, self.each)
            pull = agent_sums(influence, self.a, self.b, n, scale * self.w)
            return seen_from_both(_sparse_gram(hstack([own, pull], format="csr")), self.F)
        if not exact and influence.shape[0] * float(n) ** 2 > SINGLE:
            total, pulled = self._moved_densely(influence, scale, np.float32)
            if _little_lost(total, np.ptp(self.F, axis=1) * np.sqrt(pulled)):
                return total
        return self._moved_densely(influence, scale, np.float64)[0]

    def _moved_densely(self, influence: csr_array, scale: Floats, kind: Any) -> tuple[Floats, float]:
        """The sum over clusters, block by block, and the sum of the squares of :math:`Y_2`."""
        n, k, w = len(self.each), scale * self.k, scale * self.w
        total, pulled, F = np.zeros((n, n)), 0.0, np.ascontiguousarray(self.F.T, dtype=kind)
        for block in blocks(influence, n):
            pull = agent_sums(block, self.a, self.b, n, w, kind=kind).toarray()
            moved = pull @ F
            moved += agent_sums(block, self.a, self.b, n, k, self.each, kind=kind).toarray()
            total += moved.T @ moved
            pulled += float(np.vdot(pull, pull))
        return total, pulled


def agent_sums(
    influence: csr_array,
    a: Ints,
    b: Ints,
    n: int,
    weight: Floats,
    each: Floats | None = None,
    *,
    kind: Any = np.float64,
) -> csr_array:
    r"""Return :math:`U \operatorname{diag}(\text{weight}) D \operatorname{diag}(\text{each})`, (units, n): two entries for each of *U*.

    >>> U = csr_array(np.array([[0.5, 2.0]]))
    >>> agent_sums(U, np.array([0, 0]), np.array([1, 2]), 3, np.ones(2)).toarray()
    array([[ 2.5, -0.5, -2. ]])
    """
    pair, size = influence.indices, (len(influence.data), 2)
    place, data = np.empty(size, dtype=influence.indices.dtype), np.empty(size, dtype=kind)
    place[:, 0], place[:, 1] = a[pair], b[pair]
    data[:, 0] = influence.data * weight[pair]
    np.negative(data[:, 0], out=data[:, 1])
    if each is not None:
        data *= each.astype(kind)[place]
    return csr_array((data.ravel(), place.ravel(), 2 * influence.indptr), shape=(influence.shape[0], n))


def agent_gram(influence: csr_array, a: Ints, b: Ints, n: int, weight: Floats, *, single: bool = False) -> Floats:
    r"""Return :math:`Y^\top Y` of `agent_sums` *Y*, (n, n); `single` says that single precision will do.

    >>> agent_gram(csr_array(np.array([[0.5, 2.0]])), np.array([0, 0]), np.array([1, 2]), 3, np.ones(2))
    array([[ 6.25, -1.25, -5.  ],
           [-1.25,  0.25,  1.  ],
           [-5.  ,  1.  ,  4.  ]])
    """
    if quicker_sparse(influence, n):
        return _sparse_gram(agent_sums(influence, a, b, n, weight))
    kind = np.float32 if single and influence.shape[0] * float(n) ** 2 > SINGLE else np.float64
    total = np.zeros((n, n))
    for block in blocks(influence, n):
        full = agent_sums(block, a, b, n, weight, kind=kind).toarray()
        total += full.T @ full
    return total


def quicker_sparse(influence: csr_array, n: int) -> bool:
    """Whether so little of the sums over *n* agents is filled that products of them are quicker entry by entry."""
    filled = 2.0 * np.diff(influence.indptr)
    return FULL * float(filled @ filled) < influence.shape[0] * float(n) ** 2


def gram(X: csr_array) -> Floats:
    """Return :math:`X^T X` of a sparse matrix, densely where so much is full that this is quicker.

    >>> gram(csr_array([[1.0, 2.0], [0.0, 3.0]]))
    array([[ 1.,  2.],
           [ 2., 13.]])
    """
    filled = np.diff(X.indptr).astype(np.float64)
    if FULL * float(filled @ filled) < X.shape[0] * float(X.shape[1]) ** 2:
        return _sparse_gram(X)
    total = np.zeros((X.shape[1],) * 2)
    for block in blocks(X, X.shape[1]):
        full = block.toarray()
        total += full.T @ full
    return total


def _sparse_gram(X: csr_array) -> Floats:
    return np.asarray((X.T @ X).toarray())


def blocks(X: csr_array, columns: int) -> Iterator[csr_array]:
    """Cut a matrix into rows of which so many columns may be held densely."""
    step = max(CELLS // max(columns, 1), 1)
    return (X[start : start + step] for start in range(0, X.shape[0], step))


def _little_lost(total: Floats, shared: Floats) -> bool:
    r"""Whether single precision lost little of the standard errors of all differences.

    >>> V = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> _little_lost(V, np.array([10.0, 10.0])), _little_lost(V, np.array([1000.0, 10.0])), _little_lost(0 * V, np.zeros(2))
    (True, False, False)
    """
    own = np.diag(total)
    lost = np.finfo(np.float32).eps / 2 * (np.sqrt(own) + shared)
    variance = own[:, None] + own[None, :] - 2 * total
    np.fill_diagonal(variance, own)
    return bool(((lost[:, None] + lost[None, :]) ** 2 < LOST**2 * variance).all())


def seen_from_both(gram: Floats, F: Floats) -> Floats:
    r""":math:`[I\; F]\, G\, [I\; F]^T`."""
    k = len(F)
    cross = gram[:k, k:] @ F.T
    full = gram[:k, :k] + cross + cross.T + F @ gram[k:, k:] @ F.T
    return (full + full.T) / 2
