r"""Soft covering on a sparse graph: the Uncovered Set score from pairs of edges that meet.

Who has no edge to an agent cannot cover it, and who is not beaten by it says nothing against a coverer. So of all triples only those
count in which *c* has an edge to *a*, and *a* has one to *b*; all others add a term of :math:`e^0 = 1` to their soft maximum.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from beatpath._arrays import Floats, Ints
from beatpath.methods.soft_core.soft_extremum import require_temperature
from beatpath.methods.soft_core.sparse_edges import SparseEdges

Column = Floats


def sparse_soft_uncovered_set(edges: SparseEdges, gamma: float) -> Column:
    r"""Return how surely no agent covers each one: `soft_uncovered_set`, up to rounding.

    .. math::  u(a) = 1 - \operatorname{smax}_\gamma \{ D(c, a) (1 - v(c, a)) : c \ne a \}, \qquad
               v(c, a) = \operatorname{smax}_\gamma \{ D(a, b) (1 - D(c, b)) : b \ne a, c \},

    eqs. (12) to (15) of Soft Tournament Equilibrium.

    Parameters
    ----------
    edges : SparseEdges
    gamma : float
        Temperature of both soft maxima, above zero.

    Returns
    -------
    (n,) float
        In [0, 1]. One agent alone is the core: 1.

    Examples
    --------
    Ada and Bob both beat Cyd, and Ada beats Bob, who is covered.

    >>> some = SparseEdges(("ada", "bob", "cyd"), np.array([0, 0, 1]), np.array([1, 2, 2]), np.ones(3))
    >>> sparse_soft_uncovered_set(some, 0.001).round(2)
    array([1., 0., 0.])

    Notes
    -----
    An exponential for each two edges that follow one another: the sum over agents of edges in times edges out.
    """
    require_temperature("gamma", gamma)
    n = len(edges.agents)
    if n == 1:
        return np.ones(1)
    D = edges.table()
    D.sort_indices()
    cover = D.data * (1 - _violations(D, gamma)) if n > 2 else D.data
    covered, number = D.indices.astype(np.int64), np.bincount(D.indices, minlength=n)
    top = np.zeros(n)
    np.maximum.at(top, covered, cover)
    total = (n - 1 - number) * np.exp(-top / gamma)
    total += np.bincount(covered, np.exp((cover - top[covered]) / gamma), n)
    uncovered: Column = 1 - (top + gamma * np.log(total / (n - 1)))
    return uncovered


def two_steps(D: csr_array) -> Iterator[tuple[int, slice, Ints, Ints]]:
    """Yield, for every agent with edges, where they stand, and of each agent they lead to where its edges begin and stand.

    >>> D = csr_array(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    >>> list(two_steps(D))[0]  # the first leads to the second, which has the third edge of all, and to the third, with none
    (0, slice(0, 2, None), array([0, 1]), array([2]))
    """
    first, length = D.indptr[:-1].astype(np.int64), np.diff(D.indptr).astype(np.int64)
    for c in np.flatnonzero(length).tolist():
        own = slice(int(D.indptr[c]), int(D.indptr[c + 1]))
        a = D.indices[own]
        ends = np.cumsum(length[a])
        begin = ends - length[a]
        yield c, own, begin, np.repeat(first[a] - begin, length[a]) + np.arange(ends[-1])


def summed(values: Column, begin: Ints, how: np.ufunc = np.add) -> Column:
    """Return the sum, or another reduction, of each stretch of values from one beginning to the next; 0 for an empty one.

    >>> summed(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4., 0.])
    """
    out = np.zeros(len(begin))
    there = np.append(begin[1:], len(values)) > begin
    if there.any():
        out[there] = how.reduceat(values, begin[there])
    return out


def _violations(D: csr_array, gamma: float) -> Column:
    """Eq. (12) for the two ends of every edge."""
    n = D.shape[0]
    out, row = np.zeros(len(D.data)), np.zeros(n)
    for c, own, begin, at in two_steps(D):
        row[D.indices[own]] = D.data[own]
        b, length = D.indices[at], np.diff(np.append(begin, len(at)))
        z = np.where(b == c, 0.0, D.data[at] * (1 - row[b]))
        top = summed(z, begin, np.maximum)
        spoken = np.where(b == c, 0.0, np.exp((z - np.repeat(top, length)) / gamma))
        silent = n - 2 - length + summed((b == c).astype(np.float64), begin)
        total = summed(spoken, begin) + silent * np.exp(-top / gamma)
        out[own] = top + gamma * np.log(total / (n - 2))
        row[D.indices[own]] = 0.0
    return out
