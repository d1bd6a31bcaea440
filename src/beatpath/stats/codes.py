"""Integer codes of rows: several columns combined into one small code."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import AnyInts, Floats, Ints


def dense(codes: AnyInts, span: int | None = None) -> tuple[Ints, int]:
    """Renumber codes 0, 1, 2, ... in sorted order, and return their number; `span` bounds them from above.

    >>> dense(np.array([7, 3, 7]))
    (array([1, 0, 1]), 2)
    """
    if not codes.size:
        return codes.astype(np.int64), 0
    # Two million codes take 8 ms, np.unique 290 (2,000,000 battles in 100,000 clusters to rank sets).
    top = int(codes.max()) + 1 if span is None else span
    if codes.min() >= 0 and top <= 8 * codes.size + 1000:
        used = np.zeros(top, dtype=bool)
        used[codes] = True
        place = np.cumsum(used) - 1
        return place[codes], int(place[-1] + 1)
    distinct, inverse = np.unique(codes, return_inverse=True)
    return inverse.astype(np.int64), len(distinct)


def joint(columns: Sequence[NDArray[np.generic]]) -> tuple[Ints, int]:
    """Return one code for each distinct combination of the columns' values; NaN equals NaN.

    >>> joint([np.array([0, 0, 1]), np.array([0.5, np.nan, 0.5])])
    (array([0, 1, 2]), 3)
    """
    code, size = dense(_coded(columns[0]))
    for column in columns[1:]:
        other, n = dense(_coded(column))
        code, size = dense(code * n + other, size * n)
    return code, size


def _coded(column: NDArray[np.generic]) -> Ints:
    """Return any column as codes from zero."""
    if column.dtype.kind in "biu":
        wide = column.astype(np.int64)
        return wide - wide.min() if wide.size else wide
    return np.unique(column, return_inverse=True)[1].astype(np.int64)


def sums_by_code(codes: AnyInts, values: NDArray[np.generic], n: int = 0) -> Floats:
    """Return the sum of the values, (t,) or (t, k), for each of the codes 0 to ``n - 1`` or to the largest, (n,) or (n, k).

    >>> sums_by_code(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 3)
    array([1., 0., 5.])
    """
    if values.ndim == 2:
        return np.column_stack([np.bincount(codes, column, minlength=n) for column in values.T])
    return np.bincount(codes, values, minlength=n).astype(np.float64, copy=False)


def first_rows(codes: AnyInts, n: int) -> Ints:
    """Return the first row that has each of the codes 0 to ``n - 1``.

    >>> first_rows(np.array([1, 0, 1]), 2)
    array([1, 0])
    """
    first = np.zeros(n, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def apart(codes: AnyInts) -> Ints:
    """Give every missing code (-1) a new code of its own.

    >>> apart(np.array([1, -1, 0, -1]))
    array([1, 2, 0, 3])
    """
    new = codes.astype(np.int64)
    lost = np.flatnonzero(new < 0)
    new[lost] = new.max(initial=-1) + 1 + np.arange(len(lost))
    return new


def hashed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of 64-bit numbers: the finalizer of splitmix64."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def equal_sets(group: AnyInts, code: AnyInts, n: int) -> tuple[Ints, Ints]:
    """Number the distinct sets of codes that `n` groups hold, and return the first group of each set.

    Sets are compared by the sum of the hashes of their codes, which does not depend on their order.

    >>> equal_sets(np.array([0, 0, 1, 2, 2]), np.array([7, 8, 9, 8, 7]), 3)[0].tolist() in ([0, 1, 0], [1, 0, 1])
    True
    """
    key = np.zeros(n, dtype=np.uint64)
    np.add.at(key, group, hashed(code.astype(np.uint64)))
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    return number, first
