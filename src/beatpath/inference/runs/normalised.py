r"""Scores on the scale of two references, such as a random player at 0 and a human at 1.

.. math::  x' = \frac{x - z_t}{o_t - z_t}

with :math:`z_t` and :math:`o_t` what the references score on the task. Where lower is better nothing needs to be said: the
better reference is the one at 1.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted, shown, suggestion
from beatpath.evidence import Convention, Scores
from beatpath.evidence.select import without

REFERRED = "normalised"
Reference = str | float | Mapping[str, float]


def normalised(scores: Scores, *, zero: Reference, one: Reference) -> Scores:
    """Return scores of which 0 and 1 are what two references score, task by task.

    Parameters
    ----------
    scores : Scores
    zero, one : str, float or mapping of task to float
        An agent of the table, whose mean score on a task counts and who leaves the table; a number for all tasks; or a
        number for every task.

    Returns
    -------
    Scores
        Higher is better on every task.

    Examples
    --------
    Ada has half of what lies between the random player and the human on the first game, and twice that on the other.

    >>> table = [[10.0, 1.0], [20.0, 2.0], [15.0, 3.0]]
    >>> told = Scores.from_table(table, ["random", "human", "ada"], ["pong", "chess"])
    >>> normalised(told, zero="random", one="human").value
    array([0.5, 2. ])
    """
    if not isinstance(scores, Scores):
        raise DataError(f"only a table of scores can be normalised; got {type(scores).__name__}.")
    voter = scores.voters("task")
    low, high = (_reference(scores, told, name) for told, name in ((zero, "zero"), (one, "one")))
    if (flat := np.flatnonzero(~(np.abs(high - low) > 0))).size:
        t = int(flat[0])
        raise DataError(
            f"the references must differ on every task; both are {low[t]:g} on {quoted(voter.levels[t])}. Leave the task out, "
            "or choose other references."
        )
    value = (scores.value - low[voter.codes]) / (high - low)[voter.codes]
    said = f"scores count from {_said(zero)} at 0 to {_said(one)} at 1, task by task"
    made = Convention(REFERRED, f"{_said(zero)} to {_said(one)}", said)
    told = replace(scores, value=value, higher_is_better={}, stderr=None, conventions=(*scores.conventions, made))
    gone = [name for name in (zero, one) if isinstance(name, str)]
    return without(told, gone) if gone else told


def _reference(scores: Scores, told: Reference, name: str) -> Floats:
    """What a reference scores on every task."""
    tasks = scores.voters("task").levels
    if isinstance(told, str):
        return _agent_scores(scores, told, name)
    if not isinstance(told, Mapping):
        return np.full(len(tasks), float(told))
    lacking = [task for task in tasks if task not in told]
    if lacking:
        raise UsageError(f"`{name}` must have a number for every task; it has none for {listed(lacking)}.")
    return np.array([float(told[task]) for task in tasks])


def _agent_scores(scores: Scores, agent: str, name: str) -> Floats:
    if agent not in scores.agents:
        raise UsageError(
            f"`{name}` must be an agent of the table, a number, or a number for every task; got {quoted(agent)}."
            f"{suggestion(agent, scores.agents)}"
        )
    table, tasks = scores.table("task")
    own = table[scores.agents.index(agent)]
    if np.isnan(own).any():
        raise DataError(
            f"a reference must have a score on every task; {quoted(agent)} has none on "
            f"{quoted(tasks[int(np.argmax(np.isnan(own)))])}."
        )
    return own


def _said(told: Reference) -> str:
    if isinstance(told, str):
        return shown(told)
    return "its own number" if isinstance(told, Mapping) else f"{told:g}"
