"""Cells: the battles of one pair in one cluster, added up; from counts, or from battles by sorting.

A battle's cluster, pair and outcome fit into one whole number. Sorted, these numbers are the cells one after another, without
places to remember: a tenth of what sorting battles by cluster and pair takes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Codes, Floats, Ints, blocks_of, counted_codes
from beatpath.evidence import Battles, Pairs
from beatpath.evidence.pairs import WIN

LOOKED_UP = 1 << 26  # possible pairs whose places are kept in a table
SPAN, PIECE = 1 << 22, 1 << 17  # battles sorted, and added up, at a time
LOSS, TIE, WON, BOTH_BAD = range(4)  # of the pair's first agent, in the order of twice the outcome


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Battles added up by pair and cluster.

    Parameters
    ----------
    pair : (m,) int
        Number of the pair.
    codes : tuple of (m,) int
        The cluster by every column; -1 where battles are clusters of their own.
    battles : (m,) int
        How many battles there are.
    weight, won : (m,) float
        Their weight, and how much of it the pair's first agent won.
    squares : three of (m,) float
        Sums of :math:`w^2`, :math:`w^2 o` and :math:`w^2 o^2` over battles of weight *w* and outcome *o*.
    weighted : bool
        Whether any battle weighs other than one.
    only : str
        The name of the cluster, where there is but one.
    halves : bool
        Whether all battles weigh one and end in a win, a loss or a tie, and the cells are sorted.
    """

    pair: NDArray[np.int32]
    codes: tuple[NDArray[np.integer], ...]
    battles: Ints
    weight: Floats
    won: Floats
    squares: tuple[Floats, Floats, Floats]
    weighted: bool = False
    only: str = ""
    halves: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """The numbers of pairs that met, in sorted order."""

    n: int
    code: Ints
    table: NDArray[np.int32] | None

    @classmethod
    def of(cls, whole: Pairs) -> "Numbered":
        """Number the pairs of counts, each of which is there once."""
        n, code = len(whole.agents), whole.a.astype(np.int64) * len(whole.agents) + whole.b
        if n**2 > LOOKED_UP:
            return cls(n, code, None)
        table = np.zeros(n**2, dtype=np.int32)
        table[code] = np.arange(len(code))
        return cls(n, code, table)

    def at(self, code: Ints) -> NDArray[np.int32]:
        """Return the numbers of pairs from their codes ``a * n + b``, all of which are there."""
        found = np.searchsorted(self.code, code) if self.table is None else self.table[code]
        return found.astype(np.int32, copy=False)


def cells_of_pairs(part: Pairs, names: Iterable[str], numbered: Numbered) -> Cells:
    """Return counts whose ties are settled as cells."""
    squares = part.counts if part.squares is None else part.squares
    soft = 0.0 if part.soft is None else part.soft
    keys = [part.keys[name] for name in names]
    return Cells(
        numbered.at(part.a.astype(np.int64) * numbered.n + part.b),
        tuple(key.codes for key in keys),
        part.battles,
        part.counts.sum(axis=1),
        part.counts[:, WIN],
        (squares.sum(axis=1), squares[:, WIN], squares[:, WIN] - soft),
        part.squares is not None,
        next((key.levels[0] for key in keys if len(key.levels) == 1), ""),
    )


def sortable(battles: Battles, name: str, n_agents: int, ties: str, both_bad: str) -> bool:
    """Whether battles are cells once they are sorted: they weigh one, and end in a win, a loss or a tie that is half of each."""
    room = len(battles.factors[name].levels) >> (60 - _pair_bits(n_agents)) == 0
    if battles.weight is not None or (ties, both_bad) != ("half", "tie") or not room:
        return False
    for rows in blocks_of(len(battles)):
        twice = 2 * battles.outcome[rows]
        if not (twice.astype(np.int8) == twice).all():
            return False
    return True


def sorted_cells(battles: Battles, name: str, numbered: Numbered) -> Iterator[Cells]:
    """Yield battles that are `sortable` as cells, clusters in the order of their codes, and none in two parts.

    >>> from beatpath import Factor
    >>> told = Battles.of([("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5)], factors={"cluster": Factor.of("qqp")})
    >>> (found,) = sorted_cells(told, "cluster", Numbered.of(told.pairs()))
    >>> found.codes[0], found.weight, found.won
    (array([0, 1]), array([1., 2.]), array([0.5, 2. ]))
    """
    cluster, bits = battles.factors[name], _pair_bits(numbered.n)
    only = cluster.levels[0] if len(cluster.levels) == 1 else ""
    size = np.roll(counted_codes(cluster.codes, len(cluster.levels)), 1)  # those without a cluster first
    for low, high in _spans(size, SPAN):
        key = _keys_between(battles, cluster.codes, low - 1, high - 1, int(size[low:high].sum()), numbered.n)
        key.sort()
        edges = np.append(0, np.cumsum(size[low:high]))
        for first, last in _spans(size[low:high], PIECE):
            yield _cells_of_keys(key[edges[first] : edges[last]], bits, numbered, only)


def _pair_bits(n_agents: int) -> int:
    return int(n_agents**2 - 1).bit_length()


def _spans(size: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Clusters that follow each other and have about so many battles together, or one that has more.

    >>> list(_spans(np.array([2, 2, 9, 4, 0, 1]), 4))
    [(0, 2), (2, 3), (3, 6)]
    """
    part = (np.cumsum(size) - 1) // most
    cuts = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(size)]
    return ((low, high) for low, high in pairwise(cuts) if size[low:high].any())


def _keys_between(battles: Battles, code: Codes, low: int, high: int, number: int, n: int) -> Ints:
    """Cluster, pair and outcome in one number for each of the battles whose clusters have codes from `low` to `high` less one."""
    key, done = np.empty(number, dtype=np.int64), 0
    for rows in blocks_of(len(code)):
        some: Ints | slice = slice(None)
        if number < len(code):
            some = np.flatnonzero((code[rows] >= low) & (code[rows] < high))
        bad = None if battles.both_bad is None else battles.both_bad[rows][some]
        made = _keys(
            n, battles.a[rows][some], battles.b[rows][some], battles.outcome[rows][some], code[rows][some], bad
        )
        key[done : done + len(made)] = made
        done += len(made)
    return key


def _keys(n: int, a: Codes, b: Codes, outcome: Floats, code: Codes, both_bad: Bools | None) -> Ints:
    said = (2 * outcome).astype(np.int8)
    np.subtract(2, said, out=said, where=a > b)
    if both_bad is not None:
        said[both_bad] = BOTH_BAD
    key = np.minimum(a, b).astype(np.int64)
    key *= n
    key += np.maximum(a, b)
    key |= (code.astype(np.int64) + 1) << _pair_bits(n)
    key <<= 2
    key |= said
    return key


def _cells_of_keys(key: Ints, bits: int, numbered: Numbered, only: str) -> Cells:
    """Cells from cluster, pair and outcome in one number a battle, sorted."""
    cell = key >> 2
    first = np.flatnonzero(np.append(np.ones(min(len(cell), 1), dtype=bool), cell[1:] != cell[:-1]))
    number = np.diff(first, append=len(cell))
    outcome = np.array([0.0, 0.5, 1.0, 0.5])[key & 3]
    won, square = (np.add.reduceat(one, first) if len(first) else one for one in (outcome, outcome**2))
    cell, weight = cell[first], number.astype(np.float64)
    pair = numbered.at(cell & ((1 << bits) - 1))
    return Cells(pair, ((cell >> bits) - 1,), number, weight, won, (weight, won, square), only=only, halves=True)
