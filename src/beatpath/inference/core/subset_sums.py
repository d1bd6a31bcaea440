"""Sums over all subsets of a few agents, each subset a number whose bits say who is in it."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Layer = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def subset_sums(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for every subset of the columns, the sum of those columns.

    Parameters
    ----------
    table : (m, t) float

    Returns
    -------
    ndarray, shape (2 ** t, m)
        Row 5 is the sum of columns 0 and 2.

    Examples
    --------
    >>> subset_sums(np.array([[1.0, 10.0]])).ravel()
    array([ 0.,  1., 10., 11.])
    """
    rows, columns = table.shape
    sums = np.zeros((1 << columns, rows))
    for bit in range(columns):
        sums[1 << bit : 2 << bit] = sums[: 1 << bit] + table[:, bit]
    return sums


@lru_cache(maxsize=8)
def members(t: int) -> NDArray[np.bool_]:
    """Return who is in each of the :math:`2^t` subsets.

    >>> members(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    bits = (np.arange(1 << t)[:, None] >> np.arange(t)) & 1 == 1
    bits.setflags(write=False)
    return bits


@lru_cache(maxsize=8)
def subsets_by_size(t: int) -> tuple[Layer, ...]:
    """Return the subsets of each size from 1 to t, their members, and each subset without each of its members.

    >>> [subset.tolist() for subset, _, _ in subsets_by_size(2)]
    [[1, 2], [3]]
    """
    bits = members(t)
    size = bits.sum(axis=1)
    found = []
    for k in range(1, t + 1):
        subset = np.flatnonzero(size == k)
        inside = np.nonzero(bits[subset])[1].reshape(-1, k)
        found.append((subset, inside, subset[:, None] ^ (1 << inside)))
    return tuple(found)
