"""Aliases of array types, and operations on long arrays that work block by block."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

# Arrays of floats, integers, agent codes, integers of any width, and booleans.
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
AnyInts: TypeAlias = NDArray[np.integer]
Bools: TypeAlias = NDArray[np.bool_]

T = TypeVar("T", bound=np.generic)
BLOCK = 1 << 17  # rows per block, so that a block fits into the CPU cache


def blocks_of(n_rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Split rows into blocks, so that no temporary array is as long as all rows.

    >>> list(blocks_of(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    return (slice(start, start + size) for start in range(0, n_rows, size))


def spans(size: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Yield runs of rows whose sizes add up to about `most`, or single larger ones; none of size 0 alone.

    >>> list(spans(np.array([2, 2, 9, 4, 0, 1]), 4))
    [(0, 2), (2, 3), (3, 6)]
    """
    part = (np.cumsum(size) - 1) // most
    cuts = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(size)]
    return ((low, high) for low, high in pairwise(cuts) if size[low:high].any())


def looked_up(table: NDArray[T], codes: AnyInts) -> NDArray[T]:
    """Return ``table[codes]``, where code -1 is the last entry, without converting all codes to 64 bits first.

    >>> looked_up(np.array([0.0, 1.0, np.nan]), np.array([1, -1, 0], dtype=np.int32))
    array([ 1., nan,  0.])
    """
    values = np.empty(len(codes), dtype=table.dtype)
    for rows in blocks_of(len(codes)):
        np.take(table, codes[rows], out=values[rows], mode="wrap")
    return values


def counted_codes(codes: AnyInts, n: int) -> Ints:
    """Return how many rows have each of the codes 0 to ``n - 1``; the last entry counts code -1.

    >>> counted_codes(np.array([1, -1, 1], dtype=np.int32), 2)
    array([0, 2, 1])
    """
    total = np.zeros(n + 1, dtype=np.int64)
    for rows in blocks_of(len(codes)):
        total += np.bincount(codes[rows] + 1, minlength=n + 1)
    return np.append(total[1:], total[0])
