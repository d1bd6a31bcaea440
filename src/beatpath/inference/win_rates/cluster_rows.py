r"""Sparse matrices of clusters by pairs whose entries are computed from the battles of every cell.

A cell of *n* battles of which *s* were won, in row *c* and column *p*, has the entry

.. math::  \frac{\alpha_p s + \beta_p n}{\gamma_p - \lambda n}\, \rho_c ,

which covers the jackknife influence of a cluster on a rate and its share of a pair's battles. Both share the cells: a
hundred million of them take 0.8 GB, where two sparse matrices would take 2 GB (benchmarks, clusters at scale).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._arrays import Floats, Ints, spans

FULL = 200  # how many times slower an entry is in a sparse product than in a dense one, measured
CELLS = 1 << 22  # numbers in a dense block; products of smaller blocks are slower
ENTRY = 8  # numbers that steps with a block hold for each of its sparse entries


@dataclass(frozen=True, eq=False)
class ClusterRows:
    r"""A matrix of clusters by pairs whose rows are computed on demand.

    Parameters
    ----------
    pair : (m,) int
        The pair of every cell, by cluster.
    n, s : (m,) float
        Its battles, and how many the pair's first agent won; in any floating-point type.
    indptr : (clusters + 1,) int
        Where the cells of every cluster begin.
    won, played, room : (pairs,) float
        :math:`\alpha, \beta, \gamma`.
    left_out : bool
        Whether a cell's battles leave the denominator: :math:`\lambda`.
    times : (clusters,) float, optional
        :math:`\rho`, by default one.
    """

    pair: NDArray[np.int32]
    n: NDArray[np.floating[Any]]
    s: NDArray[np.floating[Any]]
    indptr: Ints
    won: Floats
    played: Floats
    room: Floats
    left_out: bool
    times: Floats | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Clusters and pairs."""
        return len(self.indptr) - 1, len(self.room)

    @property
    def nnz(self) -> int:
        """Number of cells."""
        return len(self.pair)

    def __getitem__(self, rows: slice) -> csr_array:
        """Return consecutive rows as a sparse matrix."""
        start, end, _ = rows.indices(self.shape[0])
        end = max(start, end)
        start_of = self.indptr[start : end + 1] - self.indptr[start]
        cells = slice(int(self.indptr[start]), int(self.indptr[end]))
        pair, n = self.pair[cells], self.n[cells].astype(np.float64)
        data = _of_cells(self.played, pair) * n
        if self.won.any():
            data += _of_cells(self.won, pair) * self.s[cells]
        room = _of_cells(self.room, pair)
        data /= room - n if self.left_out else room
        if self.times is not None:
            data *= np.repeat(self.times[start:end], np.diff(start_of))
        return csr_array((data, pair, start_of), shape=(end - start, self.shape[1]))

    def tocsr(self) -> csr_array:
        """Return all rows."""
        return self[:]

    def of_counts(self, won: float, played: Floats) -> "ClusterRows":
        r"""Return the matrix of :math:`(\alpha s + \beta_p n)\, \rho_c`, with another :math:`\alpha` and :math:`\beta`."""
        one = np.ones_like(self.room)
        return replace(self, won=won * one, played=played, room=one, left_out=False)

    def of_pairs(self, pairs: Ints) -> "ClusterRows":
        """Return the columns of some pairs."""
        code = np.full(len(self.room), -1, dtype=np.int32)
        code[pairs] = np.arange(len(pairs))
        cells = np.flatnonzero(code[self.pair] >= 0)
        start = np.searchsorted(cells, self.indptr).astype(self.indptr.dtype)
        kept = {name: getattr(self, name)[cells] for name in ("n", "s")}
        formula = {name: getattr(self, name)[pairs] for name in ("won", "played", "room")}
        return replace(self, pair=code[self.pair[cells]], indptr=start, **kept, **formula)


def _of_cells(values: Floats, pair: NDArray[np.int32]) -> Floats:
    """Return the values of the pairs of cells, or one value for all where it is the same: looking up is most of the work."""
    return values[:1] if len(values) and (values == values[0]).all() else values[pair]


SparseRows: TypeAlias = csr_array | ClusterRows


def columns_times(X: SparseRows, times: Floats) -> SparseRows:
    """Return a matrix with its columns multiplied by factors, with the same sparsity.

    >>> columns_times(csr_array([[1.0, 2.0], [0.0, 3.0]]), np.array([1.0, 10.0])).toarray()
    array([[ 1., 20.],
           [ 0., 30.]])
    """
    if isinstance(X, ClusterRows):
        return replace(X, won=X.won * times, played=X.played * times)
    return csr_array((X.data * times[X.indices], X.indices, X.indptr), shape=X.shape)


def column_sums(X: SparseRows, times: Floats | None = None, power: int = 1) -> Floats:
    """Return the sum of powers of the entries of every column of a matrix, block by block; rows have weights `times`.

    >>> column_sums(csr_array([[1.0, 2.0], [0.0, 3.0]]), np.array([1.0, 10.0]), power=2)
    array([ 1., 94.])
    """
    total = np.zeros(X.shape[1])
    for rows in row_spans(X):
        block = X[rows]
        entries = block.data**power
        if times is not None:
            entries *= np.repeat(times[rows], np.diff(block.indptr))
        total += np.bincount(block.indices, entries, X.shape[1])
    return total


def times_vector(X: SparseRows, v: Floats) -> Floats:
    """Return a matrix times a vector, block by block.

    >>> times_vector(csr_array([[1.0, 2.0], [0.0, 3.0]]), np.array([1.0, 10.0]))
    array([21., 30.])
    """
    return np.concatenate([np.zeros(0), *(block @ v for block in blocks(X))])


def filled(blocks: Iterable[csr_array]) -> Iterator[NDArray[Any]]:
    """Yield sparse blocks as dense arrays in one reused buffer, which is faster than allocating."""
    room: NDArray[Any] | None = None
    for block in blocks:
        if room is None or len(room) < block.shape[0]:
            room = np.empty(block.shape, dtype=block.dtype)
        yield block.toarray(out=room[: block.shape[0]])


def gram(X: SparseRows) -> Floats:
    """Return :math:`X^T X` of a sparse matrix, by dense products where they are faster.

    >>> gram(csr_array([[1.0, 2.0], [0.0, 3.0]]))
    array([[ 1.,  2.],
           [ 2., 13.]])
    """
    entries = np.diff(X.indptr).astype(np.float64)
    if FULL * float(entries @ entries) < X.shape[0] * float(X.shape[1]) ** 2:
        return sparse_gram(X.tocsr())
    total = np.zeros((X.shape[1],) * 2)
    for full in filled(blocks(X, X.shape[1])):
        total += full.T @ full
    return total


def sparse_gram(X: csr_array) -> Floats:
    """Return :math:`X^T X` of a sparse matrix, by sparse products."""
    return np.asarray((X.T @ X).toarray())


def row_spans(X: SparseRows, columns: int = 1) -> Iterator[slice]:
    """Yield runs of rows for which this many dense columns, and steps with their entries, fit into memory."""
    size = np.maximum(max(columns, 1), ENTRY * np.diff(X.indptr).astype(np.int64))
    return (slice(*span) for span in spans(size, CELLS))


def blocks(X: SparseRows, columns: int = 1) -> Iterator[csr_array]:
    """Split a matrix into blocks by `row_spans`."""
    return (X[rows] for rows in row_spans(X, columns))
