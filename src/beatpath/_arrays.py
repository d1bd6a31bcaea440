"""The arrays that everything is made of."""

from collections.abc import Iterator
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]

T = TypeVar("T", bound=np.generic)
BLOCK = 1 << 17  # rows that the cache holds while something is done to them


def blocks_of(n_rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Cut rows into blocks, so that nothing as long as all rows is set aside on the way.

    >>> list(blocks_of(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    return (slice(start, start + size) for start in range(0, n_rows, size))


def looked_up(table: NDArray[T], codes: NDArray[np.integer], out: NDArray[T] | None = None) -> NDArray[T]:
    """Return ``table[codes]``, code -1 being the last entry; numpy alone would make codes of 64 bits of all of them first.

    >>> looked_up(np.array([0.0, 1.0, np.nan]), np.array([1, -1, 0], dtype=np.int32))
    array([ 1., nan,  0.])
    """
    values = np.empty(len(codes), dtype=table.dtype) if out is None else out
    for rows in blocks_of(len(codes)):
        np.take(table, codes[rows], out=values[rows], mode="wrap")
    return values


def counted_codes(codes: NDArray[np.integer], n: int) -> Ints:
    """Return how many rows have each of the codes 0 to ``n - 1``; those of code -1 come last.

    >>> counted_codes(np.array([1, -1, 1], dtype=np.int32), 2)
    array([0, 2, 1])
    """
    total = np.zeros(n + 1, dtype=np.int64)
    for rows in blocks_of(len(codes)):
        total += np.bincount(codes[rows] + 1, minlength=n + 1)
    return np.append(total[1:], total[0])
