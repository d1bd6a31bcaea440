"""Battles grouped by pair, outcome and weight, for code that resamples or removes battles one by one."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Codes, Floats, Ints
from beatpath.evidence import Battles
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.stats.codes import first_rows, joint


@dataclass(frozen=True, slots=True, eq=False)
class BattleKinds:
    """Distinct kinds of battles: same pair, outcome and weight.

    Attributes
    ----------
    first : (k,) int
        Index of the first battle of each kind.
    kind : (t,) int
        The kind of every battle.
    a, b : (k,) int
        The pair, ``a < b``.
    score : (k,) float
        The outcome for *a*.
    both_bad : (k,) bool
        Whether both answers were bad.
    counts : (k, 4) float
        What one battle adds to wins, losses, ties and both bad.
    """

    first: Ints
    kind: Ints
    a: Codes
    b: Codes
    score: Floats
    both_bad: Bools
    counts: Floats

    @property
    def number(self) -> Ints:
        """Number of battles of each kind."""
        return np.bincount(self.kind, minlength=len(self.first)).astype(np.int64)


def battle_kinds(battles: Battles, column: str | None = None) -> BattleKinds:
    """Return the kinds of battles, sorted by pair, outcome, both bad, weight and, on request, a column.

    >>> kinds = battle_kinds(Battles.of([("ada", "bob", 1), ("bob", "ada", 0), ("ada", "bob", 0.5)]))
    >>> kinds.counts, kinds.number
    (array([[0., 0., 1., 0.],
           [1., 0., 0., 0.]]), array([1, 2]))
    """
    a, b = np.minimum(battles.a, battles.b), np.maximum(battles.a, battles.b)
    score = np.where(battles.a > battles.b, 1 - battles.outcome, battles.outcome)
    key = None if column is None else battles.factor(column).codes
    parts = (one for one in (score, battles.both_bad, battles.weight, key) if one is not None)
    kind, size = joint([a, b, *parts])
    first = first_rows(kind, size)
    score = score[first]
    bad = np.zeros(len(first), dtype=bool) if battles.both_bad is None else battles.both_bad[first]
    tied, counts = score == 0.5, np.zeros((len(first), 4))
    counts[:, WIN], counts[:, LOSS] = np.where(tied, 0, score), np.where(tied, 0, 1 - score)
    counts[tied & ~bad, TIE] = counts[bad, BOTH_BAD] = 1.0
    weight = np.ones(len(first)) if battles.weight is None else battles.weight[first]
    return BattleKinds(first, kind, a[first], b[first], score, bad, counts * weight[:, None])
