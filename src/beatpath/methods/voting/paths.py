"""Widest paths: the strength of the strongest chain from each agent to each other."""

import numpy as np
from numpy.typing import NDArray


def widest_paths(strength: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Return the largest, over all paths from a to b, of the smallest strength on the path.

    .. math::  P(a, b) = \max_{a = c_0, \dots, c_l = b} \ \min_{i < l} S(c_i, c_{i+1})

    Parameters
    ----------
    strength : (n, n) float
        Positive where there is an edge, 0 where there is none.

    Returns
    -------
    (n, n) float
        0 where there is no path, and on the diagonal.

    Examples
    --------
    The way from the first to the third by the second is as strong as its weaker half.

    >>> widest_paths(np.array([[0.0, 4, 1], [0, 0, 3], [0, 0, 0]]))
    array([[0., 4., 3.],
           [0., 0., 3.],
           [0., 0., 0.]])

    Notes
    -----
    Floyd and Warshall's scheme with maximum and minimum, :math:`O(n^3)`: only the order of strengths matters, so it
    runs on their numbers in that order, in the smallest integers that hold them.
    """
    values, code = _coded(strength)
    path = code.copy()
    for via in range(len(path)):
        np.maximum(path, np.minimum(path[:, via, None], path[via]), out=path)
    np.fill_diagonal(path, 0)
    return path.astype(np.float64) if values is None else values[path]


def _coded(strength: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, NDArray[np.signedinteger]]:
    """Strengths as small integers in the same order: themselves where whole, else their number among the values."""
    if strength.max(initial=0.0) < np.iinfo(np.int16).max:
        whole = strength.astype(np.int16)
        if (whole == strength).all():
            return None, whole
    values, code = np.unique(np.append(strength, 0.0), return_inverse=True)
    size = np.int16 if len(values) < np.iinfo(np.int16).max else np.int32
    return values, code[:-1].reshape(strength.shape).astype(size)
