"""A sparse matrix of clusters by pairs in four bytes per cell: number of battles and number won.

Where all battles have weight one and end in a win, a loss or a tie, a cell of *n* battles of which *s* were won is
encoded by the integer :math:`n^2 - 1 + 2 s`, its *kind*. Pair and kind fit into 32 bits, where an entry of a sparse
matrix takes twelve or sixteen bytes; and one such integer serves every matrix whose entries follow from *n*, *s* and
the pair.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._arrays import Floats, Ints
from beatpath._result import Delegate

SMALL, LARGE = 8, 32  # bits of a kind in integers of 32 and of 64 bits
ROWS = 1 << 14  # clusters whose entries are squared at a time
FULL = 200  # how many times slower an entry is in a sparse product than in a dense one, measured
CELLS = 1 << 22  # numbers in a dense block; products of smaller blocks are slower
SINGLE = 3  # kinds of cells of one battle, which come first: lost, tied, won


class Formula(Protocol):
    """The entry of a cell as a function of its battles."""

    def of(self, pair: NDArray[np.integer], n: Floats, s: Floats) -> Floats:
        """Return entries of cells of *n* battles of which *s* were won."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    r"""The jackknife influence of a cluster on a smoothed rate, :math:`(s - \tilde\psi_p n) / (N_p + 1 - n)`."""

    smooth: Floats
    weight: Floats

    def of(self, pair: NDArray[np.integer], n: Floats, s: Floats) -> Floats:
        """Return entries of cells of *n* battles of which *s* were won."""
        moved = self.smooth[pair]
        moved *= n
        np.subtract(s, moved, out=moved)
        moved /= self.weight[pair] - n
        return moved


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """The share of a pair's battles in a cluster, :math:`n / N_p`."""

    weight: Floats

    def of(self, pair: NDArray[np.integer], n: Floats, s: Floats) -> Floats:
        """Return entries of cells of *n* battles."""
        return n / self.weight[pair]


@dataclass(frozen=True, eq=False)
class PackedCells:
    """Cells of clusters, shared by all matrices derived from them.

    Parameters
    ----------
    code : (m,) uint32 or uint64
        Pair and kind of every cell, by cluster; see `packed`.
    indptr : (clusters + 1,) int
        Where the cells of every cluster begin.
    n_pairs : int
        Number of pairs.
    """

    code: NDArray[np.unsignedinteger]
    indptr: Ints
    n_pairs: int

    def single(self, cells: slice) -> tuple[Ints, NDArray[np.int32], Ints]:
        """Return positions of one-battle cells in a table of pairs by outcome; their pairs; and the other cells."""
        code = self.code[cells]
        bits = code.dtype.type(_bits(code))
        pair = (code >> bits).astype(np.int32)
        kind = (code & ((code.dtype.type(1) << bits) - code.dtype.type(1))).astype(np.int64)
        more = np.flatnonzero(kind >= SINGLE)
        kind[more] = 0
        kind += np.multiply(pair, SINGLE, dtype=np.int64)
        return kind, pair, more


@dataclass(frozen=True, eq=False)
class PackedRows:
    """A matrix of clusters by pairs whose rows are computed on demand.

    Parameters
    ----------
    cells : PackedCells
        The cells.
    formula : Formula
        The entry of a cell.
    times : (pairs,) float, optional
        Factors of the columns.
    """

    cells: PackedCells
    formula: Formula
    times: Floats | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Clusters and pairs."""
        return len(self.cells.indptr) - 1, self.cells.n_pairs

    @property
    def nnz(self) -> int:
        """Number of cells."""
        return len(self.cells.code)

    indptr = Delegate[Ints]("cells.indptr", "Where the cells of every cluster begin.")

    def __getitem__(self, rows: slice) -> csr_array:
        """Return consecutive rows as a sparse matrix."""
        start, end, _ = rows.indices(self.shape[0])
        end = max(start, end)
        first, last = int(self.indptr[start]), int(self.indptr[end])
        at, pair, more = self.cells.single(slice(first, last))
        data = self._of_one_battle.take(at)
        data[more] = self._entries(*unpacked(self.cells.code[first:last][more]))
        return csr_array((data, pair, self.indptr[start : end + 1] - first), shape=(end - start, self.shape[1]))

    def tocsr(self) -> csr_array:
        """Return all rows."""
        return self[:]

    def columns_times(self, times: Floats) -> "PackedRows":
        """Return the matrix with its columns multiplied by factors."""
        grown = replace(self, times=times if self.times is None else self.times * times)
        if "squares" in self.__dict__:
            grown.__dict__["squares"] = self.squares * times**2
        return grown

    @cached_property
    def squares(self) -> Floats:
        """The sum of squares of every column."""
        total = np.zeros(self.shape[1])
        for start in range(0, self.shape[0], ROWS):
            some = self[start : start + ROWS]
            total += np.bincount(some.indices, some.data**2, self.shape[1])
        return total

    @cached_property
    def _of_one_battle(self) -> Floats:
        """Return entries of one-battle cells: for every pair if lost, tied and won."""
        pair = np.repeat(np.arange(self.shape[1]), SINGLE)
        return self._entries(pair, np.ones(len(pair)), np.tile([0.0, 0.5, 1.0], self.shape[1]))

    def _entries(self, pair: NDArray[np.integer], n: Floats, s: Floats) -> Floats:
        values = self.formula.of(pair, n, s)
        return values if self.times is None else values * self.times[pair]


SparseRows: TypeAlias = csr_array | PackedRows


def columns_times(X: SparseRows, times: Floats) -> SparseRows:
    """Return a matrix with its columns multiplied by factors, with the same sparsity.

    >>> columns_times(csr_array([[1.0, 2.0], [0.0, 3.0]]), np.array([1.0, 10.0])).toarray()
    array([[ 1., 20.],
           [ 0., 30.]])
    """
    if isinstance(X, PackedRows):
        return X.columns_times(times)
    return csr_array((X.data * times[X.indices], X.indices, X.indptr), shape=X.shape)


def filled(blocks: Iterable[csr_array]) -> Iterator[NDArray[Any]]:
    """Yield sparse blocks as dense arrays in one reused buffer, which is faster than allocating."""
    room: NDArray[Any] | None = None
    for block in blocks:
        if room is None:  # no block has more rows than the first
            room = np.empty(block.shape, dtype=block.dtype)
        yield block.toarray(out=room[: block.shape[0]])


def gram(X: csr_array) -> Floats:
    """Return :math:`X^T X` of a sparse matrix, by dense products where they are faster.

    >>> gram(csr_array([[1.0, 2.0], [0.0, 3.0]]))
    array([[ 1.,  2.],
           [ 2., 13.]])
    """
    entries = np.diff(X.indptr).astype(np.float64)
    if FULL * float(entries @ entries) < X.shape[0] * float(X.shape[1]) ** 2:
        return sparse_gram(X)
    total = np.zeros((X.shape[1],) * 2)
    for full in filled(blocks(X, X.shape[1])):
        total += full.T @ full
    return total


def sparse_gram(X: csr_array) -> Floats:
    """Return :math:`X^T X` of a sparse matrix, by sparse products."""
    return np.asarray((X.T @ X).toarray())


def blocks(X: SparseRows, columns: int) -> Iterator[csr_array]:
    """Split a matrix into blocks of rows for which this many dense columns fit into memory."""
    step = block_rows(columns)
    return (X[start : start + step] for start in range(0, X.shape[0], step))


def block_rows(columns: int) -> int:
    """Return the number of rows per block."""
    return max(CELLS // max(columns, 1), 1)


def packed(pair: NDArray[np.integer], n: Ints, twice: Ints) -> NDArray[np.unsignedinteger]:
    """Return cells as integers, from pairs, numbers of battles and twice the number won.

    >>> packed(np.array([5, 7]), np.array([1, 3]), np.array([2, 1])) >> 8
    array([5, 7], dtype=uint32)
    >>> unpacked(packed(np.array([5, 7]), np.array([1, 3]), np.array([2, 1])))
    (array([5, 7], dtype=int32), array([1., 3.]), array([1. , 0.5]))
    """
    kind = n * n - 1 + twice
    small = kind.max(initial=0) >> SMALL == 0 and pair.max(initial=0) >> (32 - SMALL) == 0
    code = (pair.astype(np.uint64) << np.uint64(SMALL if small else LARGE)) | kind.astype(np.uint64)
    return code.astype(np.uint32) if small else code


def unpacked(code: NDArray[np.unsignedinteger]) -> tuple[NDArray[np.int32], Floats, Floats]:
    """Return the pairs of cells, their numbers of battles, and how many were won."""
    bits = _bits(code)
    pair = (code >> code.dtype.type(bits)).astype(np.int32)
    kind = (code & code.dtype.type((1 << bits) - 1)).astype(np.float64)
    kind += 1
    n = np.floor(np.sqrt(kind))
    kind -= n * n
    kind /= 2
    return pair, n, kind


def _bits(code: NDArray[np.unsignedinteger]) -> int:
    return SMALL if code.dtype == np.uint32 else LARGE


class Packing:
    """A growing array of packed cells, at most `most`; unused space takes no memory."""

    def __init__(self, most: int) -> None:
        self._code: NDArray[np.unsignedinteger] = np.empty(most, dtype=np.uint32)
        self._filled = 0

    def add(self, code: NDArray[np.unsignedinteger]) -> None:
        """Add cells; all become 64-bit where one does not fit into 32 bits.

        >>> both = Packing(2)
        >>> both.add(packed(np.array([5]), np.array([1]), np.array([2])))
        >>> both.add(packed(np.array([6]), np.array([99]), np.array([3])))
        >>> unpacked(both.done())
        (array([5, 6], dtype=int32), array([ 1., 99.]), array([1. , 1.5]))
        """
        if code.dtype != self._code.dtype:
            code, self._code = _widened(code), _widened(self._code)
        self._code[self._filled : self._filled + len(code)] = code
        self._filled += len(code)

    def done(self) -> NDArray[np.unsignedinteger]:
        """Return all cells."""
        return self._code[: self._filled]


def _widened(code: NDArray[np.unsignedinteger]) -> NDArray[np.uint64]:
    """Convert cells to 64-bit integers."""
    wide = code.astype(np.uint64)
    if code.dtype == np.uint64:
        return wide
    return ((wide >> np.uint64(SMALL)) << np.uint64(LARGE)) | (wide & np.uint64((1 << SMALL) - 1))
