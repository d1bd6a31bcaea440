r"""A canonical order of agents: one that depends on what the data are, not on how agents are named or numbered.

Colours are refined (each agent by the multiset of its records against agents of each color) until they are stable.
Where agents still share a color one of them is set apart, that with the least certificate, and colors are refined
again; parts not connected to one another are ordered each by itself. Agents whose first certificates agree are taken
to be alike. Refinement with one agent set apart tells all but contrived designs apart (equal records on strongly
regular graphs); `certain` says when not everything was looked at.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools, Floats, Ints

Hashes = NDArray[np.uint64]

WORK = 4e7  # steps over records and agents before ties are left in the order given, so that the search always ends


@dataclass(frozen=True, slots=True, eq=False)
class CanonicalOrder:
    """What data say of agents' places, whatever their names.

    Attributes
    ----------
    order : (n,) int
        The agents, first to last.
    alike : (n,) int
        A number for each agent; those with the same number have data that renaming turns into one another.
    certain : bool
        Whether all was looked at; if not, ties were left in the order given.
    """

    order: Ints
    alike: Ints
    certain: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Records:
    """Half-edges: whose it is, whom it is against, and the number of the record."""

    owner: Ints
    other: Ints
    code: Ints

    def of(self, rows: Ints, place: Ints) -> "_Records":
        """Return some of them, agents numbered by place."""
        return _Records(place[self.owner[rows]], place[self.other[rows]], self.code[rows])


@dataclass(slots=True)
class _Work:
    left: float


def canonical_order(n: int, a: Ints, b: Ints, won: Floats, lost: Floats) -> CanonicalOrder:
    """Order agents by their data.

    Parameters
    ----------
    n : int
        How many agents there are.
    a, b : (m,) int
        Pairs that met, each once.
    won, lost : (m,) float
        Battles that *a* and *b* won.

    Examples
    --------
    Two pairs not connected to each other, both 9 to 1: winners are alike, and so are losers.

    >>> nine, one = np.array([9.0, 1.0]), np.array([1.0, 9.0])
    >>> alike = canonical_order(4, np.array([0, 3]), np.array([1, 2]), nine, one).alike
    >>> bool(alike[0] == alike[2]), bool(alike[1] == alike[3]), bool(alike[0] == alike[1])
    (True, True, False)
    """
    record = np.concatenate([np.column_stack([won, lost]), np.column_stack([lost, won])])
    code = np.unique(record, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    records = _Records(np.concatenate([a, b]).astype(np.int64), np.concatenate([b, a]).astype(np.int64), code)
    colour = _refined(np.zeros(n, dtype=np.int64), records)
    work, parts = _Work(WORK), []
    place, alike = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.uint64)
    for agents, rows in _parts_that_met(n, records):
        place[agents] = np.arange(len(agents))
        some = records.of(rows, place)
        discrete, certificate = _ordered_part(colour[agents], some, work)
        lines = np.column_stack([discrete[some.owner], discrete[some.other], some.code])
        lines = lines[np.lexsort(lines.T[::-1])]
        parts.append(((len(agents), np.sort(colour[agents]).tobytes(), lines.tobytes()), agents[np.argsort(discrete)]))
        whole = _hash_of(np.concatenate([np.sort(colour[agents]), lines.ravel()]))
        alike[agents] = _mixed_bits(certificate + whole) + colour[agents].astype(np.uint64)
    parts.sort(key=lambda part: part[0])
    order = np.concatenate([agents for _, agents in parts])
    return CanonicalOrder(order, np.unique(alike, return_inverse=True)[1].ravel(), work.left > 0)


def _parts_that_met(n: int, records: _Records) -> list[tuple[Ints, Ints]]:
    """The agents and half-edges of each part that battles connect."""
    graph = coo_array((np.ones(len(records.owner)), (records.owner, records.other)), shape=(n, n))
    number, part = connected_components(graph, directed=False)
    parts = [
        np.split(np.argsort(of, kind="stable"), np.cumsum(np.bincount(of, minlength=number))[:-1])
        for of in (part, part[records.owner])
    ]
    return list(zip(*parts, strict=True))


def _mixed_bits(x: Hashes) -> Hashes:
    """Scatter 64 bits (splitmix64)."""
    with np.errstate(over="ignore"):
        x = np.asarray(x, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def _hash_of(values: Ints) -> np.uint64:
    """A number that depends on the values and their places."""
    places = np.arange(1, len(values) + 1, dtype=np.uint64)
    return np.uint64(_mixed_bits(_mixed_bits(values.astype(np.uint64)) + places).sum())


def _record_sums(colour: Ints, records: _Records) -> Hashes:
    """The multiset of (record, color of the other) of each agent, as a sum of hashes."""
    code = colour[records.other].astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
    total = np.zeros(len(colour), dtype=np.uint64)
    np.add.at(total, records.owner, _mixed_bits(_mixed_bits(records.code.astype(np.uint64)) ^ code))
    return total


def _ranked(colour: NDArray[np.generic]) -> Ints:
    """Colours numbered from 0, in their order; rows where there are several columns."""
    return np.unique(colour, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _refined(colour: Ints, records: _Records) -> Ints:
    """Colours, numbered from 0, refined until stable."""
    classes = len(np.unique(colour))
    while True:
        colour = _ranked(np.column_stack([colour.astype(np.uint64), _record_sums(colour, records)]))
        if colour.max(initial=-1) + 1 == classes:
            return colour
        classes = int(colour.max()) + 1


def _set_apart(colour: Ints, agent: int, records: _Records) -> tuple[Ints, int]:
    """Colours after one agent is set before the others of its color, and their certificate."""
    moved = 2 * colour + 1
    moved[agent] -= 1
    refined = _refined(_ranked(moved), records)
    return refined, int(_mixed_bits(_mixed_bits(refined.astype(np.uint64)) + _record_sums(refined, records)).sum())


def _ordered_part(colour: Ints, records: _Records, work: _Work) -> tuple[Ints, Hashes]:
    """Discrete canonical colors of a connected part, and each agent's certificate when it is set apart first."""
    colour = _ranked(colour)
    certificate, first = np.zeros(len(colour), dtype=np.uint64), True
    while (count := np.bincount(colour)).max() > 1:
        twins = _twins(colour, count, records)
        if twins is not None:
            colour = _twins_numbered(colour, twins)
            continue
        shared = np.flatnonzero(count > 1)
        smallest = int(shared[np.argmin(count[shared])])
        best: tuple[int, Ints] | None = None
        for agent in np.flatnonzero(count[colour] > 1 if first else colour == smallest).tolist():
            if work.left <= 0 and best is not None:
                break
            work.left -= 60 * (len(records.owner) + len(colour))
            tried, value = _set_apart(colour, agent, records)
            if first:
                certificate[agent] = value
            if colour[agent] == smallest and (best is None or value < best[0]):
                best = (value, tried)
        assert best is not None
        colour, first = best[1], False
    return colour, certificate


def _twins(colour: Ints, count: Ints, records: _Records) -> Ints | None:
    """Agents of a color who may be exchanged freely: same records outside, one even record or none among them."""
    for shared in np.flatnonzero(count > 1).tolist():
        inside: Bools = colour == shared
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


def _twins_numbered(colour: Ints, agents: Ints) -> Ints:
    """Colours with these agents, who share one, distinguished in the order given."""
    wide = colour * (len(agents) + 1)
    wide[agents] += np.arange(len(agents))
    return _ranked(wide)
