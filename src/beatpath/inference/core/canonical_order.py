"""A canonical order of agents: it depends on the data, not on the names or numbers of agents.

Color refinement: each agent is recolored by the multiset of its records against agents of each color, until colors are
stable. Where agents still share a color, the one with the smallest certificate is individualized and colors are refined
again. Agents with equal first certificates count as equivalent. Refinement with one individualized agent separates all
but contrived designs (equal records on strongly regular graphs); `certain` tells whether the search was complete.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath.stats.codes import hashed

Hashes = NDArray[np.uint64]

WORK = 4e7  # steps over records and agents after which ties keep the given order, so that the search always ends


@dataclass(frozen=True, slots=True, eq=False)
class CanonicalOrder:
    """An order of agents that renaming does not change.

    Attributes
    ----------
    order : (n,) int
        The agents, first to last.
    alike : (n,) int
        Class of each agent; agents of one class have data that a renaming maps onto one another.
    certain : bool
        Whether the search was complete; if not, ties keep the given order.
    """

    order: Ints
    alike: Ints
    certain: bool


class _Records(NamedTuple):
    """Half-edges: the agent, its opponent, and the code of the record."""

    owner: Ints
    other: Ints
    code: Ints


def canonical_order(n: int, a: Ints, b: Ints, won: Floats, lost: Floats) -> CanonicalOrder:
    """Order agents by their data.

    Parameters
    ----------
    n : int
        Number of agents.
    a, b : (m,) int
        Pairs compared directly, each once.
    won, lost : (m,) float
        Battles that *a* and *b* won.

    Returns
    -------
    CanonicalOrder

    Examples
    --------
    Two pairs that are not connected to each other, both 9 to 1: winners are equivalent, and so are losers.

    >>> nine, one = np.array([9.0, 1.0]), np.array([1.0, 9.0])
    >>> alike = canonical_order(4, np.array([0, 3]), np.array([1, 2]), nine, one).alike
    >>> bool(alike[0] == alike[2]), bool(alike[1] == alike[3]), bool(alike[0] == alike[1])
    (True, True, False)
    """
    record = np.concatenate([np.column_stack([won, lost]), np.column_stack([lost, won])])
    code = np.unique(record, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    records = _Records(np.concatenate([a, b]).astype(np.int64), np.concatenate([b, a]).astype(np.int64), code)
    color = _refined(np.zeros(n, dtype=np.int64), records)
    discrete, certificate, certain = _individual_colors(color, records)
    alike = hashed(certificate) + color.astype(np.uint64)
    return CanonicalOrder(np.argsort(discrete), np.unique(alike, return_inverse=True)[1].ravel(), certain)


def _record_sums(color: Ints, records: _Records) -> Hashes:
    """Hash each agent's multiset of (record, color of the opponent) as a sum."""
    code = color[records.other].astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
    total = np.zeros(len(color), dtype=np.uint64)
    np.add.at(total, records.owner, hashed(hashed(records.code.astype(np.uint64)) ^ code))
    return total


def _ranked(color: NDArray[np.generic]) -> Ints:
    """Renumber colors from 0 in sorted order; rows where there are several columns."""
    return np.unique(color, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _refined(color: Ints, records: _Records) -> Ints:
    """Refine colors until stable, numbered from 0."""
    classes = len(np.unique(color))
    while True:
        color = _ranked(np.column_stack([color.astype(np.uint64), _record_sums(color, records)]))
        if color.max(initial=-1) + 1 == classes:
            return color
        classes = int(color.max()) + 1


def _individualized(color: Ints, agent: int, records: _Records) -> tuple[Ints, int]:
    """Individualize one agent before the others of its color; return colors and their certificate."""
    moved = 2 * color + 1
    moved[agent] -= 1
    refined = _refined(_ranked(moved), records)
    return refined, int(hashed(hashed(refined.astype(np.uint64)) + _record_sums(refined, records)).sum())


def _individual_colors(color: Ints, records: _Records) -> tuple[Ints, Hashes, bool]:
    """Return a color of its own for every agent, its certificate when individualized first, and whether all were tried."""
    certificate, first, left = np.zeros(len(color), dtype=np.uint64), True, WORK
    while (count := np.bincount(color)).max() > 1:
        twins = _interchangeable(color, count, records)
        if twins is not None:  # any order of them will do
            wide = color * (len(twins) + 1)
            wide[twins] += np.arange(len(twins))
            color = _ranked(wide)
            continue
        shared = np.flatnonzero(count > 1)
        smallest = int(shared[np.argmin(count[shared])])
        best: tuple[int, Ints] | None = None
        for agent in np.flatnonzero(count[color] > 1 if first else color == smallest).tolist():
            if left <= 0 and best is not None:
                break
            left -= 60 * (len(records.owner) + len(color))
            tried, value = _individualized(color, agent, records)
            if first:
                certificate[agent] = value
            if color[agent] == smallest and (best is None or value < best[0]):
                best = (value, tried)
        assert best is not None
        color, first = best[1], False
    return color, certificate, left > 0


def _interchangeable(color: Ints, count: Ints, records: _Records) -> Ints | None:
    """Return interchangeable agents of a color: same records outside, one even record or none among them."""
    for shared in np.flatnonzero(count > 1).tolist():
        inside: Bools = color == shared
        agents = int(count[shared])
        mine = inside[records.owner]
        inner, outer = mine & inside[records.other], mine & ~inside[records.other]
        rows = np.column_stack([records.owner[outer], records.other[outer], records.code[outer]])
        rows = rows[np.lexsort(rows.T[::-1])]
        each, odd = divmod(len(rows), agents)
        outside = odd == 0 and (rows[:, 1:].reshape(agents, -1) == rows[:each, 1:].reshape(1, -1)).all()
        even = inner.sum() in (0, agents * (agents - 1)) and len(np.unique(records.code[inner])) <= 1
        if outside and even:
            return np.flatnonzero(inside)
    return None
