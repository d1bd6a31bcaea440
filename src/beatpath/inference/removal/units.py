"""What may be removed, as kinds of units that are alike: what one of each adds to the counts, and how many there are."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._result import Record
from beatpath._text import quoted
from beatpath.evidence import Ballots, Battles, Pairs

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Source = Battles | Pairs | Ballots


@dataclass(frozen=True, slots=True)
class Removed(Record):
    """Some units that are alike: how many, and what they are.

    Attributes
    ----------
    count : int
        How many.
    agent, rival : str or None
        The two of a battle, the winner first.
    outcome : str or None
        "won", "tied", "both bad" or the share of a soft preference.
    level : str or None
        The judge, task or ballot, where that is what was removed or what tells battles apart.
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
    a, b : (p,) int
        The pairs that met, ``a < b``, in sorted order.
    wins, losses : (p,) float
        Their totals, ties settled.
    each_wins, each_losses : (u, p) sparse
        What one unit of a kind adds to the totals.
    many : (u,) int
    level : (u,) int
        Which of `levels` a kind belongs to; -1 for none.
    levels : tuple of str
    noun : str
        What one unit is called.
    total : int
        How many units there are, removable or not.
    left : function of a (u,) int
        The evidence without so many units of each kind.
    said : function of a kind and a count
        What these units are.
    """

    agents: tuple[str, ...]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    wins: Array
    losses: Array
    each_wins: csr_array
    each_losses: csr_array
    many: Counts
    level: NDArray[np.int32]
    levels: tuple[str, ...]
    noun: str
    total: int
    left: Callable[[Counts], Source]
    said: Callable[[int, int], Removed]

    def without(self, x: Counts) -> tuple[Array, Array]:
        """Return the totals without `x` units of each kind; what rounding leaves of a cell is nothing."""
        floor = 1e-9 * (self.wins + self.losses)
        wins, losses = self.wins - x @ self.each_wins, self.losses - x @ self.each_losses
        return np.where(wins > floor, wins, 0.0), np.where(losses > floor, losses, 0.0)

    def within(self, level: int) -> "Units":
        """Return the same units, of which only those of one level may be removed."""
        return replace(self, many=np.where(self.level == level, self.many, 0))
