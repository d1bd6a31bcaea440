r"""Tables that might have been: which runs, and which tasks, are drawn again.

A draw is a weight for every run, so that a statistic of many draws is a product of matrices. With :math:`\pi_t` the weight of
task *t*, :math:`M_t` how often it is drawn, and :math:`c_{ti}` how often its run *i* is,

.. math::  w_{ti} = \frac{\pi_t M_t}{\sum_s \pi_s M_s} \cdot \frac{c_{ti}}{\sum_j c_{tj}} .

* ``runs`` answers for *these tasks*: :math:`M_t = 1`, runs drawn within each task ("stratified").
* ``tasks`` answers for *tasks like these*: whole tasks are drawn, each with its runs as they are.
* ``nested`` draws tasks and then runs within them, the noise of runs twice: task means vary with it already.

Agents share the tasks that are drawn, and draw their own runs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.inference.runs.runs import Runs

Scheme = Literal["runs", "tasks", "nested"]
CELLS = 4_000_000  # weights held at a time


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Weights of some draws.

    Parameters
    ----------
    times : (b, tasks) float
        How often every task is drawn.
    share : (b, tasks) float
        The weight of every task; a row adds up to one.
    within : (b, rows) float
        The weight of every run within its agent and task; adds up to one where the task is drawn.
    """

    times: Floats
    share: Floats
    within: Floats

    def weight(self, runs: Runs, rows: slice) -> Floats:
        """Return the weight of every run of an agent, (b, rows of it); adds up to one."""
        return self.share[:, runs.task[rows]] * self.within[:, rows]


def observed(runs: Runs) -> Draws:
    """Return the table as it is, as a single draw."""
    within = 1 / runs.count[runs.agent, runs.task]
    return Draws(np.ones((1, len(runs.tasks))), runs.weight[None, :], within[None, :])


def drawn(runs: Runs, scheme: Scheme, draws: int, seed: int, *, one_fewer: bool = False) -> Iterator[Draws]:
    """Yield draws, some at a time.

    `one_fewer` draws one run, or task, fewer than there are: the variance over draws is then that of the statistic, and not
    less by :math:`(R - 1) / R`, for anything linear [1]_.

    References
    ----------
    .. [1] J. N. K. Rao, C. F. J. Wu, "Resampling inference with complex survey data", *Journal of the American Statistical
           Association* 83 (1988), 231-241.
    """
    size = max(1, CELLS // max(len(runs.value), 1))
    of_tasks, *of_agent = streams(runs, seed)
    for start in range(0, draws, size):
        b = min(size, draws - start)
        times = _task_times(runs, scheme, b, of_tasks, one_fewer)
        share = times * runs.weight
        within = np.empty((b, len(runs.value)))
        for a in range(len(runs.agents)):
            rows = runs.of(a)
            if scheme == "tasks":
                within[:, rows] = 1 / runs.count[a, runs.task[rows]]
            else:
                fewer = 1 if one_fewer and scheme == "runs" else 0
                within[:, rows] = _run_weights(runs.count[a], times, of_agent[a], fewer)
        yield Draws(times, share / share.sum(axis=1, keepdims=True), within)


def streams(runs: Runs, seed: int) -> list[np.random.Generator]:
    """Return what draws tasks, and what draws the runs of every agent, which goes by its name and not by its place."""
    first, *others = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(1 + len(runs.agents)))
    by_name = dict(zip(sorted(runs.agents), others, strict=True))
    return [first, *(by_name[name] for name in runs.agents)]


def _task_times(runs: Runs, scheme: Scheme, b: int, rng: np.random.Generator, one_fewer: bool) -> Floats:
    """How often every task is drawn, (b, tasks)."""
    T = len(runs.tasks)
    if scheme == "runs":
        return np.ones((b, T))
    return rng.multinomial(T - one_fewer, np.full(T, 1 / T), size=b).astype(np.float64)


def _run_weights(count: Ints, times: Floats, rng: np.random.Generator, fewer: int) -> Floats:
    """The weight of every run within its task, (b, runs), the runs of one task together.

    Where a task is drawn more than once, so are its runs, and all of them are pooled.
    """
    first = np.concatenate([[0], np.cumsum(count)])
    weight = np.empty((len(times), int(first[-1])))
    for R in np.unique(count):
        tasks = np.flatnonzero(count == R)
        number = (times[:, tasks] * (R - fewer)).astype(np.int64)
        chosen = rng.multinomial(number, np.full(R, 1 / R))
        chosen = chosen / np.maximum(number, 1)[..., None]
        weight[:, (first[tasks][:, None] + np.arange(R)).ravel()] = chosen.reshape(len(times), -1)
    return weight
