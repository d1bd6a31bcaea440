r"""How fast agents change: drifts weighed by how probable they make the battles, or chosen by what predicts later ones.

With :math:`\hat\theta` the most probable curves under a drift and *H* minus the curvature there, Laplace's approximation of the
probability of all battles is

.. math::  \ln p(y \mid \tau) \approx \ell(\hat\theta) - \tfrac12 \sum_{i,t} \ln 2\pi \tau^2 \Delta t + \tfrac{n}{2} \ln 2\pi
           - \tfrac12 \ln \det H,

which `CurveFit.evidence` holds. Drifts a factor of two apart weigh in proportion to it and to the drift, which is a flat law before
the battles; strengths and changes are averaged over them, and what differs between drifts adds to the variance. An interval that
takes one drift as known is too narrow where nobody knows it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats
from beatpath.evidence import Battles
from beatpath.methods.rating.online_state import Schedule
from beatpath.methods.rating.whole_history.curve_fit import CurveFit, fit_curves, most_probable
from beatpath.methods.rating.whole_history.knots import Knots, knots_of

TRIED = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # what an agent may change over the whole span, in log odds
FARTHER = 4  # drifts tried beyond the first or the last of these, where that is best
HELD_OUT = 0.2  # of the battles, the last ones, by which the drift is chosen
FEWEST = 100  # battles from which a choice by those held out says anything
LIGHT = 0.001  # of the weight of the best: drifts that weigh less are left out


@dataclass(frozen=True, slots=True)
class Drift:
    """What an agent changes in a unit of time, in log odds, the best of those tried.

    Parameters
    ----------
    value : float
    by : {"given", "evidence", "later battles"}
        Who chose it.
    tried : mapping of float to float
        How probable each drift is by the evidence, or the mean log loss of later battles under it.
    """

    value: float
    by: str
    tried: Mapping[float, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        measure = "probability" if self.by == "evidence" else "log_loss"
        tried = [{"drift": one, measure: value} for one, value in self.tried.items()]
        return {"drift": self.value, "chosen_by": self.by, "tried": tried}


def averaged(knots: Knots, prior: float) -> tuple[CurveFit, dict[float, float]]:
    """Return curves averaged over drifts, and how probable each drift is."""
    fits: dict[float, CurveFit] = {}

    def log_weight(drift: float) -> float:
        start = None if not fits else next(reversed(fits.values())).strength
        fits[drift] = fit_curves(knots, drift, prior, start)
        return (fits[drift].evidence or 0.0) + log(drift)

    found = _tried(log_weight, knots.time)
    most = max(found.values())
    weight = {drift: np.exp(value - most) for drift, value in found.items()}
    kept = {drift: one for drift, one in weight.items() if one >= LIGHT}
    share = {drift: float(one / sum(kept.values())) for drift, one in kept.items()}
    return _mixed([fits[drift] for drift in share], np.array(list(share.values()))), share


def _mixed(fits: list[CurveFit], weight: Floats) -> CurveFit:
    """One fit for several that weigh so much: means, and deviations with what differs between them."""

    def moments(mean: list[Floats], deviation: list[Floats]) -> tuple[Floats, Floats]:
        middle = weight @ np.array(mean)
        return middle, np.sqrt(weight @ (np.array(deviation) ** 2 + (np.array(mean) - middle) ** 2))

    strength, deviation = moments([fit.strength for fit in fits], [fit.deviation for fit in fits])
    relative, of_relative = moments([fit.relative for fit in fits], [fit.relative_deviation for fit in fits])
    change, of_change = moments([fit.change for fit in fits], [fit.change_deviation for fit in fits])
    steps, converged = max(fit.steps for fit in fits), all(fit.converged for fit in fits)
    return CurveFit(strength, deviation, relative, of_relative, change, of_change, True, steps, converged)


def by_later_battles(battles: Battles, order: Schedule, prior: float) -> dict[float, float]:
    """Return the mean log loss of the last battles when the first are fitted with each drift; one drift alone for few battles."""
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
    """What every drift is worth; where the first or the last is worth most, farther ones are tried too."""
    found = {total / sqrt(_span(time)): 0.0 for total in TRIED}
    found = {drift: worth(drift) for drift in found}
    for _ in range(FARTHER):
        best = worthiest(found)
        if min(found) < best < max(found):
            break
        farther = 2 * best if best == max(found) else best / 2
        found[farther] = worth(farther)
    return dict(sorted(found.items()))


def worthiest(found: Mapping[float, float]) -> float:
    """Return the drift that is worth most, the smallest of several.

    >>> worthiest({2.0: 0.5, 1.0: 0.5, 4.0: 0.1})
    1.0
    """
    return min(found, key=lambda drift: (-found[drift], drift))


def _span(time: Floats) -> float:
    return float(time.max() - time.min()) or 1.0


def log_loss(p: Floats, outcome: Floats) -> float:
    """Return the mean of minus the logarithm of what was given to the outcome that came.

    >>> round(log_loss(np.array([0.5, 0.8]), np.array([1.0, 1.0])), 4)
    0.4581
    """
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return float(-(outcome * np.log(p) + (1 - outcome) * np.log(1 - p)).mean())
