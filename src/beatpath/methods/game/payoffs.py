"""The games that evaluation data make: agents against agents, and agents against tasks."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted, suggestion
from beatpath.methods.profile import Profile

AGAINST = ("auto", "agents", "tasks")
FILLED = {
    "last": "the lowest score on the task",
    "unranked": "the mean score on the task",
    "error": "the mean score on the task",
}


@dataclass(frozen=True, slots=True, eq=False)
class Payoffs:
    """What agents get: a row an agent, a column a rival or a task.

    Attributes
    ----------
    matrix : (agents, columns) float
        Against agents equal to minus its transpose; against tasks between 0 and 1.
    tasks : tuple of str or None
        Names of the columns that take part, None when they are the agents.
    details : mapping
        How it was made, as plain data.
    remarks : tuple of str
        Sentences for the status.
    """

    matrix: Floats
    tasks: tuple[str, ...] | None
    details: dict[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def payoffs(profile: Profile, against: str) -> Payoffs:
    """Make the game against rivals or tasks; "auto" takes tasks when there is a score table."""
    if against not in AGAINST:
        raise UsageError(
            f"`against` must be one of {', '.join(AGAINST)}; got {quoted(against)}.{suggestion(str(against), AGAINST)}"
        )
    if against == "tasks" or (against == "auto" and profile.scores is not None):
        return against_tasks(profile)
    return against_agents(profile)


def against_agents(profile: Profile) -> Payoffs:
    r"""Return what an agent wins from each rival on average, between -1 and 1.

    .. math::  A_{ab} = \frac{N_{ab} - N_{ba}}{N_{ab} + N_{ba}} = 2 P_{ab} - 1,

    zero for a pair that never met. Margins given without counts are taken as they are: they are payoffs already.
    """
    M = profile.margins.matrix
    if profile.pairs is None:
        return Payoffs((M - M.T) / 2, None, {"against": "agents", "payoff": "margins as given"})
    met = profile.wins + profile.wins.T
    A = np.divide(M, met, out=np.zeros_like(M), where=met > 0)
    return Payoffs((A - A.T) / 2, None, {"against": "agents", "payoff": "mean margin of a comparison"})


def against_tasks(profile: Profile) -> Payoffs:
    r"""Return the score table with every task stretched to run from 0, the lowest score on it, to 1, the highest.

    Tasks on which all agents score the same would divide by zero and, at 0, would be the task player's best choice
    against everybody; they tell no agents apart and are left out. Empty cells follow the profile's policy for missing
    scores: the lowest score on the task for "last", else its mean, or no such tasks with "drop_task".
    """
    if profile.scores is None:
        raise DataError("playing against tasks needs a score table; this evidence has none. Use against='agents'.")
    made = {c.name: c.value for c in profile.conventions}
    per, missing = made.get("per", "task"), made.get("missing", "unranked")
    table, names = profile.scores.table(per)
    voter, sign = profile.scores.voters(per), np.ones(len(names))
    sign[voter.codes] = profile.scores.sign()
    table = table * sign

    hole = np.isnan(table)
    keep = ~hole.any(axis=0) if missing == "drop_task" else ~hole.all(axis=0)
    table, hole, names = table[:, keep], hole[:, keep], tuple(np.array(names, dtype=object)[keep])
    fill = np.nanmin(table, axis=0) if missing == "last" else np.nanmean(table, axis=0)
    table = np.where(hole, fill, table)
    low, high = table.min(axis=0), table.max(axis=0)
    flat = high <= low
    matrix = (table[:, ~flat] - low[~flat]) / (high - low)[~flat]

    details: dict[str, Any] = {
        "against": "tasks",
        "payoff": "scores stretched to run from 0 to 1 on each task",
        "constant_tasks": [name for name, yes in zip(names, flat, strict=True) if yes],
        "filled_cells": int(hole.sum()),
    }
    remarks = []
    if flat.any():
        remarks.append(f"{counted(int(flat.sum()), 'task')} on which all agents score the same left out")
    if hole.any():
        details["filled_with"] = FILLED[missing]
        remarks.append(f"{counted(int(hole.sum()), 'missing score')} taken as {FILLED[missing]}")
    if "weights" in made:
        remarks.append("task weights not used: the game weighs the tasks")
    kept = tuple(name for name, yes in zip(names, ~flat, strict=True) if yes)
    return Payoffs(matrix, kept, details, tuple(remarks))
