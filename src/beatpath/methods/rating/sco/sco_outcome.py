"""From preference counts to an outcome: what SCO and its weighted form share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath.methods.rating.sco.insertion import one_order, polished
from beatpath.methods.rating.sco.sco_loss import Cells, disagreement, sigmoid_loss
from beatpath.methods.rating.sco.sco_solver import cold_enough, minimised
from beatpath.methods.rating.sco.symmetry import Classes, classes_of
from beatpath.methods.result import Outcome, levels_by_score
from beatpath.methods.status import EXACT, LOCAL

TIE = 1e-3
STOPPED = "stopped before the gradient vanished, so the ratings are not final; a higher `temperature` is easier"
OPEN = "stopped at the limit of nodes before the bounds met: no ratings have a loss below `lower`"


@dataclass(frozen=True, slots=True, eq=False)
class FoundRatings:
    """Ratings, how they were found, and within how many temperatures they are the same."""

    theta: Floats
    temperature: float
    status: str
    details: Mapping[str, Any]
    classes: Classes
    tie: float = TIE


def rated_by_sigmoid(cells: Cells, solver: str, temperature: float | None, low: float, high: float) -> FoundRatings:
    """Minimise the sigmoid loss by the solver "anneal" or "exact"; see `minimised` and `sigmoidal_program`.

    >>> found = rated_by_sigmoid(Cells.from_wins(np.array([[0, 3], [1, 0]])), "anneal", 1.0, 0.0, 100.0)
    >>> found.theta, found.status
    (array([100.,   0.]), 'converged to a local minimum')
    """
    if solver == "exact":
        return _proven(cells, temperature, low, high)
    fit = minimised(cells, low=low, high=high, temperature=temperature)
    details = {"loss": fit.loss, "residual": fit.residual, "evaluations": fit.evaluations, "moves": fit.moves}
    return FoundRatings(fit.theta, fit.temperature, LOCAL if fit.converged else STOPPED, details, fit.classes)


def _proven(cells: Cells, temperature: float | None, low: float, high: float) -> FoundRatings:
    """The global minimum among ratings that treat indistinct agents alike."""
    classes = classes_of(cells)
    if temperature is None:
        temperature = cold_enough(high - low, classes) if len(classes.margin) else 1.0
    between = Cells(
        classes.count, classes.a, classes.b, np.maximum(classes.margin, 0.0), np.maximum(-classes.margin, 0.0)
    )
    from beatpath.methods.rating.sco.sigmoidal_program import sigmoidal_program

    found = sigmoidal_program(between, temperature=temperature, low=low, high=high)
    theta = found.theta[classes.label]
    upper = sigmoid_loss(theta, cells, temperature)
    gap = (found.upper - found.lower) * float(np.abs(cells.margin).max(initial=0.0))
    details = {"loss": upper, "lower": upper - gap, "upper": upper, "nodes": found.nodes}
    return FoundRatings(theta, temperature, EXACT if found.optimal else OPEN, details, classes)


def finished(agents: tuple[str, ...], cells: Cells, found: FoundRatings, polish: bool) -> Outcome:
    """Put ratings into levels, polish them when asked, and say what they contradict."""
    scaled = found.theta / found.temperature
    level = levels_by_score(scaled, found.tie / max(1.0, float(np.abs(scaled).max())))
    details = {"temperature": found.temperature, **found.details}
    if polish:
        better = polished(level, cells)
        level = better.level
        details["polish"] = {"before": better.before, "after": better.after, "gain": better.before - better.after}
    order = one_order(level, cells)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    details |= {
        "disagreement": disagreement(-level, cells),
        "order": [agents[i] for i in order],
        "order_disagreement": disagreement(-place, cells),
        "indistinct": _indistinct_names(agents, found.classes),
    }
    return Outcome(level, found.theta, found.status, details)


def _indistinct_names(agents: tuple[str, ...], classes: Classes) -> list[list[str]]:
    """The names in every class of more than one agent."""
    size = np.bincount(classes.label)
    members: dict[int, list[str]] = {int(label): [] for label in np.flatnonzero(size > 1)}
    for agent in np.flatnonzero(size[classes.label] > 1).tolist():
        members[int(classes.label[agent])].append(agents[agent])
    return list(members.values())
