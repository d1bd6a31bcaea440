"""Verdicts on the same unit by several judges."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints
from beatpath.stats.codes import dense, joint


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """One row a judge and unit: the verdict is 0 for the pair's first agent by name, 1 for the second, 2 for a tie."""

    judge: Ints
    unit: Ints
    value: Ints

    @property
    def n_units(self) -> int:
        """How many units there are."""
        return int(self.unit.max(initial=-1)) + 1

    def counts(self) -> Ints:
        """Return how many judges gave each unit each verdict, shape (units, 3)."""
        return np.bincount(self.unit * 3 + self.value, minlength=3 * self.n_units).reshape(self.n_units, 3)

    def mirrored(self) -> "Verdicts":
        """Return every unit twice, the second time with the pair turned round: which agent comes first means nothing."""
        turned = np.array([1, 0, 2])[self.value]
        return Verdicts(
            np.concatenate([self.judge, self.judge]),
            np.concatenate([self.unit, self.unit + self.n_units]),
            np.concatenate([self.value, turned]),
        )


def shared_verdicts(
    judge: NDArray[np.integer],
    a: NDArray[np.integer],
    b: NDArray[np.integer],
    outcome: Floats,
    keys: Sequence[NDArray[np.integer]],
) -> Verdicts:
    """Return the verdicts on units, pairs with the same keys, that two judges or more judged.

    A judge that judged a unit several times, perhaps in both orders, gives the verdict its outcomes lean to on
    average; where they balance, a tie. Codes below zero are missing, and so is the row.

    >>> codes = np.array([[0, 1, 1], [0, 1, 0], [1, 0, 1]])
    >>> shared_verdicts(*codes, np.array([1.0, 0.0, 1.0]), [np.array([0, 0, 1])]).counts()
    array([[2, 0, 0]])
    """
    known = np.all([key >= 0 for key in (judge, *keys)], axis=0)
    a, b, s, who = a[known], b[known], outcome[known], judge[known].astype(np.int64)
    unit, n_units = joint([np.minimum(a, b), np.maximum(a, b), *(key[known] for key in keys)])
    code, n = dense(unit * (int(who.max(initial=-1)) + 1) + who)
    row = np.zeros(n, dtype=np.int64)
    row[code] = np.arange(len(code))
    lean = np.bincount(code, np.where(a < b, s, 1 - s) - 0.5, minlength=n).round(9)
    shared = np.bincount(unit[row], minlength=n_units)[unit[row]] > 1
    value = np.select([lean > 0, lean < 0], [0, 1], 2)
    return Verdicts(who[row][shared], dense(unit[row][shared])[0], value[shared])
