"""Cells: the battles of one pair in one cluster, added up; from counts, or from battles by sorting.

A battle's cluster, pair and outcome fit into one whole number. Sorted, these numbers are the cells one after another, without
places to remember: a tenth of what sorting battles by cluster and pair takes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints
from beatpath.evidence import Battles, Pairs
from beatpath.evidence.pairs import WIN

LOOKED_UP = 1 << 26  # possible pairs whose places are kept in a table
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
    """

    pair: NDArray[np.int32]
    codes: tuple[NDArray[np.integer], ...]
    battles: Ints
    weight: Floats
    won: Floats
    squares: tuple[Floats, Floats, Floats]
    weighted: bool = False
    only: str = ""


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


def cells_of_battles(
    battles: Battles, name: str, rows: NDArray[np.int64] | slice, numbered: Numbered, ties: str, both_bad: str
) -> Cells | None:
    """Return some battles as cells, clusters in the order of their codes; None where this needs more than unit weights and halves.

    >>> from beatpath import Factor
    >>> told = Battles.of([("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5)], factors={"cluster": Factor.of("qqp")})
    >>> found = cells_of_battles(told, "cluster", slice(None), Numbered.of(told.pairs()), "half", "tie")
    >>> found.codes[0], found.weight, found.won
    (array([0, 1]), array([1., 2.]), array([0.5, 2. ]))
    """
    cluster = battles.factors[name]
    bits = int(numbered.n**2 - 1).bit_length()
    if battles.weight is not None or (ties, both_bad) != ("half", "tie") or len(cluster.levels) >> (60 - bits):
        return None
    a, b, twice = battles.a[rows], battles.b[rows], 2 * battles.outcome[rows]
    said = twice.astype(np.int8)
    if not (said == twice).all():
        return None
    np.subtract(2, said, out=said, where=a > b)
    if battles.both_bad is not None:
        said[battles.both_bad[rows]] = BOTH_BAD
    key = np.minimum(a, b).astype(np.int64)
    key *= numbered.n
    key += np.maximum(a, b)
    key |= (cluster.codes[rows].astype(np.int64) + 1) << bits
    key <<= 2
    key |= said
    return _cells_of_keys(key, bits, numbered, cluster.levels[0] if len(cluster.levels) == 1 else "")


def _cells_of_keys(key: Ints, bits: int, numbered: Numbered, only: str) -> Cells:
    """Cells from cluster, pair and outcome in one number a battle, which are sorted in place."""
    key.sort()
    cell = key >> 2
    first = np.flatnonzero(np.append(np.ones(min(len(cell), 1), dtype=bool), cell[1:] != cell[:-1]))
    number = np.diff(first, append=len(cell))
    outcome = np.array([0.0, 0.5, 1.0, 0.5])[key & 3]
    won, square = (np.add.reduceat(one, first) if len(first) else one for one in (outcome, outcome**2))
    cell, weight = cell[first], number.astype(np.float64)
    pair = numbered.at(cell & ((1 << bits) - 1))
    return Cells(pair, ((cell >> bits) - 1,), number, weight, won, (weight, won, square), only=only)
