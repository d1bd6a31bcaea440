"""Removable units grouped by kind: what one of each adds to the counts, and how many there are.

Battles of the same pair, outcome and weight are equal, so a search runs over kinds and numbers of each, not over rows.
A unit is a battle, a ballot, or everything with one level in a column, such as all votes of a judge.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._result import Record
from beatpath._text import quoted
from beatpath.evidence import Ballots, Battles, Factor, Pairs
from beatpath.evidence.pair_index import PairIndex
from beatpath.evidence.pairs import BOTH_BAD, LOSS, WIN
from beatpath.inference.battle_kinds import battle_kinds
from beatpath.stats.smallest import first_units

Counts = Ints  # (u,): how many units of each kind
Source = Battles | Pairs | Ballots
_AT_ONCE = 1 << 20  # comparisons of ballots held in memory at a time


@dataclass(frozen=True, slots=True)
class Removed(Record):
    """Some equal units: how many, and what they are.

    Attributes
    ----------
    count : int
        How many.
    agent, rival : str or None
        The agents of a battle, the winner first.
    outcome : str or None
        "won", "tied", "both bad" or the share of a soft preference.
    level : str or None
        The judge, task or ballot, where that was removed or distinguishes battles.
    """

    count: int
    agent: str | None = None
    rival: str | None = None
    outcome: str | None = None
    level: str | None = None

    def __str__(self) -> str:
        if self.agent is None:
            times = f" ({self.count:,} times)" if self.count > 1 else ""
            return f"{quoted(self.level)}{times}"
        how = f"that {quoted(self.agent)} won against {quoted(self.rival)}"
        if self.outcome != "won":
            how = f"{self.outcome} between {quoted(self.agent)} and {quoted(self.rival)}"
        return f"{self.count:,} {how}"


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Everything that can be removed, each of *u* kinds at most `many` times.

    Parameters
    ----------
    agents : tuple of str
        Names.
    a, b : (p,) int
        The pairs compared directly, ``a < b``, in sorted order.
    wins, losses : (p,) float
        Their totals, ties settled.
    each_wins, each_losses : (u, p) sparse
        What one unit of a kind adds to the totals.
    many : (u,) int
        Number of units of each kind.
    level : (u,) int
        Which of `levels` a kind belongs to; -1 for none.
    levels : tuple of str
        Names of the levels.
    noun : str
        What one unit is called.
    total : int
        Number of units, removable or not.
    named : function of a kind and a count
        Describes these units.
    """

    agents: tuple[str, ...]
    a: Codes
    b: Codes
    wins: Floats
    losses: Floats
    each_wins: csr_array
    each_losses: csr_array
    many: Counts
    level: Codes
    levels: tuple[str, ...]
    noun: str
    total: int
    named: "Named"

    def left(self, x: Counts) -> Pairs:
        """Return the pair counts without `x` units of each kind."""
        wins, losses = self.without(x)
        counts = np.stack([wins, losses, np.zeros_like(wins), np.zeros_like(wins)], axis=1)
        return Pairs(self.agents, self.a, self.b, counts).take(wins + losses > 0)

    def without(self, x: Counts) -> tuple[Floats, Floats]:
        """Return the totals without `x` units of each kind; rounding residue is set to zero."""
        floor = 1e-9 * (self.wins + self.losses)
        wins, losses = self.wins - x @ self.each_wins, self.losses - x @ self.each_losses
        return np.where(wins > floor, wins, 0.0), np.where(losses > floor, losses, 0.0)

    def first(self, order: Ints, number: int) -> Counts:
        """Return the first `number` units of an order of kinds, as counts by kind.

        >>> from beatpath import Pairs
        >>> units_of(Pairs(("ada", "bob"), [0], [1], [[7, 3, 0, 0]])).first(np.array([1, 0]), 5)
        array([2, 3])
        """
        x = np.zeros_like(self.many)
        x[order] = first_units(self.many[order], number)
        return x

    @property
    def weight(self) -> Floats:
        """Weight of one unit of each kind: its total contribution, (u,)."""
        return np.asarray(self.each_wins.sum(axis=1) + self.each_losses.sum(axis=1)).ravel()

    @property
    def one_pair_each(self) -> bool:
        """Whether every unit affects at most one pair."""
        return bool(np.diff((self.each_wins + self.each_losses).tocsr().indptr).max(initial=0) <= 1)

    def within(self, level: int) -> "Units":
        """Return the same units, with only those of one level removable."""
        return replace(self, many=np.where(self.level == level, self.many, 0))


Named = Callable[[int, int], Removed]  # describes some units of a kind
# The kind, the two agents, and the wins and losses that one unit of the kind adds, by cell.
Cells = tuple[NDArray[np.integer], Codes, Codes, Floats, Floats]
# The cells; how many units of each kind; how many in all; their levels; their names.
Kinds = tuple[Iterable[Cells], Counts, int, Factor, Named]


def units_of(
    source: Source, unit: str = "battle", column: str | None = None, *, ties: str = "half", both_bad: str = "tie"
) -> Units:
    """Return what can be removed.

    Parameters
    ----------
    source : Battles, Pairs or Ballots
        The data.
    unit : str, default "battle"
        "battle" or "ballot" for single ones, or a column whose levels are removed as a whole.
    column : str or None
        A column that distinguishes single battles or ballots.
    ties, both_bad : str
        What such battles count as; see `Conventions`.
    """
    if ties == "keep":
        raise UsageError("`ties` must be half or drop where wins and losses say everything; got 'keep'.")
    settling = {"ties": ties, "both_bad": "drop" if both_bad == "keep" else both_bad}
    if unit == "battle" and isinstance(source, Battles):
        kinds = _battle_kinds(source, column, settling)
    elif unit == "battle" and isinstance(source, Pairs):
        kinds = _pair_kinds(source, column, settling)
    elif unit == "ballot" and isinstance(source, Ballots):
        kinds = _ballot_kinds(source, column, ties)
    elif unit in ("battle", "ballot"):
        raise UsageError(f"`unit` must be something these {source.kind} have; they have no single {unit}s.")
    else:
        kinds = _whole_levels(source, unit, settling)
    cells, many, total, level, named = kinds
    pair_index = PairIndex.of((source if isinstance(source, Pairs) else source.pairs()).by().settle(**settling))
    pieces: tuple[list[list[Any]], list[list[Any]]] = [], []
    for kind, a, b, *outcomes in cells:
        pair = pair_index.at(a.astype(np.int64) * pair_index.n + b)
        for piece, value in zip(pieces, outcomes, strict=True):
            some = np.flatnonzero(value)
            piece.append([value[some], kind[some].astype(np.int32), pair[some]])
    shape = (len(many), len(pair_index.code))
    each_wins, each_losses = (_joined(piece, shape) for piece in pieces)
    return Units(
        source.agents,
        (pair_index.code // pair_index.n).astype(np.int32),
        (pair_index.code % pair_index.n).astype(np.int32),
        many @ each_wins,
        many @ each_losses,
        each_wins,
        each_losses,
        many if unit in ("battle", "ballot") else np.append(many[:-1], 0),  # rows without a level stay
        level.codes,
        level.levels,
        unit,
        total,
        named,
    )


def _joined(pieces: list[list[Any]], shape: tuple[int, int]) -> csr_array:
    """Return kinds by pairs from entries, their kinds and their pairs; pieces are freed as they are joined."""
    if not pieces:
        return csr_array(shape, dtype=np.float64)
    pair, kind, value = (np.concatenate([piece.pop() for piece in pieces]) for _ in range(3))
    return csr_array((value, (kind, pair)), shape=shape)


def _settled(cells: Pairs, kind: NDArray[np.integer], settling: Mapping[str, str]) -> list[Cells]:
    """Return cells of pairs with ties settled."""
    settled = cells.settle(**settling)
    return [(kind, settled.a, settled.b, settled.counts[:, WIN], settled.counts[:, LOSS])]


def _compared(ballots: Ballots, kind: Codes, ties: str) -> Iterator[Cells]:
    """Yield the comparisons of some ballots at a time, with the kind of each ballot."""
    ballots.require_lists()
    voters = ballots.total
    for ballot, a, b, sign in ballots.compared(_AT_ONCE):
        total, half = voters[ballot], (sign == 0) * (0.5 if ties == "half" else 0.0)
        yield kind[ballot], a, b, total * ((sign > 0) + half), total * ((sign < 0) + half)


def _battle_kinds(battles: Battles, column: str | None, settling: Mapping[str, str]) -> Kinds:
    """Group battles by pair, outcome, weight and, on request, a column."""
    kinds = battle_kinds(battles, column)
    cells = Pairs(battles.agents, kinds.a, kinds.b, kinds.counts)
    level = _level(None if column is None else battles.factor(column), kinds.first)
    named = _battle_names(cells, kinds.score, kinds.both_bad, level)
    return _settled(cells, np.arange(len(kinds.first)), settling), kinds.number, len(battles), level, named


def _level(factor: Factor | None, rows: NDArray[np.integer]) -> Factor:
    """Return the levels of some rows; those of no column have none."""
    return Factor(np.full(len(rows), -1), ()) if factor is None else Factor(factor.codes[rows], factor.levels)


def _battle_names(cells: Pairs, score: Floats, bad: Bools, level: Factor) -> Named:
    """Return a function that describes removed battles, the winner first."""

    def named(kind: int, count: int) -> Removed:
        s, two = float(score[kind]), (cells.agents[cells.a[kind]], cells.agents[cells.b[kind]])
        first, second = two if s >= 0.5 else two[::-1]
        how = "both bad" if bad[kind] else {1.0: "won", 0.5: "tied"}.get(max(s, 1 - s), f"split {max(s, 1 - s):.4g}")
        where = None if level.codes[kind] < 0 else level.levels[level.codes[kind]]
        return Removed(count, first, second, how, where)

    return named


def _pair_kinds(pairs: Pairs, column: str | None, settling: Mapping[str, str]) -> Kinds:
    """Group the battles behind counts: one kind per cell and outcome."""
    pairs = pairs.by(*([] if column is None else [column]))
    if pairs.weighted or pairs.soft is not None or (pairs.counts != np.rint(pairs.counts)).any():
        raise DataError(
            "removing battles needs whole numbers of them; these pair counts hold weights or soft preferences. Give the "
            "battles themselves."
        )
    cell, outcome = np.nonzero(pairs.counts)
    many = pairs.counts[cell, outcome].astype(np.int64)
    cells = Pairs(pairs.agents, pairs.a[cell], pairs.b[cell], np.eye(4)[outcome])
    level = _level(None if column is None else pairs.keys[column], cell)
    named = _battle_names(cells, np.array([1.0, 0.0, 0.5, 0.5])[outcome], outcome == BOTH_BAD, level)
    return _settled(cells, np.arange(len(cell)), settling), many, int(pairs.battles.sum()), level, named


def _ballot_kinds(ballots: Ballots, column: str | None, ties: str) -> Kinds:
    """Group distinct ballots; ballots that compare nobody are skipped."""
    place = np.flatnonzero((np.diff(ballots.start) > 1) & (ballots.count > 0))
    one = replace(ballots.take(place), count=np.ones(len(place), dtype=np.int64))
    level = _level(None if column is None else ballots.factor(column), place)
    names = next((ballots.factors[name] for name in ("ballot", "task", "voter") if name in ballots.factors), None)

    def named(kind: int, count: int) -> Removed:
        row = int(place[kind])
        if names is None or names.codes[row] < 0:
            return Removed(count, level=f"ballot {row + 1:,}")
        return Removed(count, level=names.levels[names.codes[row]])

    cells = _compared(one, np.arange(len(place), dtype=np.int32), ties)
    return cells, ballots.count[place], int(ballots.count.sum()), level, named


def _whole_levels(source: Source, column: str, settling: Mapping[str, str]) -> Kinds:
    """Group by level of a column (judge, task, cluster); rows without a level stay."""
    if isinstance(source, Ballots):
        key = source.factor(column)
    else:
        pairs = source.by(column) if isinstance(source, Pairs) else source.pairs([column])
        key = pairs.keys[column]
    n = len(key.levels)
    if not n:
        raise DataError(f"removing whole levels of {quoted(column)} needs names in that column; there are none.")

    def named(one: int, count: int) -> Removed:
        return Removed(count, level=key.levels[one])

    kind = np.where(key.codes < 0, n, key.codes)  # rows without a level are the last kind
    cells = (
        _compared(source, kind, settling["ties"]) if isinstance(source, Ballots) else _settled(pairs, kind, settling)
    )
    return cells, np.ones(n + 1, dtype=np.int64), n, _level(None, np.arange(n + 1)), named
