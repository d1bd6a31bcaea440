"""`strength_curves`: how strong every agent was when, and how sure that is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import pi, sqrt, tanh
from statistics import NormalDist
from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._result import SCHEMA_VERSION, Result, Rows
from beatpath._text import confidence, counted, listed, quoted, shown, suggestion
from beatpath._validate import require_share
from beatpath.evidence import Battles
from beatpath.methods.rating.online_state import is_finite
from beatpath.methods.rating.schedule import Schedule, schedule
from beatpath.methods.rating.whole_history.curve_fit import CurveFit, fit_curves, logistic, most_probable
from beatpath.methods.rating.whole_history.knots import Knots, knots_of
from beatpath.methods.status import CONVERGED

FARTHER = 4  # drifts tried beyond the first or the last of these, where that is best
TRIED = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # what an agent may change over the whole span, in log odds
HELD_OUT = 0.2  # of the battles, the last ones, by which the drift is chosen
FEWEST = 100  # battles from which a choice by those held out says anything


@dataclass(frozen=True, eq=False, repr=False)
class StrengthCurves(Result):
    """Strengths as curves in log odds, told at every time at which an agent met anyone.

    Parameters
    ----------
    agents : tuple of str
    knots : Knots
        Agent and time of every point.
    strength, deviation : (n,) float
        The most probable strength there, and its standard deviation.
    drift, prior, level : float
        What an agent changes in a unit of time (standard deviation), the prior, and the coverage of intervals.
    joint : bool
        Whether deviations carry the uncertainty of the opponents; they take these as known where there are too many points.
    tried : mapping of float to float
        Mean log loss of the last battles under each drift that was tried; empty where it was given.
    status : str
        How it ended, in words.
    """

    agents: tuple[str, ...]
    knots: Knots
    strength: Floats
    deviation: Floats
    drift: float
    prior: float
    level: float
    joint: bool
    tried: Mapping[float, float] = field(default_factory=dict)
    status: str = CONVERGED

    @cached_property
    def _last(self) -> dict[str, int]:
        return {self.agents[self.knots.agent[k]]: int(k) for k in self.knots.last}

    def curve(self, agent: str) -> Rows:
        """Return time, strength and its interval at every time the agent met anyone."""
        if agent not in self.agents:
            raise UsageError(f"{quoted(agent)} must be one of the agents.{suggestion(agent, self.agents)}")
        points = np.flatnonzero(self.knots.agent == self.agents.index(agent))
        return [{"time": float(self.knots.time[k]), **self._point(int(k))} for k in points]

    def _point(self, k: int) -> dict[str, float]:
        z = NormalDist().inv_cdf((1 + self.level) / 2)
        x, d = float(self.strength[k]), float(self.deviation[k])
        return {"strength": x, "low": x - z * d, "high": x + z * d}

    def predict(self, a: str, b: str) -> float:
        """Return the outcome expected for *a* against *b* at the time of the last battle of all.

        An agent not seen before has strength zero. Strengths are averaged over, each as uncertain as it has become since its
        last battle: by MacKay's approximation, nearer to one half the less sure they are.
        """
        now = float(self.knots.time.max(initial=0.0))
        mean = variance = 0.0
        for name, sign in ((a, 1), (b, -1)):
            if name in self._last:
                k = self._last[name]
                mean += sign * float(self.strength[k])
                variance += float(self.deviation[k]) ** 2 + self.drift**2 * (now - float(self.knots.time[k]))
            else:
                variance += 2 / self.prior if self.prior else 0.0
        return (1 + tanh(mean / sqrt(1 + pi * variance / 8) / 2)) / 2

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is strongest now, who changed most, and how it ended."""
        if not self._last:
            return ("No battle was rated.",)
        rows, tie = self.rows(), 1e-6
        best = [row for row in rows if row["strength"] > rows[0]["strength"] - tie]
        change = self.strength[self.knots.last] - self.strength[self.knots.first]
        most = float(np.abs(change).max())
        moved = [
            f"{shown(name, 60)} by {x:+.2f}" for name, x in zip(self._last, change, strict=True) if abs(x) > most - tie
        ]
        said = [
            (
                f"Strongest at the last battle: {listed((row['agent'] for row in best), 3)}, {best[0]['strength']:.2f} in log "
                f"odds, {best[0]['low']:.2f} to {best[0]['high']:.2f} with {confidence(self.level)} probability."
            ),
            f"Changed most from first battle to last: {', '.join(moved[:3])}." if most > tie else "Nobody changed.",
        ]
        if not self.joint:
            said.append(
                "Intervals take the opponents' strengths as known, and are too narrow by as much as these are not."
            )
        return (*said, *(() if self.status == CONVERGED else (self.status,)))

    def rows(self) -> Rows:
        """Return every agent's strength at its last battle, the strongest first."""
        rows = [
            {"agent": name, **self._point(k), "time": float(self.knots.time[k])}
            for name, k in sorted(self._last.items())
        ]
        return sorted(rows, key=lambda row: -float(row["strength"]))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "strength_curves",
            "sentences": list(self.sentences),
            "drift": self.drift,
            "prior": self.prior,
            "level": self.level,
            "joint": self.joint,
            "status": self.status,
            "tried": [{"drift": drift, "log_loss": loss} for drift, loss in self.tried.items()],
            "current": list(self.rows()),
            "curves": [{"agent": name, "points": list(self.curve(name))} for name in self._last],
        }


def strength_curves(
    battles: Battles, *, drift: float | None = None, prior: float = 1.0, level: float = 0.95
) -> StrengthCurves:
    """Fit Bradley-Terry strengths that change with time, from all battles at once.

    Parameters
    ----------
    battles : Battles
        With the time of every battle. Ties count as half a win.
    drift : float, optional
        Standard deviation, in log odds, of what an agent changes in a unit of time. Otherwise that of six and more under which the
        first four fifths of the battles predict the last best.
    prior : float
        Wins and losses of each agent, at its first battle, against one of strength zero.
    level : float
        Probability of the intervals.

    Returns
    -------
    StrengthCurves

    Examples
    --------
    >>> games = [("ada", "bob", s) for s in (0, 0, 0, 1, 1, 1)]
    >>> found = strength_curves(Battles.of(games, time=range(6)), drift=1.0)
    >>> [round(point["strength"], 2) for point in found.curve("ada")]
    [-0.52, -0.52, -0.25, 0.4, 0.73, 0.88]
    """
    require_share("level", level)
    if not isinstance(battles, Battles):
        raise UsageError(f"curves need battles with times; got {getattr(battles, 'kind', type(battles).__name__)}.")
    order = schedule(battles)
    fit, knots, drift, tried = fitted(battles, order, drift, prior)
    status = CONVERGED if fit.converged else f"not at an end after {counted(fit.steps, 'step')} of Newton"
    return StrengthCurves(
        battles.agents, knots, fit.strength, fit.deviation, drift, prior, level, fit.joint, tried, status
    )


def fitted(
    battles: Battles, order: Schedule, drift: float | None, prior: float
) -> tuple[CurveFit, Knots, float, dict[float, float]]:
    """Return the fit, its knots, the drift given or chosen, and the log losses it was chosen by."""
    if not len(order.rows):
        raise DataError("curves need at least one battle; there is none.")
    if order.untimed:
        raise DataError(
            f"curves need the time of every battle; {counted(order.untimed, 'battle')} of {len(order.rows):,} without one. "
            "Map a column with `--map time=COLUMN`, leave out the rest, or use bradley_terry, which needs no times."
        )
    if drift is not None and not (is_finite(drift) and drift > 0):
        raise UsageError(f"`drift` must be a number above 0; got {quoted(drift)}. For agents that stay: bradley_terry.")
    if not (is_finite(prior) and prior > 0):
        raise UsageError(f"`prior` must be a number above 0; got {quoted(prior)}. 1 is usual.")
    knots = knots_of(battles, order)
    tried: dict[float, float] = {}
    if drift is None:
        tried = _losses(battles, order, prior)
        drift = min(tried, key=lambda one: (tried[one], one))
    return fit_curves(knots, drift, prior), knots, drift, {} if len(tried) < 2 else tried


def _losses(battles: Battles, order: Schedule, prior: float) -> dict[float, float]:
    """Mean log loss of the last battles when the first are fitted with each drift; the middle one alone for few battles.

    Where the first or the last drift is best, farther ones are tried too.
    """
    assert battles.time is not None
    time = battles.time[order.rows]
    span = float(time[-1] - time[0]) or 1.0
    drifts = [total / sqrt(span) for total in TRIED]
    split = int(np.searchsorted(time, time[int(len(time) * (1 - HELD_OUT))]))
    if len(time) < FEWEST or not split:
        return {drifts[2]: 0.0}
    early = Schedule(order.rows[:split], None, 0)
    knots, late = knots_of(battles, early), order.rows[split:]
    start = None

    def loss(drift: float) -> float:
        nonlocal start
        start = most_probable(knots, drift, prior, start)[0]
        now = np.zeros(len(battles.agents))
        now[knots.agent[knots.last]] = start[knots.last]
        return log_loss(logistic(now[battles.a[late]] - now[battles.b[late]]), battles.outcome[late])

    losses = {drift: loss(drift) for drift in drifts}
    for _ in range(FARTHER):
        best = min(losses, key=lambda one: (losses[one], one))
        if min(losses) < best < max(losses):
            break
        farther = 2 * best if best == max(losses) else best / 2
        losses[farther] = loss(farther)
    return dict(sorted(losses.items()))


def log_loss(p: Floats, outcome: Floats) -> float:
    """Return the mean of minus the logarithm of what was given to the outcome that came.

    >>> round(log_loss(np.array([0.5, 0.8]), np.array([1.0, 1.0])), 4)
    0.4581
    """
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return float(-(outcome * np.log(p) + (1 - outcome) * np.log(1 - p)).mean())
