r"""What of a flow on the pairs no ranking explains: circles of three agents, and longer ones.

A flow :math:`Y_{ab} = -Y_{ba}` on the edges of a graph, with weights :math:`w_{ab}`, is the sum of three flows that are
orthogonal under :math:`\langle X, Y \rangle = \sum_{ab} w_{ab} X_{ab} Y_{ab}`: a gradient :math:`s_a - s_b`, a *curl* flow
:math:`W^{-1} C^\top \Phi` that runs round triangles of the graph, and a *harmonic* flow that runs round longer circles only
and adds up to zero round every triangle.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsmr

CANDIDATES = 50_000_000  # paths of two pairs looked at before triangles are given up, a few seconds
TRIANGLES = 3_000_000  # triangles held, a few hundred MB
CHUNK = 2_000_000  # candidates held at a time


class Triangles(NamedTuple):
    """The three edges of every triangle, and +1 where the way round it goes from *a* to *b*, -1 where it goes back."""

    edge: NDArray[np.int64]
    sign: NDArray[np.float64]


def triangles(n_agents: int, a: NDArray[np.integer], b: NDArray[np.integer]) -> Triangles | None:
    """Find all triangles of a graph of pairs, each listed once; None when there are too many candidates to look at.

    Every pair of edges that leave an agent for others with more opponents is a candidate, so that few are wasted.

    Returns
    -------
    Triangles or None
        `edge` and `sign`, shape (3, t).

    Examples
    --------
    >>> found = triangles(4, np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]))
    >>> sorted(found.edge[:, 0].tolist())
    [0, 1, 2]
    """
    opponents = np.bincount(np.concatenate([a, b]), minlength=n_agents)
    place = np.empty(n_agents, dtype=np.int64)
    place[np.argsort(opponents, kind="stable")] = np.arange(n_agents)
    low, high = np.minimum(place[a], place[b]), np.maximum(place[a], place[b])
    order = np.lexsort((high, low))
    low, high, forward = low[order], high[order], np.where(place[a] < place[b], 1.0, -1.0)

    later = np.cumsum(np.bincount(low, minlength=n_agents))[low] - np.arange(len(low)) - 1
    if later.sum() > CANDIDATES:
        return None
    parts, total = [np.zeros((3, 0), dtype=np.int64)], 0
    for begin, end in _triangle_chunks(later):
        parts.append(_closed(n_agents, low, high, begin, later[begin:end]))
        total += parts[-1].shape[1]
        if total > TRIANGLES:
            return None
    edge = order[np.concatenate(parts, axis=1)]
    return Triangles(edge, forward[edge] * np.array([[1.0], [1.0], [-1.0]]))


def _triangle_chunks(later: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Runs of edges with about `CHUNK` candidates each."""
    part = np.cumsum(later) // CHUNK
    cut = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(later)]
    return pairwise(cut)


def _closed(
    n_agents: int, low: NDArray[np.int64], high: NDArray[np.int64], begin: int, later: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The triangles whose first edge is in a run: edges (i, j), (j, k) and (i, k), shape (3, t)."""
    ij = np.repeat(np.arange(begin, begin + len(later)), later)
    ik = np.arange(len(ij)) - np.repeat(np.cumsum(later) - later, later) + ij + 1
    code, wanted = low * n_agents + high, high[ij] * n_agents + high[ik]
    jk = np.minimum(np.searchsorted(code, wanted), len(code) - 1)
    closed = code[jk] == wanted
    return np.stack([ij[closed], jk[closed], ik[closed]])


def curl_part(found: Triangles, flow: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    r"""Return the squared norm of the projection of a flow on the flows that run round triangles.

    With :math:`C` the matrix that adds a flow up round every triangle, the projection is :math:`W^{-1} C^\top \Phi` for the
    :math:`\Phi` that minimises :math:`\|W^{1/2} Y - W^{-1/2} C^\top \Phi\|`.

    >>> circle = Triangles(np.array([[0], [2], [1]]), np.array([[1.0], [1.0], [-1.0]]))
    >>> round(curl_part(circle, np.array([1.0, -1.0, 1.0]), np.ones(3)), 9)
    3.0
    """
    n = found.edge.shape[1]
    if not n:
        return 0.0
    root = np.sqrt(weight)
    entries = (found.sign / root[found.edge]).ravel()
    around = csr_array((entries, (found.edge.ravel(), np.tile(np.arange(n), 3))), shape=(len(flow), n))
    phi = lsmr(around, root * flow, atol=1e-10, btol=1e-10, conlim=0, maxiter=20_000)[0]
    part = around @ phi
    return float(part @ part)
