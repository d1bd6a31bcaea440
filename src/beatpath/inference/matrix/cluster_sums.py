r"""What clusters do to sums over agents, block by block: covariances of scores.

A map of the rates that is read off agents has the form :math:`A = E D^\top K + F D^\top W` with *D* the incidence of pairs and
agents, *E*, *K*, *W* diagonal and *F* dense. With :math:`U` the influence of clusters, :math:`U A^\top = Y_1 E + Y_2 F^\top`, where
:math:`Y_1 = U K D` and :math:`Y_2 = U W D` have two entries for each of *U*: nothing as large as clusters by pairs, or maps by
pairs, is ever filled.

Where many clusters do something to many agents the products are taken in single precision, block by block, and added up in double:
what is lost of an agent's :math:`m_i = Y_1 E_i + Y_2 F_i^\top` is :math:`\epsilon` times itself and times the range of
:math:`F_i` over :math:`Y_2`; where :math:`Y_2^\top Y_2` is all that is needed, what is lost of a variance is :math:`\epsilon` times
the square of the sum of what all agents' sums vary, as much as they count. Unless that is less than 1e-5 of the standard error of every difference, double precision is used.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from beatpath._arrays import Codes, Floats, Ints
from beatpath.inference.win_rates.packed import PackedRows, SparseRows, columns_times

FULL = 200  # how much longer an entry takes in a sparse product than in a dense one
CELLS = 1 << 22  # of a dense block: products of smaller ones are slower
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

    def moved(self, influence: SparseRows, scale: Floats, *, exact: bool = False) -> Floats:
        r"""Return :math:`\sum_c m_c m_c^\top` of what clusters do to the maps, *scale* times the rates, (n, n).

        `exact` asks for double precision, as what is taken away from another such matrix needs.
        """
        n = len(self.each)
        if quicker_sparse(influence, n):
            whole, ends = influence.tocsr(), ends_of(self.a, self.b)
            own = agent_sums(columns_times(whole, scale * self.k), ends, n, self.each)
            pull = agent_sums(columns_times(whole, scale * self.w), ends, n)
            return seen_from_both(_sparse_gram(hstack([own, pull], format="csr")), self.F)
        single = not exact and influence.shape[0] * float(n) ** 2 > SINGLE
        for kind in (np.float32, np.float64) if single else (np.float64,):
            total, sound = self._moved_as_one(influence, scale, kind) or self._moved_densely(influence, scale, kind)
            if sound:
                break
        return total

    def _moved_as_one(self, influence: SparseRows, scale: Floats, kind: Any) -> tuple[Floats, bool] | None:
        r"""The same where :math:`K = \kappa W`, as of pairs none of which stand out; and whether little of it is lost.

        Then :math:`U A^\top = Y_2 (\kappa E + F)^\top`, and one product :math:`Y_2^\top Y_2` a block is enough.
        """
        most = int(np.argmax(self.w))
        kappa = self.k[most] / self.w[most]
        if not np.allclose(self.k, kappa * self.w, rtol=1e-12, atol=0.0):
            return None
        pulled = agent_gram(influence, self.a, self.b, len(self.each), scale * self.w, single=kind is np.float32)
        M = self.F + np.diag(kappa * self.each)
        total = M @ pulled @ M.T
        lost = np.finfo(kind).eps / 2 * _sums_of_two(np.abs(M) @ np.sqrt(np.diag(pulled))) ** 2
        return (total + total.T) / 2, kind is np.float64 or bool((lost < LOST * of_differences(total)).all())

    def _moved_densely(self, influence: SparseRows, scale: Floats, kind: Any) -> tuple[Floats, bool]:
        """The sum over clusters, block by block, and whether little of it is lost."""
        n, ends = len(self.each), ends_of(self.a, self.b)
        total, pulled, F = np.zeros((n, n)), 0.0, np.ascontiguousarray(self.F.T, dtype=kind)
        pulls = filled(agent_sums(block, ends, n, kind=kind) for block in weighed(influence, scale * self.w, n))
        owns = filled(
            agent_sums(block, ends, n, self.each, kind=kind) for block in weighed(influence, scale * self.k, n)
        )
        for pull, own in zip(pulls, owns, strict=True):
            moved = pull @ F
            moved += own
            total += moved.T @ moved
            pulled += float(np.vdot(pull, pull))
        return total, kind is np.float64 or _little_lost(total, np.ptp(self.F, axis=1) * np.sqrt(pulled))


def ends_of(a: Ints, b: Ints) -> Codes:
    """Return the two agents of every pair beside each other, (p, 2)."""
    return np.stack([a, b], axis=1).astype(np.int32)


def agent_sums(
    influence: csr_array, ends: Codes, n: int, each: Floats | None = None, *, kind: Any = np.float64
) -> csr_array:
    r"""Return :math:`U D \operatorname{diag}(\text{each})`, (units, n): two entries for each of *U*.

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
    """Return a matrix of as many rows and *n* agents that has two entries, (m, 2) of them, for each of *X*."""
    start = 2 * X.indptr.astype(np.int64 if len(place) >= 2**30 else np.int32)
    return csr_array((data.ravel(), place.ravel(), start), shape=(X.shape[0], n))


def agent_gram(influence: SparseRows, a: Ints, b: Ints, n: int, weight: Floats, *, single: bool = False) -> Floats:
    r"""Return :math:`Y^\top Y` of `agent_sums` *Y*, (n, n); `single` says that single precision will do.

    >>> agent_gram(csr_array(np.array([[0.5, 2.0]])), np.array([0, 0]), np.array([1, 2]), 3, np.ones(2))
    array([[ 6.25, -1.25, -5.  ],
           [-1.25,  0.25,  1.  ],
           [-5.  ,  1.  ,  4.  ]])
    """
    ends = ends_of(a, b)
    if quicker_sparse(influence, n):
        return _sparse_gram(agent_sums(columns_times(influence, weight).tocsr(), ends, n))
    kind = np.float32 if single and influence.shape[0] * float(n) ** 2 > SINGLE else np.float64
    total = np.zeros((n, n))
    for full in filled(agent_sums(block, ends, n, kind=kind) for block in weighed(influence, weight, n)):
        total += full.T @ full
    return total


def filled(blocks: Iterable[csr_array]) -> Iterator[NDArray[Any]]:
    """Fill sparse blocks, one after another; each lies where the one before lay, which is quicker than ever new memory."""
    room: NDArray[Any] | None = None
    for block in blocks:
        if room is None:  # no block has more rows than the first
            room = np.empty(block.shape, dtype=block.dtype)
        yield block.toarray(out=room[: block.shape[0]])


def quicker_sparse(influence: SparseRows, n: int) -> bool:
    """Whether so little of the sums over *n* agents is filled that products of them are quicker entry by entry."""
    entries = 2.0 * np.diff(influence.indptr)
    return FULL * float(entries @ entries) < influence.shape[0] * float(n) ** 2


def gram(X: csr_array) -> Floats:
    """Return :math:`X^T X` of a sparse matrix, densely where so much is full that this is quicker.

    >>> gram(csr_array([[1.0, 2.0], [0.0, 3.0]]))
    array([[ 1.,  2.],
           [ 2., 13.]])
    """
    entries = np.diff(X.indptr).astype(np.float64)
    if FULL * float(entries @ entries) < X.shape[0] * float(X.shape[1]) ** 2:
        return _sparse_gram(X)
    total = np.zeros((X.shape[1],) * 2)
    for full in filled(blocks(X, X.shape[1])):
        total += full.T @ full
    return total


def _sparse_gram(X: csr_array) -> Floats:
    return np.asarray((X.T @ X).toarray())


def blocks(X: SparseRows, columns: int) -> Iterator[csr_array]:
    """Cut a matrix into rows of which so many columns may be held densely."""
    step = block_rows(columns)
    return (X[start : start + step] for start in range(0, X.shape[0], step))


def block_rows(columns: int) -> int:
    """Return how many rows a block has."""
    return max(CELLS // max(columns, 1), 1)


def weighed(X: SparseRows, weight: Floats, columns: int) -> Iterator[csr_array]:
    """Cut a matrix likewise, every column so many times as large."""
    if isinstance(X, PackedRows):
        return blocks(X.columns_times(weight), columns)
    return (columns_times(block, weight).tocsr() for block in blocks(X, columns))


def _little_lost(total: Floats, shared: Floats) -> bool:
    r"""Whether single precision lost little of the standard errors of all differences.

    >>> V = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> _little_lost(V, np.array([10.0, 10.0])), _little_lost(V, np.array([1000.0, 10.0])), _little_lost(0 * V, np.zeros(2))
    (True, False, False)
    """
    lost = np.finfo(np.float32).eps / 2 * _sums_of_two(np.sqrt(np.diag(total)) + shared)
    return bool((lost**2 < LOST**2 * of_differences(total)).all())


def of_differences(V: Floats) -> Floats:
    """Return the variances of all differences, and of what differs itself on the diagonal.

    >>> of_differences(np.array([[2.0, 1.0], [1.0, 3.0]]))
    array([[2., 3.],
           [3., 3.]])
    """
    own = np.diag(V)
    full = own[:, None] + own[None, :] - 2 * V
    np.fill_diagonal(full, own)
    return full


def _sums_of_two(x: Floats) -> Floats:
    return x[:, None] + x[None, :]


def seen_from_both(gram: Floats, F: Floats) -> Floats:
    r""":math:`[I\; F]\, G\, [I\; F]^T`."""
    k = len(F)
    cross = gram[:k, k:] @ F.T
    full = gram[:k, :k] + cross + cross.T + F @ gram[k:, k:] @ F.T
    return (full + full.T) / 2
