"""Glicko-2 ratings that grow with the battles: a state to save, load and carry on from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import floor, isfinite, sqrt
from typing import ClassVar

import numpy as np

from beatpath._arrays import Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath.evidence import Battles
from beatpath.methods.rating.glicko2.glicko2_steps import Meeting, after_period, expected
from beatpath.methods.rating.online_state import OnlineRatings, is_finite
from beatpath.methods.rating.schedule import Schedule, last_time

POINT = 173.7178  # Glicko points of one unit of log odds, as Glickman rounds 400 / ln 10


@dataclass(frozen=True, slots=True)
class OnlineGlicko2(OnlineRatings):
    """Glicko-2 ratings after some battles, ready for more.

    Parameters
    ----------
    start, deviation, volatility : float
        Rating, its standard deviation and its volatility of an agent before its first battle.
    tau : float
        How fast volatilities may change; Glickman advises 0.3 to 1.2.
    period : float, optional
        The length of a rating period in units of time. Battles of one period are rated together, and whoever sits one out
        grows less certain. Without it every time is a period of its own, and nobody is taken to have sat one out.
    ratings, deviations, volatilities : mapping of agent to float
        After the last period in which the agent met anyone.
    periods : mapping of agent to int
        That period's number; none without `period`.
    battles : int
        How many were rated.
    time : float, optional
        When the last one happened, where times are known.

    Examples
    --------
    >>> from beatpath import Battles
    >>> monday = OnlineGlicko2().update(Battles.of([("ada", "bob", 1)]))
    >>> {name: (round(monday.ratings[name], 2), round(monday.deviations[name], 2)) for name in ("ada", "bob")}
    {'ada': (1662.31, 290.32), 'bob': (1337.69, 290.32)}
    >>> round(monday.predict("ada", "bob"), 3)
    0.757
    """

    TYPE: ClassVar = "online_glicko2"
    SETTINGS: ClassVar = ("start", "deviation", "volatility", "tau", "period")
    STATE: ClassVar = ("ratings", "deviations", "volatilities", "periods")

    start: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06
    tau: float = 0.5
    period: float | None = None
    ratings: Mapping[str, float] = field(default_factory=dict)
    deviations: Mapping[str, float] = field(default_factory=dict)
    volatilities: Mapping[str, float] = field(default_factory=dict)
    periods: Mapping[str, int] = field(default_factory=dict)
    battles: int = 0
    time: float | None = None

    def __post_init__(self) -> None:
        if not is_finite(self.start):
            raise UsageError(f"`start` must be a finite number; got {quoted(self.start)}. 1500 is usual.")
        for name in ("deviation", "volatility", "tau", "period"):
            value = getattr(self, name)
            if (name, value) != ("period", None) and not (is_finite(value) and value > 0):
                raise UsageError(f"`{name}` must be a number above 0; got {quoted(value)}.")

    def rate(self, battles: Battles, order: Schedule) -> "OnlineGlicko2":
        """Return the ratings after these battles, in an order already made."""
        last = last_time(self.time, battles, order)
        ratings, deviations, volatilities = dict(self.ratings), dict(self.deviations), dict(self.volatilities)
        periods, names = dict(self.periods), battles.agents
        for name in names:
            ratings.setdefault(name, self.start)
            deviations.setdefault(name, self.deviation)
            volatilities.setdefault(name, self.volatility)
        for number, rows in self._periods_of(battles, order):
            met = _meetings(battles, rows)
            before = {}
            for i in met:
                phi, sigma = deviations[names[i]] / POINT, volatilities[names[i]]
                idle = 0 if number is None else number - periods.get(names[i], number - 1) - 1
                before[i] = ratings[names[i]] / POINT, sqrt(phi * phi + idle * sigma * sigma), sigma
            for i, games in met.items():
                meetings: list[Meeting] = [(*before[j][:2], s, w) for j, s, w in games]
                mu, phi, sigma = after_period(*before[i], meetings, self.tau)
                ratings[names[i]], deviations[names[i]], volatilities[names[i]] = mu * POINT, phi * POINT, sigma
                if number is not None:
                    periods[names[i]] = number
        if not all(map(isfinite, ratings.values())):
            raise DataError("the weights of battles must leave ratings finite; they do not. Give smaller weights.")
        done = self.battles + len(order.rows)
        return OnlineGlicko2(
            self.start,
            self.deviation,
            self.volatility,
            self.tau,
            self.period,
            ratings,
            deviations,
            volatilities,
            periods,
            done,
            last,
        )

    def _periods_of(self, battles: Battles, order: Schedule) -> Iterable[tuple[int | None, Ints]]:
        """The periods in order: number, where they have a length, and rows."""
        rows = order.rows
        if self.period is None:
            group = np.arange(len(rows)) if order.group is None else order.group
        elif order.untimed:
            raise DataError(
                "`period` needs the time of every battle; some have none. Leave `period` out to rate by rows."
            )
        else:
            assert battles.time is not None
            group = np.floor(battles.time[rows] / self.period).astype(np.int64)
            if len(rows) and self.time is not None and group[0] <= floor(self.time / self.period):
                raise DataError(
                    f"battles must be of a later period than those rated before, the last at {self.time:g}; got one at "
                    f"{battles.time[rows[0]]:g}. Rate whole periods."
                )
        starts = np.flatnonzero(np.diff(group, prepend=group[:1] - 1))
        numbers = [None] * len(starts) if self.period is None else group[starts].tolist()
        return zip(numbers, np.split(rows, starts[1:]) if len(rows) else [], strict=True)

    def deviation_now(self, name: str) -> float:
        """Return how uncertain an agent's rating is at `time`, the periods counted that it has sat out since."""
        if name not in self.deviations:
            return self.deviation
        idle = 0
        if self.period is not None and self.time is not None and name in self.periods:
            idle = floor(self.time / self.period) - self.periods[name]
        return sqrt(self.deviations[name] ** 2 + idle * (POINT * self.volatilities[name]) ** 2)

    def predict(self, a: str, b: str) -> float:
        """Return the outcome expected for *a* against *b*, nearer to one half the less sure both ratings are.

        >>> OnlineGlicko2().predict("ada", "bob")
        0.5
        """
        gap = self.ratings.get(a, self.start) - self.ratings.get(b, self.start)
        return expected(gap / POINT, sqrt(self.deviation_now(a) ** 2 + self.deviation_now(b) ** 2) / POINT)


def _meetings(battles: Battles, rows: Ints) -> dict[int, list[tuple[int, float, float]]]:
    """Whom each agent met in a period: opponent, outcome and weight, in an order that the rows do not decide."""
    met: dict[int, list[tuple[int, float, float]]] = {}
    weight = [1.0] * len(rows) if battles.weight is None else battles.weight[rows].tolist()
    sides = battles.a[rows].tolist(), battles.b[rows].tolist(), battles.outcome[rows].tolist(), weight
    for i, j, s, w in sorted(zip(*sides, strict=True)):
        met.setdefault(i, []).append((j, s, w))
        met.setdefault(j, []).append((i, 1 - s, w))
    return met
