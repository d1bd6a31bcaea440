"""From evidence to what may be removed from it: battles of a kind, ballots, or all that a judge said.

Battles of the same pair, outcome and weight are alike, so a search runs over kinds and how many of each, not over rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted, suggestion
from beatpath.evidence import Ballots, Battles, Factor, Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.inference.removal.units import Array, Counts, Removed, Source, Units


def units_of(source: Source, unit: str, column: str | None, settling: Mapping[str, str]) -> Units:
    """Return what can be removed.

    Parameters
    ----------
    source : Battles, Pairs or Ballots
    unit : str
        "battle" or "ballot" for single ones, else a column whose levels go as a whole.
    column : str or None
        A column that tells single battles or ballots apart.
    settling : mapping
        The conventions `ties` and `both_bad`.
    """
    if unit == "battle" and isinstance(source, Battles):
        return _battle_units(source, column, settling)
    if unit == "battle" and isinstance(source, Pairs):
        return _pair_units(source, column, settling)
    if unit == "ballot" and isinstance(source, Ballots):
        return _ballot_units(source, column, settling)
    if unit in ("battle", "ballot"):
        raise UsageError(f"`unit` must be something these {source.kind} have; they have no single {unit}s.")
    return _whole_level_units(source, unit, settling)


def _battle_units(battles: Battles, column: str | None, settling: Mapping[str, str]) -> Units:
    """Kinds of battles: pair, outcome, weight and, where asked, a column."""
    n, turned = len(battles.agents), battles.a > battles.b
    low, high = np.minimum(battles.a, battles.b), np.maximum(battles.a, battles.b)
    score = np.where(turned, 1 - battles.outcome, battles.outcome)
    key = None if column is None else battles.factor(column)
    parts = [score, battles.both_bad, battles.weight, None if key is None else key.codes]
    code = low.astype(np.int64) * n + high
    for part in (p for p in parts if p is not None):
        distinct, place = np.unique(part, return_inverse=True)
        code = np.unique(code, return_inverse=True)[1] * len(distinct) + place
    _, first, kind = np.unique(code, return_index=True, return_inverse=True)
    weight = np.ones(len(first)) if battles.weight is None else battles.weight[first]
    bad = np.zeros(len(first), dtype=bool) if battles.both_bad is None else battles.both_bad[first]
    counts = _as_counts(score[first], bad) * weight[:, None]
    many = np.bincount(kind, minlength=len(first)).astype(np.int64)
    cells = Pairs(battles.agents, low[first], high[first], counts)

    def left(x: Counts) -> Battles:
        rows = np.flatnonzero(x[kind] > 0)
        rows = rows[np.argsort(kind[rows], kind="stable")]
        place = np.arange(len(rows)) - np.searchsorted(kind[rows], kind[rows])
        keep = np.ones(len(kind), dtype=bool)
        keep[rows[place < x[kind[rows]]]] = False
        return battles.take(keep)

    of = None if key is None else (key.codes[first], key.levels)
    said = _battle_words(cells, score[first], bad, of)
    told = {"noun": "battle", "total": len(battles), "left": left, "said": said}
    return _made(cells, np.arange(len(first)), many, settling, of, **told)


def _as_counts(score: Array, bad: NDArray[np.bool_]) -> Array:
    """One battle as wins, losses, ties and both bad."""
    counts = np.zeros((len(score), 4))
    tied = score == 0.5
    counts[:, WIN], counts[:, LOSS] = np.where(tied, 0, score), np.where(tied, 0, 1 - score)
    counts[tied & ~bad, TIE] = counts[bad, BOTH_BAD] = 1.0
    return counts


def _battle_words(
    cells: Pairs, score: Array, bad: NDArray[np.bool_], key: tuple[NDArray[np.int32], tuple[str, ...]] | None
) -> Callable[[int, int], Removed]:
    """How to say which battles were removed, the winner first."""

    def said(kind: int, count: int) -> Removed:
        s, two = float(score[kind]), (cells.agents[cells.a[kind]], cells.agents[cells.b[kind]])
        first, second = two if s >= 0.5 else two[::-1]
        how = "both bad" if bad[kind] else {1.0: "won", 0.5: "tied"}.get(max(s, 1 - s), f"split {max(s, 1 - s):.4g}")
        named = key is not None and key[0][kind] >= 0
        return Removed(count, first, second, how, key[1][key[0][kind]] if key is not None and named else None)

    return said


def _pair_units(pairs: Pairs, column: str | None, settling: Mapping[str, str]) -> Units:
    """Kinds of battles behind counts: one a cell and outcome."""
    pairs = pairs.by(*([] if column is None else [column]))
    if pairs.weighted or pairs.soft is not None or (pairs.counts != np.rint(pairs.counts)).any():
        raise DataError(
            "removing battles needs whole numbers of them; these pair counts hold weights or soft preferences. Give the "
            "battles themselves."
        )
    cell, outcome = np.nonzero(pairs.counts)
    many = pairs.counts[cell, outcome].astype(np.int64)
    cells = Pairs(pairs.agents, pairs.a[cell], pairs.b[cell], np.eye(4)[outcome])

    def left(x: Counts) -> Pairs:
        counts = pairs.counts.copy()
        counts[cell, outcome] -= x
        return replace(pairs, counts=counts, battles=np.rint(counts.sum(axis=1)).astype(np.int64))

    of = None if column is None else (pairs.keys[column].codes[cell], pairs.keys[column].levels)
    said = _battle_words(cells, np.array([1.0, 0.0, 0.5, 0.5])[outcome], outcome == BOTH_BAD, of)
    told = {"noun": "battle", "total": int(pairs.battles.sum()), "left": left, "said": said}
    return _made(cells, np.arange(len(cell)), many, settling, of, **told)


def _ballot_units(ballots: Ballots, column: str | None, settling: Mapping[str, str]) -> Units:
    """Distinct ballots, each as often as it was cast; a ballot that compares nobody is no use."""
    key = None if column is None else _factor_named(ballots.factors, column)
    cells = replace(ballots, count=np.minimum(ballots.count, 1), factors={}).pairs(by=["ballot"])
    place = np.array([int(name) - 1 for name in cells.keys["ballot"].levels], dtype=np.int64)
    kind = cells.keys["ballot"].codes

    def left(x: Counts) -> Ballots:
        count = ballots.count.copy()
        count[place] -= x
        return ballots.take(count > 0, count=count[count > 0])

    names = next((ballots.factors[name] for name in ("ballot", "task", "voter") if name in ballots.factors), None)

    def said(one: int, count: int) -> Removed:
        row = int(place[one])
        known = names is not None and names.codes[row] >= 0
        return Removed(count, level=names.levels[names.codes[row]] if known and names else f"ballot {row + 1:,}")

    of = None if key is None else (key.codes[place], key.levels)
    told = {"noun": "ballot", "total": int(ballots.count.sum()), "left": left, "said": said}
    return _made(cells, kind, ballots.count[place], settling, of, **told)


def without_levels(source: Source, column: str, gone: NDArray[np.bool_]) -> Source:
    """Return the evidence without the marked levels of a column; rows without a name stay.

    >>> rows = [("x", "y", 1), ("x", "y", 0), ("x", "y", 0)]
    >>> told = Battles.of(rows, factors={"judge": Factor.of(["ann", "bea", None])})
    >>> without_levels(told, "judge", np.array([True, False])).outcome
    array([0., 0.])
    """
    keep = ~np.append(gone, False)
    if isinstance(source, Battles):
        return source.take(keep[source.factor(column).codes])
    if isinstance(source, Ballots):
        return source.take(keep[_factor_named(source.factors, column).codes])
    cells = source.by(column)
    return cells.take(keep[cells.keys[column].codes]).by()


def _levels(source: Source, column: str) -> tuple[str, ...]:
    """The names in a column, in the order of their codes."""
    if isinstance(source, Battles):
        return source.factor(column).levels
    if isinstance(source, Ballots):
        return _factor_named(source.factors, column).levels
    return source.by(column).keys[column].levels


def _whole_level_units(source: Source, column: str, settling: Mapping[str, str]) -> Units:
    """Whole judges, tasks, clusters: all that bears one name in a column; what bears none stays."""
    if isinstance(source, Ballots):
        _factor_named(source.factors, column)
    cells = source.by(column) if isinstance(source, Pairs) else source.pairs([column])
    key = cells.keys[column]
    n = len(key.levels)
    if not n:
        raise DataError(f"removing whole levels of {quoted(column)} needs names in that column; there are none.")

    gone_from = dict.fromkeys(_levels(source, column), False)  # names on ballots that compare nobody are here alone

    def left(x: Counts) -> Source:
        gone = gone_from | {key.levels[one]: True for one in np.flatnonzero(x[:n] > 0).tolist()}
        return without_levels(source, column, np.fromiter(gone.values(), dtype=bool))

    def said(one: int, count: int) -> Removed:
        return Removed(count, level=key.levels[one])

    nameless = np.append(np.zeros(n, dtype=bool), True)
    kind = np.where(key.codes < 0, n, key.codes)
    made = _made(cells, kind, np.ones(n + 1, dtype=np.int64), settling, noun=column, total=n, left=left, said=said)
    return replace(made, many=np.where(nameless, 0, made.many))


def _factor_named(factors: Mapping[str, Factor], column: str) -> Factor:
    if column not in factors:
        raise UsageError(
            f"{quoted(column)} must be a column these ballots have ({', '.join(factors) or 'they have none'})."
            f"{suggestion(column, factors)}"
        )
    return factors[column]


def _made(
    cells: Pairs,
    kind: NDArray[np.integer],
    many: Counts,
    settling: Mapping[str, str],
    key: tuple[NDArray[np.int32], tuple[str, ...]] | None = None,
    **said: Any,
) -> Units:
    """Units from cells, each of which belongs to one kind; `key` holds the level of every kind, and the levels."""
    settled = _two_way(cells, settling)
    n = len(settled.agents)
    distinct, pair = np.unique(settled.a.astype(np.int64) * n + settled.b, return_inverse=True)
    shape = (len(many), len(distinct))
    each_wins, each_losses = (csr_array((settled.counts[:, k], (kind, pair)), shape=shape) for k in (WIN, LOSS))
    level, levels = (np.full(len(many), -1, dtype=np.int32), ()) if key is None else key
    a, b = (distinct // n).astype(np.int32), (distinct % n).astype(np.int32)
    totals = {"wins": many @ each_wins, "losses": many @ each_losses}
    each = {"each_wins": each_wins, "each_losses": each_losses, "many": many}
    return Units(settled.agents, a, b, **totals, **each, level=level, levels=levels, **said)


def _two_way(cells: Pairs, settling: Mapping[str, str]) -> Pairs:
    """Wins and losses of every cell by itself."""
    if settling.get("ties", "half") == "keep":
        raise UsageError("`ties` must be half or drop where wins and losses say everything; got 'keep'.")
    both_bad = settling.get("both_bad", "tie")
    return cells.settle(ties=settling.get("ties", "half"), both_bad="drop" if both_bad == "keep" else both_bad)
