r"""How many clusters maps of the rates rest on: Kish's number of every difference, as degrees of freedom.

With :math:`v_{ci} = \sum_p A_{ip}^2 s_{cp}^2` the weight of a cluster in a map, :math:`s_{cp}` its share of a pair's battles, they
are :math:`(\sum_c v_c)^2 / \sum_c v_c^2` less one. The first sum is one over pairs; the second has every map at every cell of the
clusters, which is most of the work of a large board. Of a map that is read off agents (see `AgentMaps`) a cluster mostly moves what
its own agents hold. So :math:`v_{ci} = o_{ci} + r_{ci}`: *o* of the pairs of agent *i* itself, two entries a cell, and *r* of all
others, where :math:`A_{ip} = w_p (F_{ia} - F_{ib})` and therefore

.. math::  0 \le r_{ci} \le x_c\, \max_{a, b \ne i} (F_{ia} - F_{ib})^2, \qquad x_c = \sum_p w_p^2 s_{cp}^2 .

Both ends are known without looking at all cells, and so is the sum of *r* over clusters. Where the ends leave so little open that
no Gaussian equivalent of up to 4.5 moves by more than 1e-4 (a simulated critical value errs by a hundred times that), the sum is
shared among clusters by :math:`x_c`; elsewhere all is summed. Measured, degrees of freedom came out right to a thousandth.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._arrays import Floats, Ints
from beatpath.inference.matrix.cluster_sums import AgentMaps, blocks
from beatpath.inference.win_rates.estimate import column_squares

ROWS, BLOCK = 1 << 17, 1 << 20  # numbers of a block of maps, and of weights of clusters
CELLS = 1e8  # maps times cells from which bounds are worth a look
OPEN = 4e-6  # of one over the degrees of freedom: z (z^2 + 1) / 4 times that is what a Gaussian equivalent moves


def cluster_degrees(maps: AgentMaps, share: csr_array, times: Floats, alone: Floats) -> Floats:
    r"""Return degrees of freedom of all differences of maps, of the maps on the diagonal, (n, n); at least 1.

    Parameters
    ----------
    maps : AgentMaps
    share : (units, p) sparse
        :math:`s_{cp}`.
    times : (units,) float
        How many clusters every row stands for.
    alone : (p,) float
        What battles that are clusters of their own add to the first sum, a pair.

    Notes
    -----
    Squares are summed in single precision, on a scale on which none is lost: degrees of freedom come out right to six digits where
    all is summed.
    """
    square = alone + column_squares(share, times)
    whole = _whole(maps, square)
    both = whole[:, None] + whole[None, :]
    np.fill_diagonal(both, whole)
    crossed = _nearly_crossed(maps, share, times, square, whole, both) if worth_bounds(share, len(whole)) else None
    if crossed is None:
        crossed = _crossed(_joint(maps, share, times))
    return np.maximum(both**2 / np.maximum(crossed, 1e-300) - 1, 1.0)


def worth_bounds(share: csr_array, n: int) -> bool:
    """Whether summing all maps at all cells takes long enough to look for bounds first."""
    return float(share.nnz) * n > CELLS


def _crossed(joint: Floats) -> Floats:
    r""":math:`\sum_c (v_{ci} + v_{cj})^2`, and :math:`\sum_c v_{ci}^2` on the diagonal."""
    own = np.diag(joint)
    crossed = own[:, None] + own[None, :] + 2 * joint
    np.fill_diagonal(crossed, own)
    return crossed


def _whole(maps: AgentMaps, square: Floats) -> Floats:
    r""":math:`\sum_c v_c`: of squared maps, *square* as large a pair."""
    size, columns = _scaled(maps)
    total, step = np.zeros(len(maps.each)), max(1, ROWS // len(maps.each))
    pairs = np.flatnonzero(square)
    for low in range(0, len(pairs), step):
        pair = pairs[low : low + step]
        total += (_at(maps, pair, np.sqrt(square[pair]), columns, size) ** 2).sum(axis=0, dtype=np.float64) * size**2
    return total


def _nearly_crossed(
    maps: AgentMaps, share: csr_array, times: Floats, square: Floats, whole: Floats, both: Floats
) -> Floats | None:
    r"""Sums of squares by what is each agent's own, the rest shared by :math:`x_c`; None where its bounds leave too much open."""
    n, at = len(whole), own_maps(maps)
    own = np.bincount(maps.a, square * at[0] ** 2, n) + np.bincount(maps.b, square * at[1] ** 2, n)
    joint, across, rest = _joint_of_own(maps, at, share, times)

    def with_rest(r: Floats) -> Floats:
        return _crossed(
            joint + r[:, None] * across[None, :] + across[:, None] * r[None, :] + r[:, None] * r[None, :] * rest
        )

    if (with_rest(_widest(maps.F) ** 2) - with_rest(np.zeros(n)) > OPEN * both**2).any():
        return None
    return with_rest(np.maximum(whole - own, 0.0) / max(float(square @ maps.w**2), 1e-300))


def own_maps(maps: AgentMaps) -> tuple[Floats, Floats]:
    """Return the maps of a pair's two agents at the pair itself, (p,) each."""
    a, b, F = maps.a, maps.b, maps.F
    return (
        maps.w * (F[a, a] - F[a, b]) + maps.each[a] * maps.k,
        maps.w * (F[b, a] - F[b, b]) - maps.each[b] * maps.k,
    )


def _joint_of_own(
    maps: AgentMaps, at: tuple[Floats, Floats], share: csr_array, times: Floats
) -> tuple[Floats, Floats, float]:
    r""":math:`\sum_c o_c o_c^\top`, :math:`\sum_c o_c x_c` and :math:`\sum_c x_c^2`."""
    n = len(maps.each)
    unit = float(max(np.abs(one).max(initial=0.0) for one in at) * np.abs(share.data).max(initial=0.0)) or 1.0
    squares = tuple(((one / unit) ** 2).astype(np.float32) for one in at)
    joint, across, rest, first = np.zeros((n, n)), np.zeros(n), 0.0, 0
    for block in blocks(share, n):
        count, pair, s = times[first : first + block.shape[0]], block.indices, (block.data**2).astype(np.float32)
        place, data = np.empty((len(pair), 2), dtype=pair.dtype), np.empty((len(pair), 2), dtype=np.float32)
        for side, (agent, square) in enumerate(zip((maps.a, maps.b), squares, strict=True)):
            place[:, side], data[:, side] = agent[pair], square[pair] * s
        o = csr_array((data.ravel(), place.ravel(), 2 * block.indptr), shape=(block.shape[0], n)).toarray()
        o *= np.sqrt(count).astype(np.float32)[:, None]
        cluster = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
        x = np.bincount(cluster, (maps.w[pair] * block.data / unit) ** 2, block.shape[0]) * np.sqrt(count)
        joint += o.T @ o
        across += x.astype(np.float32) @ o
        rest += float(x @ x)
        first += block.shape[0]
    return joint * unit**4, across * unit**4, rest * unit**4


def _widest(F: Floats) -> Floats:
    """How far apart the entries of every row lie, but for the diagonal.

    >>> _widest(np.array([[9.0, 1.0, 3.0], [2.0, 9.0, 2.0], [0.0, -1.0, 9.0]]))
    array([2., 0., 1.])
    """
    rest = ~np.eye(len(F), dtype=bool)
    highest = F.max(axis=1, initial=-np.inf, where=rest)
    return np.maximum(highest - F.min(axis=1, initial=np.inf, where=rest), 0.0)


def _joint(maps: AgentMaps, share: csr_array, times: Floats) -> Floats:
    r""":math:`\sum_c v_c v_c^\top`, every map at every cell."""
    n, filled = len(maps.each), np.flatnonzero(np.diff(share.indptr))
    size, columns = _scaled(maps)
    unit = float(size * np.abs(share.data).max(initial=0.0)) or 1.0
    joint, data, step = np.zeros((n, n)), share.data * (size / unit), max(1, BLOCK // n)
    for low in range(0, len(filled), step):
        some = filled[low : low + step]
        start, end = share.indptr[some], int(share.indptr[some[-1] + 1])
        v = _weights(maps, share.indices, data, start, end, columns, size)
        v *= np.sqrt(times[some, None])
        joint += v.T @ v
    return joint * unit**4


def _scaled(maps: AgentMaps) -> tuple[float, NDArray[np.float32]]:
    """A size that no map exceeds, and the columns of *F* over it."""
    size = 2 * np.abs(maps.w).max(initial=0.0) * np.abs(maps.F).max() + (maps.each * np.abs(maps.k).max()).max()
    return float(size), np.ascontiguousarray(maps.F.T / size, dtype=np.float32)


def _weights(
    maps: AgentMaps,
    pair: Ints,
    share: Floats,
    start: Ints,
    end: int,
    columns: NDArray[np.float32],
    size: float,
) -> Floats:
    """The weights :math:`v` of clusters whose entries begin at `start`, (clusters, n)."""
    v, step = np.zeros((len(start), len(maps.each))), max(1, ROWS // len(maps.each))
    for low in range(int(start[0]), end, step):
        high = min(low + step, end)
        here = slice(np.searchsorted(start, low, "right") - 1, np.searchsorted(start, high - 1, "right"))
        rows = _at(maps, pair[low:high], share[low:high], columns, size)
        rows *= rows
        v[here] += np.add.reduceat(rows, np.maximum(start[here] - low, 0), axis=0)
    return v


def _at(maps: AgentMaps, pair: Ints, times: Floats, columns: NDArray[np.float32], size: float) -> NDArray[np.float32]:
    """The maps at pairs, (pairs, n), *times* as large, over `size`."""
    a, b, row, k = maps.a[pair], maps.b[pair], np.arange(len(pair)), maps.k[pair] * times / size
    found: NDArray[np.float32] = columns[a]
    found -= columns[b]
    found *= (maps.w[pair] * times).astype(np.float32)[:, None]
    found[row, a] += (maps.each[a] * k).astype(np.float32)
    found[row, b] -= (maps.each[b] * k).astype(np.float32)
    return found
