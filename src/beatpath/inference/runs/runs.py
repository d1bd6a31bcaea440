"""Runs of a table of scores: one value a run of an agent on a task, tasks that every agent was run on."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError
from beatpath._text import counted, quoted
from beatpath.evidence import Convention, Evidence, Scores
from beatpath.evidence.conventions import DEFAULT, Conventions, task_weights
from beatpath.inference.runs.normalised import REFERRED


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Values by agent and task, in an order that no order of the input changes.

    Parameters
    ----------
    agents, tasks : tuple of str
    agent, task : (r,) int
        Rows are sorted by agent, task and value.
    value : (r,) float
        Higher is better.
    count : (n, tasks) int
        Runs of every agent on every task, at least one.
    weight : (tasks,) float
        Of the tasks; they add up to one.
    unit : str
        What a task is called: a task, or an item of one.
    normalised : bool
        Whether 0 and 1 are the scores of references.
    conventions : tuple of Convention
    notes : tuple of str
    """

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    agent: Ints
    task: Ints
    value: Floats
    count: Ints
    weight: Floats
    unit: str
    normalised: bool
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    def of(self, agent: int) -> slice:
        """Return the rows of an agent."""
        first, last = np.searchsorted(self.agent, [agent, agent + 1])
        return slice(int(first), int(last))

    def require_several(self) -> None:
        """Raise unless every agent has two runs on every task, without which nothing says how runs vary."""
        if (self.count < 2).any():
            a, t = np.argwhere(self.count < 2)[0]
            raise DataError(
                f"how sure scores are on these {self.unit}s needs two runs or more of every agent on every {self.unit}; "
                f"{quoted(self.agents[a])} has one on {quoted(self.tasks[t])}. Ask about {self.unit}s like these, which needs "
                f"one run only (`cluster='task'`)."
            )


def runs_of(evidence: Evidence, chosen: Conventions = DEFAULT) -> Runs:
    """Return the runs of a table of scores: items of a task averaged within a run, tasks that somebody lacks left out.

    Every row is a run where scores have no items, or items take the place of tasks; else a replicate is.

    >>> told = Scores(("ada", "bob"), [0, 0, 1], [3.0, 1.0, 2.0], {})
    >>> made = runs_of(told)
    >>> made.value, made.count
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
    kept = _common_tasks(evidence.agents, tasks, count > 0, chosen.missing, per)
    kept = np.array(sorted(kept.tolist(), key=lambda t: tasks[t]), dtype=np.int64)
    place = np.full(len(tasks), -1)
    place[kept] = np.arange(len(kept))
    held = place[task] >= 0
    agent, task, value = agent[held], place[task[held]], value[held]
    order = np.lexsort((value, task, agent))
    named = tuple(tasks[t] for t in kept.tolist())
    weight, made = task_weights(named, chosen.weights) if chosen.weights else (np.ones(len(named)), None)
    return Runs(
        evidence.agents,
        named,
        agent[order],
        task[order],
        value[order],
        count[:, kept],
        weight / weight.sum(),
        per,
        any(one.name == REFERRED for one in evidence.conventions),
        evidence.conventions if made is None else (*evidence.conventions, made),
        tuple(_left_out(len(tasks) - len(kept), len(tasks), per)),
    )


def runs_said(scores: Scores, chosen: Conventions = DEFAULT) -> str:
    """Return how many runs of an agent on a task there are, in words; nothing where there is one, or runs are what votes.

    >>> runs_said(Scores(("ada", "bob"), [0, 0, 1], [3.0, 1.0, 2.0], {}))
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
    return f"{times} runs of an agent on {'an item' if per == 'item' else 'a task'}"


def _run_values(scores: Scores, per: str) -> tuple[Ints, Ints, Floats]:
    """Agent, task and value of every run, the items of a task averaged."""
    agent, voter = scores.agent.astype(np.int64), scores.voters(per).codes.astype(np.int64)
    value = scores.value * scores.sign()
    if "item" not in scores.factors or per == "item":
        return agent, voter, value
    run = scores.factors["replicate"].codes if "replicate" in scores.factors else np.zeros(len(agent), np.int64)
    found, group = np.unique(np.stack([agent, voter, run]), axis=1, return_inverse=True)
    return found[0], found[1], np.bincount(group, value) / np.bincount(group)


def _common_tasks(agents: tuple[str, ...], tasks: tuple[str, ...], held: Bools, missing: str, per: str) -> Ints:
    """The tasks that every agent was run on."""
    kept = np.flatnonzero(held.all(axis=0))
    if missing == "error" and not held.all():
        a, t = np.argwhere(~held)[0]
        raise DataError(
            f"every agent must have a score on every {per}; {quoted(agents[a])} has none on {quoted(tasks[t])}. Choose "
            "another `missing` policy."
        )
    if not len(kept):
        who = agents[int(np.argmin(held.sum(axis=1)))]
        raise DataError(
            f"scores of runs need a {per} that every agent was run on; there is none. {quoted(who)} has the fewest, "
            f"{int(held.sum(axis=1).min()):,} of {len(tasks):,}: leave it out with `--without`, or use `mean_score`."
        )
    return kept


def _left_out(number: int, total: int, per: str) -> list[str]:
    if not number:
        return []
    one = number == 1
    left = f"{number:,} of {counted(total, per)} {'is' if one else 'are'} left out"
    return [f"{left}, as not every agent was run on {'it' if one else 'them'}."]
