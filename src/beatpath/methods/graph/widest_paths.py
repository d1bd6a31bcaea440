r"""Widest (bottleneck) paths: a path is as strong as its weakest edge, and two agents are as near as their strongest path.

Only the order of strengths matters, so everything runs on their ranks, in the smallest integers that hold them, and by tiles
of rows that stay in the processor's cache.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats

Codes = NDArray[Any]  # of small integers

BLOCK = 64  # agents that paths may newly run through, at a time
TILE = 65_536  # entries of the rows that are worked on together
SMALL = 700  # agents up to which the whole table stays in the cache
COMPILE = 1_500  # agents from which loading numba and compiling, about 1 s, is made up for


def widest_paths(strength: Floats) -> Floats:
    r"""Return the strength of the strongest path between all agents.

    .. math::  R(a, b) = \max_{a = c_0, \dots, c_l = b} \ \min_{i < l} S(c_i, c_{i+1}), \quad a \ne b; \qquad R(a, a) = 0

    Parameters
    ----------
    strength : (n, n) float
        Of the edge from row to column, not negative, 0 for none. The diagonal is not looked at.

    Returns
    -------
    (n, n) float
        Entries are entries of `strength`, bit for bit.

    Examples
    --------
    The way from the first to the third by the second is as strong as its weaker half.

    >>> widest_paths(np.array([[0.0, 0.9, 0.1], [0, 0, 0.8], [0, 0, 0]]))
    array([[0. , 0.9, 0.8],
           [0. , 0. , 0.8],
           [0. , 0. , 0. ]])

    Notes
    -----
    One pass of Floyd and Warshall's scheme, in blocks: the rows of a block are closed by themselves, then every other row
    takes what the block leads to. :math:`O(n^3)` comparisons, :math:`O(n^2)` memory. With numba and many agents the tiles
    are worked on by compiled code; the answer is the same.
    """
    values, path = strength_codes(strength)
    if len(path) <= SMALL:
        for via in range(len(path)):
            np.maximum(path, np.minimum(path[:, via, None], path[via]), out=path)
        return _restored(values, path)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for start in range(0, len(path), BLOCK):
            own = path[start : start + BLOCK].copy()
            for via in range(len(own)):
                np.maximum(own, np.minimum(own[:, start + via, None], own[via]), out=own)
            _absorb_all(pool, path, path[:, start : start + BLOCK].copy(), own)
    return _restored(values, path)


def widest_walks(strength: Floats, length: int) -> Floats:
    r"""Return the strength of the strongest path of at most `length` edges between all agents.

    .. math::  R_K(a, b) = \max_{k \le K} S^{(k)}(a, b), \qquad S^{(k)} = S^{(k-1)} \otimes_{\max\min} S,

    with :math:`(X \otimes_{\max\min} Y)_{ab} = \max_c \min(X_{ac}, Y_{cb})`, eq. (8) of Soft Tournament Equilibrium.

    Parameters
    ----------
    strength : (n, n) float
        Of the edge from row to column, not negative, 0 for none. The diagonal is not looked at.
    length : int
        One or more.

    Examples
    --------
    >>> chain = np.diag([0.9, 0.8, 0.7], k=1)
    >>> widest_walks(chain, 2)[0]
    array([0. , 0.9, 0.8, 0. ])
    >>> widest_walks(chain, 3)[0]
    array([0. , 0.9, 0.8, 0.7])

    Notes
    -----
    By squaring, about :math:`2 \log_2 K` products, each :math:`O(n^3)`; from :math:`K = n - 1` on `widest_paths` is the
    same in one pass.
    """
    if length >= len(strength) - 1:
        return widest_paths(strength)
    values, base = strength_codes(strength)
    np.fill_diagonal(base, np.iinfo(base.dtype).max)  # standing still costs nothing
    power = base
    for bit in bin(length)[3:]:
        power = _product(power, power)
        if bit == "1":
            power = _product(power, base)
    return _restored(values, power)


def strength_codes(strength: Floats) -> tuple[Floats | None, Codes]:
    """Return the distinct values from zero up, and the rank of each entry among them; the diagonal has rank zero.

    Whole numbers that are not large are their own ranks, and the values are None.

    >>> strength_codes(np.array([[0.0, 0.5], [0.25, 0.0]]))[1]
    array([[0, 2],
           [1, 0]], dtype=int16)
    """
    if strength.max(initial=0.0) < np.iinfo(np.int16).max:
        whole = strength.astype(np.int16)
        if (whole == strength).all():
            np.fill_diagonal(whole, 0)
            return None, whole
    values, code = np.unique(np.append(strength, 0.0), return_inverse=True)
    small = np.int16 if len(values) < np.iinfo(np.int16).max else np.int32
    codes: Codes = code[:-1].reshape(strength.shape).astype(small)
    np.fill_diagonal(codes, 0)
    return values, codes


def absorb(tile: Codes, left: Codes, right: Codes) -> None:
    """Raise `tile` to the max-min product of `left` and `right` where that is more.

    >>> tile = np.zeros((1, 2), dtype=np.int16)
    >>> absorb(tile, np.array([[3, 5]], dtype=np.int16), np.array([[4, 1], [1, 4]], dtype=np.int16))
    >>> tile
    array([[3, 4]], dtype=int16)
    """
    weaker = np.empty_like(tile)
    for via in range(len(right)):
        np.minimum(left[:, via, None], right[via], out=weaker)
        np.maximum(tile, weaker, out=tile)


def absorb_by_entry(tile: Codes, left: Codes, right: Codes) -> None:
    """Do the same as `absorb`, entry by entry, for numba to compile; four agents are passed through at a time."""
    whole = len(right) - len(right) % 4
    for i in range(len(tile)):
        for via in range(0, whole, 4):
            a, b, c, d = left[i, via], left[i, via + 1], left[i, via + 2], left[i, via + 3]
            for j in range(tile.shape[1]):
                one = max(min(a, right[via, j]), min(b, right[via + 1, j]))
                two = max(min(c, right[via + 2, j]), min(d, right[via + 3, j]))
                tile[i, j] = max(tile[i, j], max(one, two))
        for via in range(whole, len(right)):
            a = left[i, via]
            for j in range(tile.shape[1]):
                tile[i, j] = max(tile[i, j], min(a, right[via, j]))


@cache
def compiled() -> Callable[[Codes, Codes, Codes], None] | None:
    """Return `absorb_by_entry` compiled by numba, or None where numba is not installed."""
    if find_spec("numba") is None:
        return None
    from numba import njit

    fast: Callable[[Codes, Codes, Codes], None] = njit(nogil=True)(absorb_by_entry)
    return fast


def _absorb_all(pool: ThreadPoolExecutor, out: Codes, left: Codes, right: Codes) -> None:
    """Absorb the product of all rows, by tiles and several threads."""
    n = len(out)
    work = (compiled() if n >= COMPILE or compiled.cache_info().currsize else None) or absorb
    height = max(4, TILE // n)
    tiles = [slice(start, start + height) for start in range(0, n, height)]
    if len(tiles) == 1:
        work(out, left, right)
    else:
        list(pool.map(lambda rows: work(out[rows], left[rows], right), tiles))


def _product(left: Codes, right: Codes) -> Codes:
    out = np.zeros_like(left)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        _absorb_all(pool, out, left, right)
    return out


def _restored(values: Floats | None, code: Codes) -> Floats:
    np.fill_diagonal(code, 0)
    return code.astype(np.float64) if values is None else values[code]
