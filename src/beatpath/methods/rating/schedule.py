"""The order in which online ratings take battles, and what a reader must know of it."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Ints
from beatpath._errors import DataError
from beatpath._text import counted, listed
from beatpath.evidence import Battles
from beatpath.evidence.conventions import convention


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Battles in the order in which they are rated.

    Attributes
    ----------
    rows : (t,) int
        The battles that are rated, in order.
    group : (t,) int or None
        Which of them happened at one time; None when each stands alone.
    untimed : int
        How many have no time: when any has none, the order is that of the rows.
    """

    rows: Ints
    group: Ints | None
    untimed: int


def schedule(battles: Battles, *, ties: str = "half", both_bad: str = "tie") -> Schedule:
    """Put battles in the order of time, or of the rows where any time is unknown; leave out what the policies drop.

    Examples
    --------
    >>> battles = Battles.of([("x", "y", 1), ("y", "z", 1), ("x", "z", 1)], time=[2, 1, 2])
    >>> found = schedule(battles)
    >>> found.rows, found.group
    (array([1, 0, 2]), array([0, 1, 1]))
    """
    rows = np.flatnonzero(_kept(battles, ties, both_bad))
    time = None if battles.time is None else battles.time[rows]
    untimed = len(rows) if time is None else int(np.isnan(time).sum())
    if time is None or untimed:
        return Schedule(rows, None, untimed)
    if (np.diff(time) < 0).any():
        order = np.argsort(time, kind="stable")
        rows, time = rows[order], time[order]
    later = np.diff(time) > 0
    group = None if later.all() else np.concatenate([[0], np.cumsum(later)])
    return Schedule(rows, group, 0)


def _kept(battles: Battles, ties: str, both_bad: str) -> Bools:
    """Which battles are rated: all but those that a policy drops."""
    convention("ties", ties)
    convention("both_bad", both_bad)
    bad = np.zeros(len(battles), dtype=bool) if battles.both_bad is None else battles.both_bad
    kept = np.ones(len(battles), dtype=bool)
    if both_bad != "tie":
        kept &= ~bad
    if ties == "drop":
        kept &= battles.outcome != 0.5
    return kept


def last_time(before: float | None, battles: Battles, order: Schedule) -> float | None:
    """Return when the last of these battles happened; raise unless all are later than those rated before.

    >>> battles = Battles.of([("x", "y", 1)], time=[2])
    >>> last_time(1.0, battles, schedule(battles))
    2.0
    """
    if order.untimed or not len(order.rows) or battles.time is None:
        return before
    first, last = (float(battles.time[order.rows[i]]) for i in (0, -1))
    if before is not None and first <= before:
        raise DataError(
            f"battles must be later than those rated before, the last at {before:g}; got one at "
            f"{first:g}. Rate all battles of one time together, or begin anew with all of them."
        )
    return last


def order_said(order: Schedule) -> list[str]:
    """Why the order is that of the rows, where it is."""
    if not order.untimed:
        return []
    if order.untimed == len(order.rows):
        return ["rated in the order of the rows: the battles have no times"]
    return [f"rated in the order of the rows: {counted(order.untimed, 'battle')} without a time"]


def idle_said(battles: Battles, order: Schedule) -> list[str]:
    """Which agents were never rated."""
    met = np.zeros(len(battles.agents), dtype=bool)
    met[battles.a[order.rows]] = met[battles.b[order.rows]] = True
    idle = [battles.agents[i] for i in np.flatnonzero(~met)]
    return [f"no battle moved {listed(idle, 3)}: start rating kept"] if idle else []
