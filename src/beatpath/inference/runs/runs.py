r"""Runs of a table of scores: one value per run of an agent on a task, for tasks with all agents.

Scores can be normalized by two references, such as a random player at 0 and a human at 1:

.. math::  x' = \frac{x - z_t}{o_t - z_t}

with :math:`z_t` and :math:`o_t` the scores of the references on the task. The direction follows: the better reference
is the one at 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath._validate import require_known
from beatpath.evidence import Convention, Evidence, Scores
from beatpath.evidence.conventions import DEFAULT, Conventions, task_weights
from beatpath.evidence.select import without
from beatpath.evidence.ties import equal_means

REFERRED = "normalized"  # name of the convention that records the references
Reference = str | float | Mapping[str, float]


def normalized(evidence: EvidenceLike, *, zero: Reference, one: Reference) -> Scores:
    """Rescale scores so that two references score 0 and 1 on each task.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        The data.
    zero, one : str, float or mapping of task to float
        An agent of the table, whose mean score on a task is used and which leaves the table; a number for all tasks;
        or a number for every task.

    Returns
    -------
    Scores
        Higher is better on every task.

    Examples
    --------
    Ada scores halfway between the random player and the human on the first game, and twice the human on the other.

    >>> table = [[10.0, 1.0], [20.0, 2.0], [15.0, 3.0]]
    >>> rescaled = Scores.from_table(table, ["random", "human", "ada"], ["pong", "chess"])
    >>> normalized(rescaled, zero="random", one="human").value
    array([0.5, 2. ])
    """
    scores = as_evidence(evidence)
    if not isinstance(scores, Scores):
        raise DataError(f"only a table of scores can be normalized; got {type(scores).__name__}.")
    voter = scores.voters("task")
    low, high = (_reference(scores, reference, name) for reference, name in ((zero, "zero"), (one, "one")))
    if (flat := np.flatnonzero(~(np.abs(high - low) > 0))).size:
        t = int(flat[0])
        raise DataError(
            f"the references must differ on every task; both are {low[t]:g} on {quoted(voter.levels[t])}. Leave the task out, "
            "or choose other references."
        )
    value = (scores.value - low[voter.codes]) / (high - low)[voter.codes]
    meaning = f"scores count from {_reference_text(zero)} at 0 to {_reference_text(one)} at 1, task by task"
    convention = Convention(REFERRED, f"{_reference_text(zero)} to {_reference_text(one)}", meaning)
    rescaled = replace(
        scores, value=value, higher_is_better={}, stderr=None, conventions=(*scores.conventions, convention)
    )
    gone = [name for name in (zero, one) if isinstance(name, str)]
    return without(rescaled, gone) if gone else rescaled


def _reference(scores: Scores, reference: Reference, name: str) -> Floats:
    """Return the score of a reference on every task."""
    tasks = scores.voters("task").levels
    if isinstance(reference, str):
        return _agent_scores(scores, reference, name)
    if not isinstance(reference, Mapping):
        return np.full(len(tasks), float(reference))
    lacking = [task for task in tasks if task not in reference]
    if lacking:
        raise UsageError(f"`{name}` must have a number for every task; it has none for {listed(lacking)}.")
    return np.array([float(reference[task]) for task in tasks])


def _agent_scores(scores: Scores, agent: str, name: str) -> Floats:
    must = f"`{name}` must be an agent of the table, a number, or a number for every task; got {quoted(agent)}."
    require_known(agent, scores.agents, must)
    table, tasks = scores.table("task")
    own = table[scores.agents.index(agent)]
    if np.isnan(own).any():
        raise DataError(
            f"a reference must have a score on every task; {quoted(agent)} has none on "
            f"{quoted(tasks[int(np.argmax(np.isnan(own)))])}."
        )
    return own


def _reference_text(reference: Reference) -> str:
    if isinstance(reference, str):
        return shown(reference)
    return "its own number" if isinstance(reference, Mapping) else f"{reference:g}"


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Values by agent and task, in an order independent of the input.

    Parameters
    ----------
    agents, tasks : tuple of str
        Names.
    agent, task : (r,) int
        Rows are sorted by agent, task and value.
    value : (r,) float
        Higher is better.
    count : (n, tasks) int
        Runs of every agent on every task, at least one.
    weight : (tasks,) float
        Of the tasks; sums to one.
    unit : str
        What a task is called: a task, or an item of one.
    normalized : bool
        Whether 0 and 1 are the scores of references.
    conventions : tuple of Convention
        How scores were read.
    notes : tuple of str
        Caveats.
    """

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    agent: Ints
    task: Ints
    value: Floats
    count: Ints
    weight: Floats
    unit: str
    normalized: bool
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    def of(self, agent: int) -> slice:
        """Return the rows of an agent."""
        first, last = np.searchsorted(self.agent, [agent, agent + 1])
        return slice(int(first), int(last))

    def require_several(self) -> None:
        """Raise unless every agent has two runs on every task, without which the variance of runs is unknown."""
        if (self.count < 2).any():
            a, t = np.argwhere(self.count < 2)[0]
            raise DataError(
                f"intervals for other runs on these {self.unit}s need two runs or more of every agent on every {self.unit}; "
                f"{quoted(self.agents[a])} has one on {quoted(self.tasks[t])}. Intervals for {self.unit}s like these need "
                f"one run only (`--cluster task`)."
            )


def runs_of(evidence: Evidence, chosen: Conventions = DEFAULT) -> Runs:
    """Return the runs of a table of scores: items averaged within a run, tasks that some agent lacks dropped.

    Every row is a run where scores have no items, or items act as tasks; otherwise a replicate is.

    >>> scores = Scores(("ada", "bob"), [0, 0, 1], [3.0, 1.0, 2.0], {})
    >>> convention = runs_of(scores)
    >>> convention.value, convention.count
    (array([1., 3., 2.]), array([[2],
           [1]]))
    """
    if not isinstance(evidence, Scores):
        raise DataError(f"scores of runs need a table of scores; {evidence.kind} have none. Use `mean_win_rate`.")
    per = "item" if evidence.who_votes(chosen.per) == "item" else "task"
    agent, task, value = _run_values(evidence, per)
    tasks = evidence.voters(per).levels
    count = np.zeros((len(evidence.agents), len(tasks)), dtype=np.int64)
    np.add.at(count, (agent, task), 1)
    tasks_used = _common_tasks(evidence.agents, tasks, count > 0, chosen.missing, per)
    tasks_used = np.array(sorted(tasks_used.tolist(), key=lambda t: tasks[t]), dtype=np.int64)
    place = np.full(len(tasks), -1)
    place[tasks_used] = np.arange(len(tasks_used))
    held = place[task] >= 0
    agent, task, value = agent[held], place[task[held]], value[held]
    order = np.lexsort((value, task, agent))
    named = tuple(tasks[t] for t in tasks_used.tolist())
    weight, convention = task_weights(named, chosen.weights) if chosen.weights else (np.ones(len(named)), None)
    return Runs(
        evidence.agents,
        named,
        agent[order],
        task[order],
        value[order],
        count[:, tasks_used],
        weight / weight.sum(),
        per,
        any(one.name == REFERRED for one in evidence.conventions),
        evidence.conventions if convention is None else (*evidence.conventions, convention),
        tuple(_left_out(len(tasks) - len(tasks_used), len(tasks), per)),
    )


def runs_note(scores: Scores, chosen: Conventions = DEFAULT) -> str:
    """Return the number of runs of an agent on a task as text; empty with one, or where runs are the voters.

    >>> runs_note(Scores(("ada", "bob"), [0, 0, 1], [3.0, 1.0, 2.0], {}))
    '1 to 2 runs of an agent on a task'
    """
    per = scores.who_votes(chosen.per)
    if per == "run":
        return ""
    agent, task, _ = _run_values(scores, per)
    number = np.unique(agent * (int(task.max(initial=0)) + 1) + task, return_counts=True)[1]
    if number.max(initial=1) < 2:
        return ""
    low, high = int(number.min()), int(number.max())
    times = f"{high:,}" if low == high else f"{low:,} to {high:,}"
    return f"{times} {scores.run_name}s of an agent on {'an item' if per == 'item' else 'a task'}"


def _run_values(scores: Scores, per: str) -> tuple[Ints, Ints, Floats]:
    """Return agent, task and value of every run, the items of a task averaged."""
    agent, voter = scores.agent.astype(np.int64), scores.voters(per).codes.astype(np.int64)
    value = scores.value * scores.sign()
    if "item" not in scores.factors or per == "item":
        return agent, voter, value
    run = scores.factors["replicate"].codes if "replicate" in scores.factors else np.zeros(len(agent), np.int64)
    cells, group = np.unique(np.stack([agent, voter, run]), axis=1, return_inverse=True)
    rows = np.bincount(group)
    absolute = np.bincount(group, np.abs(value)) / rows * (rows > 1)
    return cells[0], cells[1], equal_means(np.bincount(group, value) / rows, absolute, cells[1])


def _common_tasks(agents: tuple[str, ...], tasks: tuple[str, ...], held: Bools, missing: str, per: str) -> Ints:
    """Return the tasks with all agents."""
    shared = np.flatnonzero(held.all(axis=0))
    if missing == "error" and not held.all():
        a, t = np.argwhere(~held)[0]
        raise DataError(
            f"every agent must have a score on every {per}; {quoted(agents[a])} has none on {quoted(tasks[t])}. Choose "
            "another `missing` policy."
        )
    if not len(shared):
        who = agents[int(np.argmin(held.sum(axis=1)))]
        raise DataError(
            f"scores of runs need a {per} that every agent was run on; there is none. {quoted(who)} has the fewest, "
            f"{int(held.sum(axis=1).min()):,} of {len(tasks):,}: leave it out with `--without`, or use `mean_score`."
        )
    return shared


def _left_out(number: int, total: int, per: str) -> list[str]:
    if not number:
        return []
    one = number == 1
    left = f"{number:,} of {counted(total, per)} {'is' if one else 'are'} left out"
    return [f"{left}, as not every agent was run on {'it' if one else 'them'}."]
