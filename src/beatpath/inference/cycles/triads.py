r"""Three-cycles of a directed graph: how many, and the strongest of them.

With :math:`A_{ij} = 1` for an edge from *i* to *j*, agent *i* lies on :math:`\sum_j (A^2)_{ij} A_{ji}` three-cycles. A cycle is
as strong as its weakest edge, so the *k* strongest are those of the graph that keeps only edges as strong as the largest
threshold that leaves *k*; it is found by halving, with a count at every step.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

Codes = NDArray[np.integer]
Array = NDArray[np.float64]
Triple = tuple[int, int, int]

DENSE = 75  # a dense product does so many multiplications in the time of one sparse one


def cycles_through(n_agents: int, winner: Codes, loser: Codes) -> NDArray[np.int64]:
    """Return how many three-cycles every agent lies on; exact.

    Parameters
    ----------
    n_agents : int
    winner, loser : (m,) int
        The edges, each at most once.

    Examples
    --------
    >>> cycles_through(4, np.array([0, 1, 2, 0]), np.array([1, 2, 0, 3]))
    array([1, 1, 1, 0])
    """
    out, into = np.bincount(winner, minlength=n_agents), np.bincount(loser, minlength=n_agents)
    if int(out @ into) * DENSE < n_agents**3:
        sparse = csr_array((np.ones(len(winner), dtype=np.int64), (winner, loser)), shape=(n_agents, n_agents))
        return np.asarray((sparse @ sparse).multiply(sparse.T).sum(axis=1)).ravel()
    edge = np.zeros((n_agents, n_agents), dtype=np.float32)  # whole numbers below 2^24 are exact
    edge[winner, loser] = 1
    return np.asarray(np.einsum("ij,ji->i", edge @ edge, edge, dtype=np.float64)).astype(np.int64)


def edge_cycles(n_agents: int, winner: Codes, loser: Codes) -> NDArray[np.int64]:
    """Return how many three-cycles every edge lies on; exact.

    >>> edge_cycles(4, np.array([0, 1, 2, 0]), np.array([1, 2, 0, 3]))
    array([1, 1, 1, 0])
    """
    edge = csr_array((np.ones(len(winner), dtype=np.int64), (winner, loser)), shape=(n_agents, n_agents))
    if int(np.bincount(winner, minlength=n_agents) @ np.bincount(loser, minlength=n_agents)) * DENSE < n_agents**3:
        found = (edge @ edge)[loser, winner]
        return np.asarray(found.toarray() if issparse(found) else found).ravel()
    full = edge.toarray().astype(np.float32)
    return np.asarray((full @ full)[loser, winner]).astype(np.int64)


def cycle_count(n_agents: int, winner: Codes, loser: Codes) -> int:
    """Return how many three-cycles there are.

    >>> cycle_count(3, np.array([0, 1, 2]), np.array([1, 2, 0]))
    1
    """
    return int(cycles_through(n_agents, winner, loser).sum()) // 3


def triangle_count(n_agents: int, a: Codes, b: Codes) -> int:
    """Return how many triangles the undirected graph of pairs has.

    >>> triangle_count(3, np.array([0, 0, 1]), np.array([1, 2, 2]))
    1
    """
    both = np.concatenate([a, b]), np.concatenate([b, a])
    return int(cycles_through(n_agents, *both).sum()) // 6


def strongest_cycles(n_agents: int, winner: Codes, loser: Codes, strength: Array, most: int) -> list[Triple]:
    """Return the strongest three-cycles, each from its first agent, who beats the second, who beats the third.

    Parameters
    ----------
    n_agents : int
    winner, loser : (m,) int
    strength : (m,) float
    most : int
        How many; of equally strong ones, those whose agents come first.

    Examples
    --------
    >>> ring = np.array([0, 1, 2, 3, 3]), np.array([1, 2, 0, 0, 1])
    >>> strongest_cycles(4, *ring, np.array([3.0, 2.0, 5.0, 9.0, 9.0]), 10)
    [(0, 1, 2)]
    """
    at_least = _threshold(n_agents, winner, loser, strength, most)
    if at_least is None or most < 1:
        return []
    full = np.full((n_agents, n_agents), -np.inf)
    full[winner, loser] = strength
    above, equal = strength > at_least, strength >= at_least
    found = list(_walk(n_agents, winner[above], loser[above]))
    ties = (one for one in _walk(n_agents, winner[equal], loser[equal]) if _weakest(full, one) == at_least)
    found += islice(ties, most - len(found))
    return sorted(found, key=lambda one: (-_weakest(full, one), one))


def _weakest(full: Array, cycle: Triple) -> float:
    """The strength of the weakest edge."""
    i, j, k = cycle
    return float(min(full[i, j], full[j, k], full[k, i]))


def _threshold(n_agents: int, winner: Codes, loser: Codes, strength: Array, most: int) -> float | None:
    """The largest strength whose edges, with all stronger ones, leave `most` cycles; the least where there are fewer."""

    def count(at_least: float) -> int:
        kept = strength >= at_least
        return cycle_count(n_agents, winner[kept], loser[kept])

    values = np.unique(strength)
    low, high = 0, len(values)  # cycles at values[low] are enough, those at values[high] are not
    if not len(values) or not count(values[0]):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(values[middle]) >= most else (low, middle)
    return float(values[low])


def _walk(n_agents: int, winner: Codes, loser: Codes) -> Iterator[Triple]:
    """Every three-cycle once, from its first agent, in order."""
    edge = np.zeros((n_agents, n_agents), dtype=bool)
    edge[winner, loser] = True
    for i in np.flatnonzero(cycles_through(n_agents, winner, loser)).tolist():
        second, third = np.flatnonzero(edge[i, i + 1 :]) + i + 1, np.flatnonzero(edge[i + 1 :, i]) + i + 1
        j, k = np.nonzero(edge[np.ix_(second, third)])
        yield from zip([i] * len(j), second[j].tolist(), third[k].tolist(), strict=True)
