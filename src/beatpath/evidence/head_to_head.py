r"""Count wins and ties of all pairs of agents from a table of their places on ballots.

With :math:`h_{va}` the place of agent *a* on ballot *v*, infinite where unranked, and :math:`l_{va}` the same with 0
where unranked (places count from 1), the ballots that rank *a* above *b* are :math:`\sum_v [h_{va} < l_{vb}]`: the
comparison is false as soon as one of the two is unranked.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints

_BLOCK = 2040  # ballots that eight one-byte counters (255 each) count in one pass
_GROUPS = 12  # most distinct weights for which counting in bytes is faster than summing floats
# masks that sum byte counters pairwise within a machine word
_BYTES, _WORDS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0001000100010001)


class HeadToHead(NamedTuple):
    """Wins of the row agent over the column agent, and ties of the two: (c, n, n) each, one table per total."""

    wins: Floats
    ties: Floats


def ranked_together(places: NDArray[np.int32]) -> Bools:
    """Return which pairs of agents share a ballot; `places` has -1 for an unranked agent.

    >>> ranked_together(np.array([[0, 1, -1], [-1, 0, 0]]))
    array([[ True,  True, False],
           [ True,  True,  True],
           [False,  True,  True]])
    """
    ranked = places >= 0
    return np.ones((places.shape[1],) * 2, dtype=bool) if ranked.all() and len(ranked) else _ranked_both(ranked) > 0


def head_to_head(places: NDArray[np.int32], columns: Floats) -> HeadToHead:
    """Sum the wins and ties of every pair of agents, once for each column of weights.

    Parameters
    ----------
    places : (ballots, n) int
        Place of every agent on every ballot: 0 is the best, equal places are ties, -1 is unranked.
    columns : (ballots, c) float
        Weight that a ballot adds to each of `c` totals.

    Returns
    -------
    HeadToHead

    Examples
    --------
    Two voters rank x, y, z; a third ties y with z and does not rank x.

    >>> wins, ties = head_to_head(np.array([[0, 1, 2], [-1, 0, 0]]), np.array([[2.0], [1.0]]))
    >>> wins[0], ties[0]
    (array([[0., 2., 2.],
           [0., 0., 2.],
           [0., 0., 0.]]), array([[0., 0., 0.],
           [0., 0., 1.],
           [0., 1., 0.]]))

    Notes
    -----
    Ballots with few distinct weights are counted in bytes, eight counters per machine word and 2,040 ballots per
    pass.
    Others are summed as floats, about ten times slower.
    """
    if (columns == columns[:1]).all():
        kinds, kind = columns[:1], np.zeros(len(columns), dtype=np.int64)
    else:
        kinds, kind = np.unique(columns, axis=0, return_inverse=True)
    n, c = places.shape[1], columns.shape[1]
    if len(kinds) > _GROUPS:
        return _weighed(places, columns)
    wins, ties = np.zeros((c, n, n)), np.zeros((c, n, n))
    for which, row in enumerate(kinds):
        some = places if len(kinds) == 1 else places[kind.reshape(-1) == which]
        for low in range(0, len(some), _BLOCK):
            won, tied = _counted_in_bytes(some[low : low + _BLOCK])
            for total, weight in enumerate(row):
                wins[total] += weight * won
                ties[total] += weight * tied
    return HeadToHead(wins, ties)


def _from_one(places: NDArray[np.int32]) -> NDArray[np.unsignedinteger]:
    """Places counted from 1, and 0 for unranked, in the smallest integer type that holds them."""
    size = next(t for t in (np.uint8, np.uint16, np.uint32) if places.max(initial=0) + 2 < np.iinfo(t).max)
    small = np.empty(places.shape, dtype=size)
    np.add(places, 1, out=small, casting="unsafe")
    return small


def _tables(
    small: NDArray[np.unsignedinteger], width: int
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
    """Places by agent and ballot, unranked as infinity and as 0, padded with ballots that rank nobody."""
    low = np.zeros((small.shape[1], width), dtype=small.dtype)
    low[:, : len(small)] = small.T
    return (low if small.all() else np.where(low == 0, np.iinfo(small.dtype).max, low)), low


def _counted_in_bytes(places: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Numbers of ballots of a block that rank *a* above *b*, and that tie them."""
    n = places.shape[1]
    small = _from_one(places)
    high, low = _tables(small, -(-len(places) // 8) * 8)
    ranked = small > 0
    complete = bool(ranked.all())
    met = np.full((n, n), len(places)) if complete else np.rint(_ranked_both(ranked)).astype(np.int64)
    strict = bool((small.max(axis=1, initial=0) == (n if complete else ranked.sum(axis=1))).all())
    lanes = np.zeros((n, n), dtype=np.uint64)
    above, cells = np.empty(high.shape, dtype=bool), lanes.reshape(-1)
    for d in range(1, n):  # all pairs (a, a + d) lie on one diagonal, contiguous in memory
        np.less(high[:-d], low[d:], out=above[d:])
        np.add.reduce(above[d:].view(np.uint64), axis=1, out=cells[d : n * (n - d) : n + 1])
        if not strict:  # without ties the other half follows
            np.less(high[d:], low[:-d], out=above[d:])
            np.add.reduce(above[d:].view(np.uint64), axis=1, out=cells[n * d :: n + 1])
    pairs = (lanes & _BYTES) + ((lanes >> np.uint64(8)) & _BYTES)
    wins = ((pairs * _WORDS) >> np.uint64(48)).astype(np.int64)
    if strict:
        wins += np.tril((met - wins.T), -1)
    ties = met - wins - wins.T
    np.fill_diagonal(ties, 0)
    return wins, ties


def _ranked_both(ranked: Bools) -> NDArray[np.float32]:
    """Number of ballots that rank both agents of each pair."""
    as_float = ranked.astype(np.float32)
    return as_float.T @ as_float


def _weighed(places: NDArray[np.int32], columns: Floats) -> HeadToHead:
    """Like `head_to_head`, for arbitrary weights."""
    n, c = places.shape[1], columns.shape[1]
    wins, ties = np.zeros((c, n, n)), np.zeros((c, n, n))
    strict = (places.max(axis=1, initial=-1) + 1 == (places >= 0).sum(axis=1)).all()
    for start in range(0, len(places), _BLOCK):
        some, weights = places[start : start + _BLOCK], columns[start : start + _BLOCK]
        high, low = _tables(_from_one(some), len(some))
        for a in range(n):
            wins[:, a] += ((high[a] < low).astype(np.float64) @ weights).T
            if not strict:
                ties[:, a] += ((high[a] == low).astype(np.float64) @ weights).T
    for total in ties:
        np.fill_diagonal(total, 0)
    return HeadToHead(wins, ties)
