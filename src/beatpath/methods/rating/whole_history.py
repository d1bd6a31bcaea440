r"""Whole-history rating: Bradley-Terry strengths that change over time, with confidence intervals.

The drift, how fast agents change, is averaged over by its evidence, or chosen by the prediction of later battles.
With :math:`\hat\theta` the maximum a posteriori curves under a drift and *H* minus the curvature there, Laplace's
approximation of the marginal likelihood of all battles is

.. math::  \ln p(y \mid \tau) \approx \ell(\hat\theta) - \tfrac12 \sum_{i,t} \ln 2\pi \tau^2 \Delta t + \tfrac{n}{2} \ln 2\pi
           - \tfrac12 \ln \det H,

which `CurveFit.evidence` holds. Drifts a factor of two apart have weights proportional to it and to the drift, a flat
prior. Strengths and changes are averaged over them, and differences between drifts add to the variance. An interval
that takes one drift as known would be too narrow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import log, pi, sqrt, tanh
from statistics import NormalDist
from typing import ClassVar, TypedDict

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._result import Delegate, Record, TableResult, plot_result
from beatpath._text import confidence, counted, listed, quoted
from beatpath._threads import threads_for
from beatpath._validate import require_agents, require_number, require_share
from beatpath.evidence import Battles
from beatpath.fit.newton import CONVERGED
from beatpath.methods.profile import Profile
from beatpath.methods.rating.curve_fit import DENSE, CurveFit, Knots, fit_curves, knots_of, most_probable
from beatpath.methods.rating.online_state import Schedule, schedule
from beatpath.methods.result import Outcome, levels_by_score

TRIED = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # drifts tried: change over the whole time span, in log odds
FARTHER = 4  # further drifts tried if the first or the last is best
HELD_OUT = 0.2  # share of the battles, the last ones, that the choice of drift holds out
FEWEST = 100  # fewest battles for which a choice by held-out battles is meaningful
LIGHT = 0.001  # drifts with less than this share of the largest weight are left out


class CurvePoint(TypedDict):
    """The strength of an agent at a time.

    Attributes
    ----------
    time : float
        The time.
    strength, low, high : float
        The strength, and the ends of its confidence interval.
    """

    time: float
    strength: float
    low: float
    high: float


class CurrentStrength(CurvePoint):
    """The strength of an agent at its last battle.

    Attributes
    ----------
    agent : str
        The agent.
    time : float
        Time of its last battle.
    strength : float
        Strength in log odds above the mean of all agents.
    """

    agent: str


class StrengthChange(TypedDict):
    """The change of an agent's strength from its first battle to its last.

    Attributes
    ----------
    agent : str
        The agent.
    change, low, high : float
        The change in log odds, and the ends of its confidence interval.
    """

    agent: str
    change: float
    low: float
    high: float


class Curve(TypedDict):
    """The curve of an agent.

    Attributes
    ----------
    agent : str
        The agent.
    points : list of CurvePoint
        One for every time at which it had a battle.
    """

    agent: str
    points: list[CurvePoint]


@dataclass(frozen=True, slots=True)
class Drift(Record):
    """How fast agents change: the best drift of those tried.

    Parameters
    ----------
    value : float
        Standard deviation of an agent's change per unit of time, in log odds.
    by : {"given", "evidence", "later battles"}
        How it was chosen.
    tried : mapping of float to float
        Posterior probability of each drift, or the mean log loss of later battles under it.
    """

    document: ClassVar[tuple[str, ...]] = ("drift=value", "chosen_by=by", "tried=trials")

    value: float
    by: str
    tried: Mapping[float, float] = field(default_factory=dict)

    @property
    def trials(self) -> list[dict[str, float]]:
        """The drifts tried, with the posterior probability of each or the log loss of later battles under it."""
        measure = "probability" if self.by == "evidence" else "log_loss"
        return [{"drift": one, measure: value} for one, value in self.tried.items()]


def averaged(knots: Knots, prior: float) -> tuple[CurveFit, dict[float, float]]:
    """Return curves averaged over drifts, and the posterior probability of each drift."""
    fits: dict[float, CurveFit] = {}

    def log_weight(drift: float) -> float:
        start = None if not fits else next(reversed(fits.values())).strength
        fits[drift] = fit_curves(knots, drift, prior, start, own_drifts=True)
        return (fits[drift].evidence or 0.0) + log(drift)

    evidence_by_drift = _tried(log_weight, knots.time)
    most = max(evidence_by_drift.values())
    weight = {drift: np.exp(value - most) for drift, value in evidence_by_drift.items()}
    drifts = {drift: one for drift, one in weight.items() if one >= LIGHT}
    share = {drift: float(one / sum(drifts.values())) for drift, one in drifts.items()}
    return _mixed([fits[drift] for drift in share], np.array(list(share.values()))), share


def _mixed(fits: list[CurveFit], weight: Floats) -> CurveFit:
    """The weighted average of several fits: means, and deviations that include the differences between them."""

    def moments(mean: list[Floats], deviation: list[Floats]) -> tuple[Floats, Floats]:
        middle = weight @ np.array(mean)
        return middle, np.sqrt(weight @ (np.array(deviation) ** 2 + (np.array(mean) - middle) ** 2))

    strengths = moments([fit.strength for fit in fits], [fit.deviation for fit in fits])
    relative = moments([fit.relative for fit in fits], [fit.relative_deviation for fit in fits])
    changes = moments([fit.change for fit in fits], [fit.change_deviation for fit in fits])
    steps, converged = max(fit.steps for fit in fits), all(fit.converged for fit in fits)
    return CurveFit(*strengths, *relative, *changes, True, steps, converged)


def by_later_battles(battles: Battles, order: Schedule, prior: float) -> dict[float, float]:
    """Return the mean log loss of the last battles, predicted from the first, by drift.

    With few battles only one drift is tried.
    """
    assert battles.time is not None
    time = battles.time[order.rows]
    split = int(np.searchsorted(time, time[int(len(time) * (1 - HELD_OUT))]))
    if len(time) < FEWEST or not split:
        return {TRIED[2] / sqrt(_span(time)): 0.0}
    knots, late = knots_of(battles, Schedule(order.rows[:split], None, 0)), order.rows[split:]
    start = None

    def gain(drift: float) -> float:
        nonlocal start
        start = most_probable(knots, drift, prior, start).ended.x
        now = np.zeros(len(battles.agents))
        now[knots.agent[knots.last]] = start[knots.last]
        return -log_loss(expit(now[battles.a[late]] - now[battles.b[late]]), battles.outcome[late])

    return {drift: -value for drift, value in _tried(gain, time).items()}


def _tried(worth: Callable[[float], float], time: Floats) -> dict[float, float]:
    """The value of every drift; if the first or the last is best, further ones are tried too."""
    evidence_by_drift = {total / sqrt(_span(time)): 0.0 for total in TRIED}
    evidence_by_drift = {drift: worth(drift) for drift in evidence_by_drift}
    for _ in range(FARTHER):
        best = best_drift(evidence_by_drift)
        if min(evidence_by_drift) < best < max(evidence_by_drift):
            break
        farther = 2 * best if best == max(evidence_by_drift) else best / 2
        evidence_by_drift[farther] = worth(farther)
    return dict(sorted(evidence_by_drift.items()))


def best_drift(evidence_by_drift: Mapping[float, float]) -> float:
    """Return the drift with the highest value, the smallest of several.

    >>> best_drift({2.0: 0.5, 1.0: 0.5, 4.0: 0.1})
    1.0
    """
    return min(evidence_by_drift, key=lambda drift: (-evidence_by_drift[drift], drift))


def _span(time: Floats) -> float:
    return float(time.max() - time.min()) or 1.0


def log_loss(p: Floats, outcome: Floats) -> float:
    """Return the mean log loss of predicted win probabilities.

    >>> round(log_loss(np.array([0.5, 0.8]), np.array([1.0, 1.0])), 4)
    0.4581
    """
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return float(-(outcome * np.log(p) + (1 - outcome) * np.log(1 - p)).mean())


@dataclass(frozen=True, eq=False, repr=False)
class StrengthCurves(TableResult):
    """Strength curves in log odds above the mean of all agents, with a point at every time an agent had a battle.

    Parameters
    ----------
    agents : tuple of str
        Agent names.
    knots : Knots
        Agent and time of every point.
    fit : CurveFit
        The fit. In the mean that strengths are relative to, agents have equal weights, and so do the points of one agent.
    drift : Drift
        Standard deviation of an agent's change per unit of time, and how it was chosen.
    prior, level : float
        The prior, and the confidence level of intervals.
    """

    plot = plot_result

    document: ClassVar[tuple[str, ...]] = (
        "drift=drift.value",
        "chosen_by=drift.by",
        "tried=drift.trials",
        "prior",
        "level",
        "joint",
        "status",
        "current=rows",
        "changes",
        "curves",
    )

    agents: tuple[str, ...]
    knots: Knots
    fit: CurveFit
    drift: Drift
    prior: float
    level: float
    strength = Delegate[Floats]("fit.relative", "Maximum a posteriori strength at every point, (n,).")
    deviation = Delegate[Floats]("fit.relative_deviation", "Standard deviation of every strength, (n,).")
    change = Delegate[Floats]("fit.change", "Change of each agent with battles from its first battle to its last.")
    change_deviation = Delegate[Floats]("fit.change_deviation", "Standard deviation of each change.")
    joint = Delegate[bool](
        "fit.joint",
        "Whether deviations include the uncertainty of the opponents; with too many points these are taken as known.",
    )
    status = Delegate[str]("fit.status", "How it ended, as a sentence.")

    @cached_property
    def _last(self) -> dict[str, int]:
        return {self.agents[self.knots.agent[k]]: int(k) for k in self.knots.last}

    @property
    def curves(self) -> list[Curve]:
        """The points of every agent's curve."""
        return [{"agent": name, "points": self.curve(name)} for name in self._last]

    def curve(self, agent: str) -> list[CurvePoint]:
        """Return time, strength and its interval at every time the agent had a battle."""
        require_agents([agent], self.agents)
        points = np.flatnonzero(self.knots.agent == self.agents.index(agent))
        return [self._point(int(k)) for k in points]

    def _point(self, k: int) -> CurvePoint:
        x, d = float(self.strength[k]), self._half * float(self.deviation[k])
        return {"time": float(self.knots.time[k]), "strength": x, "low": x - d, "high": x + d}

    @property
    def _half(self) -> float:
        """Half the width of an interval, in standard deviations."""
        return NormalDist().inv_cdf((1 + self.level) / 2)

    def changes(self) -> list[StrengthChange]:
        """Return the change of every agent from its first battle to its last, with its interval, largest first."""
        rows: list[StrengthChange] = [
            {"agent": name, "change": x, "low": x - self._half * d, "high": x + self._half * d}
            for name, x, d in zip(self._last, self.change.tolist(), self.change_deviation.tolist(), strict=True)
        ]
        return sorted(rows, key=lambda row: (-abs(float(row["change"])), row["agent"]))

    def predict(self, a: str, b: str) -> float:
        """Return the expected outcome of *a* against *b* at the time of the last battle of all.

        A new agent has strength zero on the scale of the prior. The result averages over the uncertainty of the
        strengths, which grows since an agent's last battle, by MacKay's approximation: it is closer to one half if
        they are uncertain.
        """
        now = float(self.knots.time.max(initial=0.0))
        mean = variance = 0.0
        for name, sign in ((a, 1), (b, -1)):
            if name in self._last:
                k = self._last[name]
                mean += sign * float(self.strength[k])
                variance += float(self.deviation[k]) ** 2 + self.drift.value**2 * (now - float(self.knots.time[k]))
            else:
                mean -= sign * float(self.knots.share @ self.fit.strength)
                variance += 2 / self.prior if self.prior else 0.0
        return (1 + tanh(mean / sqrt(1 + pi * variance / 8) / 2)) / 2

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is strongest now, who changed most, and how it ended."""
        if not self._last:
            return ("No battle was rated.",)
        rows, tie = self.rows(), 1e-6
        best = [row for row in rows if row["strength"] > rows[0]["strength"] - tie]
        changes = self.changes()
        most = float(np.abs(self.change).max())
        moved = [
            f"{quoted(row['agent'])} by {row['change']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"
            for row in changes
            if abs(row["change"]) > most - tie
        ]
        certain = sum(row["low"] > 0 or row["high"] < 0 for row in changes)
        sentences = [
            (
                f"Strongest at the last battle: {listed((row['agent'] for row in best), 3)}, {best[0]['strength']:.2f} log "
                f"odds above the mean of all, {best[0]['low']:.2f} to {best[0]['high']:.2f} with {confidence(self.level)} probability."
            ),
            f"Changed most from first battle to last: {', '.join(moved[:3])}." if most > tie else "No agent changed.",
        ]
        if certain:
            sentences.append(
                f"Of {counted(len(changes), 'agent')} {certain:,} certainly changed, each tested by itself ({confidence(self.level)})."
            )
        if not self.joint:
            sentences.append(
                "Intervals assume that the opponents' strengths and the drift are known, and are too narrow as far as they are not."
            )
        return (*sentences, *(() if self.status == CONVERGED else (self.status,)))

    def rows(self) -> list[CurrentStrength]:
        """Return every agent's strength at its last battle, strongest first."""
        rows: list[CurrentStrength] = [{"agent": name, **self._point(k)} for name, k in sorted(self._last.items())]
        return sorted(rows, key=lambda row: -row["strength"])


def strength_curves(
    evidence: EvidenceLike, *, drift: float | None = None, prior: float = 1.0, level: float = 0.95
) -> StrengthCurves:
    """Fit Bradley-Terry strengths that change over time, from all battles jointly.

    Use it if agents improve or degrade during the data. For constant strengths use ``rank(battles,
    "bradley_terry")``.

    Parameters
    ----------
    evidence : Battles, or what `read` takes
        Battles with times. Ties count as half a win.
    drift : float, optional
        Standard deviation, in log odds, of an agent's change per unit of time. By default at least six are tried and
        averaged over by their evidence; beyond 2,500 points, the one under which the first four fifths of the battles
        best predict the rest.
    prior : float
        Wins and losses of each agent, at its first battle, against one of strength zero; default 1.
    level : float
        Confidence level of the intervals; default 0.95.

    Returns
    -------
    StrengthCurves

    See Also
    --------
    whole_history : The method that ranks agents by their strength at their last battle.
    OnlineElo : Ratings that are updated battle by battle.

    Examples
    --------
    >>> games = [("ada", "bob", s) for s in (0, 0, 0, 1, 1, 1)]
    >>> result = strength_curves(Battles.of(games, time=range(6)), drift=1.0)
    >>> [round(point["strength"], 2) for point in result.curve("ada")]
    [-0.52, -0.52, -0.25, 0.4, 0.73, 0.88]
    """
    require_share("level", level)
    battles = as_evidence(evidence)
    if not isinstance(battles, Battles):
        raise UsageError(f"curves need battles with times; got {battles.kind}.")
    order = schedule(battles)
    fit, knots, chosen = fitted(battles, order, drift, prior)
    return StrengthCurves(battles.agents, knots, fit, chosen, prior, level)


def fitted(battles: Battles, order: Schedule, drift: float | None, prior: float) -> tuple[CurveFit, Knots, Drift]:
    """Return the fit, its knots, and the drift, given or chosen."""
    if not len(order.rows):
        raise DataError("curves need at least one battle; there is none.")
    if order.untimed:
        raise DataError(
            f"curves need the time of every battle; {counted(order.untimed, 'battle')} of {len(order.rows):,} without one. "
            "Map a column with `--map time=COLUMN`, leave out the rest, or use bradley_terry, which needs no times."
        )
    if drift is not None:
        require_number("drift", drift, "a number above 0", above=0, hint="For agents that stay: bradley_terry.")
    require_number("prior", prior, "a number above 0", above=0, hint="1 is usual.")
    knots = knots_of(battles, order)
    with threads_for(len(knots) if len(knots) <= DENSE else 0):  # larger fits use vectors only
        if drift is not None:
            return fit_curves(knots, drift, prior), knots, Drift(drift, "given")
        if len(knots) <= DENSE:
            fit, probable = averaged(knots, prior)
            return fit, knots, Drift(best_drift(probable), "evidence", probable)
        losses = by_later_battles(battles, order, prior)
        best = min(losses, key=lambda one: (losses[one], one))
        return fit_curves(knots, best, prior), knots, Drift(best, "later battles", losses)


def whole_history(profile: Profile, *, drift: float | None = None, prior: float = 1.0) -> Outcome:
    r"""Rank agents by whole-history rating: their strength at their last battle, from strengths that change over time.

    Agent *a* beats *b* at time *t* with probability :math:`\sigma(\theta_a(t) - \theta_b(t))`; each :math:`\theta_i` is a
    Wiener process [1]_. `beatpath.online.strength_curves` gives the curves themselves.

    Parameters
    ----------
    profile : Profile
        Battles with times.
    drift, prior
        As for `beatpath.online.strength_curves`.

    Returns
    -------
    Outcome
        The score is the strength at an agent's last battle, in log odds above the mean of all agents. Details:
        `deviations`, `drift`, and `joint`, whether deviations include the opponents' uncertainty.

    Examples
    --------
    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> games = [("ada", "bob", s) for s in (0, 0, 0, 1, 1, 1)]
    >>> whole_history(profile_of(Battles.of(games, time=range(6))), drift=1.0).score.round(2)
    array([ 0.88, -0.88])

    References
    ----------
    .. [1] R. Coulom, "Whole-history rating: a Bayesian rating system for players of time-varying strength", *Computers and
       Games* (2008), 113-124.
    """
    battles = profile.require_battles("whole_history")
    order = schedule(battles, ties=profile.ties, both_bad=profile.both_bad)
    fit, knots, chosen = fitted(battles, order, drift, prior)
    score = np.full(len(profile.agents), np.nan)
    deviation = score.copy()
    last = knots.last
    score[knots.agent[last]], deviation[knots.agent[last]] = fit.relative[last], fit.relative_deviation[last]
    details = {
        **chosen.to_dict(),
        "joint": fit.joint,
        "deviations": {name: float(d) for name, d in zip(profile.agents, deviation, strict=True) if not np.isnan(d)},
    }
    status = fit.status
    if profile.pair_weight == "rate":
        status += "; pair_weight=rate not used: every battle is rated"
    return Outcome(levels_by_score(np.nan_to_num(score)), score, status, details)
