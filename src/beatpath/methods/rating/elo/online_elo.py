"""Elo ratings that grow with the battles: a state to save, load and carry on from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Ints
from beatpath._errors import DataError, ReadError, UsageError
from beatpath._result import SCHEMA_VERSION
from beatpath._text import counted, quoted
from beatpath.evidence import Battles
from beatpath.evidence.conventions import convention
from beatpath.methods.rating.elo.elo_steps import rated
from beatpath.methods.rating.online_state import require_state, write_state

TYPE = "online_elo"


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


@dataclass(frozen=True, slots=True)
class OnlineElo:
    """Elo ratings after some battles, ready for more.

    Parameters
    ----------
    k : float
        How far one battle can move a rating; a battle of weight *w* moves it by up to *w* times as much.
    start : float
        The rating of an agent before its first battle.
    ratings : mapping of agent to float
    battles : int
        How many were rated.
    time : float, optional
        When the last one happened, where times are known.

    Examples
    --------
    >>> from beatpath import Battles
    >>> monday = OnlineElo(k=32).update(Battles.of([("ada", "bob", 1)]))
    >>> monday.ratings
    {'ada': 1016.0, 'bob': 984.0}
    >>> tuesday = OnlineElo.from_dict(monday.to_dict()).update(Battles.of([("cyd", "ada", 1)]))
    >>> {name: round(rating, 2) for name, rating in tuesday.ratings.items()}
    {'ada': 999.26, 'bob': 984.0, 'cyd': 1016.74}

    Notes
    -----
    Rating in parts gives what rating in one go gives, as long as each part is later than the one before.
    """

    k: float = 4.0
    start: float = 1000.0
    ratings: Mapping[str, float] = field(default_factory=dict)
    battles: int = 0
    time: float | None = None

    def __post_init__(self) -> None:
        if not _is_finite(self.k) or not self.k > 0:
            raise UsageError(f"`k` must be a number above 0; got {quoted(self.k)}. Usual values run from 4 to 40.")
        if not _is_finite(self.start):
            raise UsageError(f"`start` must be a finite number; got {quoted(self.start)}. 1000 and 1500 are usual.")

    def update(self, battles: Battles, *, ties: str = "half", both_bad: str = "tie") -> "OnlineElo":
        """Return the ratings after these battles too.

        Parameters
        ----------
        battles : Battles
            Later than those rated before, where both have times. Agents not seen before begin at `start`.
        ties : {"half", "drop"}
            Whether a tie is half a win or not rated.
        both_bad : {"tie", "drop"}
            Whether "both bad" is a tie or not rated.
        """
        return self.rate(battles, schedule(battles, ties=ties, both_bad=both_bad))

    def rate(self, battles: Battles, order: Schedule) -> "OnlineElo":
        """Return the ratings after these battles, in an order already made."""
        rows = order.rows
        time = None if order.untimed or not len(rows) else battles.time
        if time is not None and self.time is not None and time[rows[0]] <= self.time:
            raise DataError(
                f"battles must be later than those rated before, the last at {self.time:g}; got one at "
                f"{time[rows[0]]:g}. Rate all battles of one time together, or begin anew with all of them."
            )
        before = np.array([self.ratings.get(name, self.start) for name in battles.agents], dtype=np.float64)
        margin = 2 * battles.outcome[rows] - 1
        with np.errstate(over="ignore"):
            step = self.k / 2 if battles.weight is None else self.k / 2 * battles.weight[rows]
        after = rated(battles.a[rows], battles.b[rows], margin, step, order.group, before)
        if not np.isfinite(after).all():
            raise DataError("K times the weight of a battle must stay finite; it is not. Give smaller weights.")
        return OnlineElo(
            self.k,
            self.start,
            {**self.ratings, **dict(zip(battles.agents, after.tolist(), strict=True))},
            self.battles + len(rows),
            self.time if time is None else float(time[rows[-1]]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": TYPE,
            "k": self.k,
            "start": self.start,
            "battles": self.battles,
            "time": self.time,
            "ratings": dict(self.ratings),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a JSON file that `beatpath.load` reads."""
        write_state(path, self.to_dict())

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> "OnlineElo":
        """Return the state that `to_dict` gave."""
        saved = require_state(saved, TYPE, ("k", "start", "battles", "time", "ratings"))
        wrong = [name for name, rating in saved["ratings"].items() if not _is_finite(rating)]
        if wrong:
            raise ReadError(
                f"saved ratings must be finite numbers; that of {quoted(wrong[0])} is {quoted(saved['ratings'][wrong[0]])} "
                f"({counted(len(wrong), 'such rating')})."
            )
        return cls(saved["k"], saved["start"], dict(saved["ratings"]), saved["battles"], saved["time"])


def _is_finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
