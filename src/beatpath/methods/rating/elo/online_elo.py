"""Elo ratings that grow with the battles: a state to save, load and carry on from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import tanh
from typing import ClassVar

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath.evidence import Battles
from beatpath.methods.rating.elo.elo_steps import HALF, rated
from beatpath.methods.rating.online_state import OnlineRatings, is_finite
from beatpath.methods.rating.schedule import Schedule, last_time


@dataclass(frozen=True, slots=True)
class OnlineElo(OnlineRatings):
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

    TYPE: ClassVar = "online_elo"
    SETTINGS: ClassVar = ("k", "start")
    STATE: ClassVar = ("ratings",)

    k: float = 4.0
    start: float = 1000.0
    ratings: Mapping[str, float] = field(default_factory=dict)
    battles: int = 0
    time: float | None = None

    def __post_init__(self) -> None:
        if not is_finite(self.k) or not self.k > 0:
            raise UsageError(f"`k` must be a number above 0; got {quoted(self.k)}. Usual values run from 4 to 40.")
        if not is_finite(self.start):
            raise UsageError(f"`start` must be a finite number; got {quoted(self.start)}. 1000 and 1500 are usual.")

    def rate(self, battles: Battles, order: Schedule) -> "OnlineElo":
        """Return the ratings after these battles, in an order already made."""
        rows = order.rows
        last = last_time(self.time, battles, order)
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
            last,
        )

    def predict(self, a: str, b: str) -> float:
        """Return the outcome that the ratings expect for *a* against *b*; an agent not seen before stands at `start`.

        >>> round(OnlineElo(ratings={"ada": 1200, "bob": 1000}).predict("ada", "bob"), 4)
        0.7597
        """
        gap = self.ratings.get(a, self.start) - self.ratings.get(b, self.start)
        return (1 + tanh(gap * HALF)) / 2
