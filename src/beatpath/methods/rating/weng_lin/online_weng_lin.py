"""Ratings of Weng and Lin that grow with the battles: a state to save, load and carry on from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, sqrt, tanh
from typing import ClassVar

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath.evidence import Battles
from beatpath.methods.rating.online_state import OnlineRatings, is_finite
from beatpath.methods.rating.schedule import Schedule, last_time

KAPPA = 1e-4  # a battle leaves at least this share of a variance


@dataclass(frozen=True, slots=True)
class OnlineWengLin(OnlineRatings):
    r"""Bayesian ratings of Weng and Lin under Bradley-Terry after some battles, ready for more.

    Parameters
    ----------
    start, deviation : float
        Rating and its standard deviation of an agent before its first battle.
    beta : float
        Half the scale of a battle's own chance, as in TrueSkill: where both ratings are certain, a gap of
        :math:`\sqrt2\,\beta` makes odds of *e* to 1.
    tau : float
        What is added, squared, to a variance before each time an agent meets anyone: how fast agents may change.
    ratings, deviations : mapping of agent to float
    battles : int
        How many were rated.
    time : float, optional
        When the last one happened, where times are known.

    Examples
    --------
    >>> from beatpath import Battles
    >>> monday = OnlineWengLin().update(Battles.of([("ada", "bob", 1)]))
    >>> {name: (round(monday.ratings[name], 3), round(monday.deviations[name], 3)) for name in ("ada", "bob")}
    {'ada': (27.635, 8.066), 'bob': (22.365, 8.066)}
    >>> round(monday.predict("ada", "bob"), 3)
    0.601
    """

    TYPE: ClassVar = "online_weng_lin"
    SETTINGS: ClassVar = ("start", "deviation", "beta", "tau")
    STATE: ClassVar = ("ratings", "deviations")

    start: float = 25.0
    deviation: float = 25 / 3
    beta: float = 25 / 6
    tau: float = 25 / 300
    ratings: Mapping[str, float] = field(default_factory=dict)
    deviations: Mapping[str, float] = field(default_factory=dict)
    battles: int = 0
    time: float | None = None

    def __post_init__(self) -> None:
        if not is_finite(self.start):
            raise UsageError(f"`start` must be a finite number; got {quoted(self.start)}. 25 is usual.")
        for name in ("deviation", "beta"):
            if not (is_finite(getattr(self, name)) and getattr(self, name) > 0):
                raise UsageError(f"`{name}` must be a number above 0; got {quoted(getattr(self, name))}.")
        if not (is_finite(self.tau) and self.tau >= 0):
            raise UsageError(f"`tau` must be a number, 0 or more; got {quoted(self.tau)}.")

    def rate(self, battles: Battles, order: Schedule) -> "OnlineWengLin":
        """Return the ratings after these battles, in an order already made."""
        last = last_time(self.time, battles, order)
        rows, names = order.rows, battles.agents
        mu = [self.ratings.get(name, self.start) for name in names]
        variance = [self.deviations.get(name, self.deviation) ** 2 for name in names]
        group = np.arange(len(rows)) if order.group is None else order.group
        weight = np.ones(len(rows)) if battles.weight is None else battles.weight[rows]
        tidy = np.lexsort((weight, battles.outcome[rows], battles.b[rows], battles.a[rows], group))
        columns = [
            values[tidy].tolist() for values in (battles.a[rows], battles.b[rows], battles.outcome[rows], weight)
        ]
        seen, before_mu, before = [-1] * len(names), list(mu), list(variance)
        for i, j, s, w, now in zip(*columns, group.tolist(), strict=True):
            for agent in (i, j):
                if seen[agent] != now:
                    seen[agent], before_mu[agent] = now, mu[agent]
                    variance[agent] = before[agent] = variance[agent] + self.tau * self.tau
            c = sqrt(before[i] + before[j] + 2 * self.beta * self.beta)
            p = (1 + tanh((before_mu[i] - before_mu[j]) / (2 * c))) / 2
            for agent, sign in ((i, 1.0), (j, -1.0)):
                share = before[agent] / (c * c)
                mu[agent] += sign * w * before[agent] / c * (s - p)
                variance[agent] *= max(1 - sqrt(share) * share * p * (1 - p), KAPPA) ** w
        if not all(map(isfinite, mu)):
            raise DataError("the weights of battles must leave ratings finite; they do not. Give smaller weights.")
        return OnlineWengLin(
            self.start,
            self.deviation,
            self.beta,
            self.tau,
            {**self.ratings, **dict(zip(names, mu, strict=True))},
            {**self.deviations, **dict(zip(names, map(sqrt, variance), strict=True))},
            self.battles + len(rows),
            last,
        )

    def predict(self, a: str, b: str) -> float:
        """Return the outcome expected for *a* against *b*, nearer to one half the less sure both ratings are.

        >>> OnlineWengLin().predict("ada", "bob")
        0.5
        """
        gap = self.ratings.get(a, self.start) - self.ratings.get(b, self.start)
        variance = sum(self.deviations.get(name, self.deviation) ** 2 for name in (a, b))
        return (1 + tanh(gap / (2 * sqrt(variance + 2 * self.beta**2)))) / 2
