r"""Five ways to sum up runs over tasks: mean, median, interquartile mean, optimality gap, probability of improvement.

With :math:`x_{ti}` the run *i* on task *t*, :math:`w_{ti}` its weight (adding up to one) and :math:`\bar x_t` the mean of a task,

* mean :math:`\sum w_{ti} x_{ti}`; median of the :math:`\bar x_t`;
* interquartile mean: the mean of what is left of all runs together when a quarter is cut off at either end, of *N* runs
  :math:`\lfloor N / 4 \rfloor`;
* optimality gap: :math:`\gamma - \sum w_{ti} \min(x_{ti}, \gamma)`, how far runs fall short of a target, nothing being gained beyond;
* probability of improvement: :math:`P(X_t > Y_t) + P(X_t = Y_t) / 2` for a run of an agent and one of another on a task at
  random; for a board the mean over all other agents.

Each is a function of the weights, so that a thousand draws cost little more than one. Agarwal and others [1]_ recommend the last
three.

References
----------
.. [1] R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare, "Deep reinforcement learning at the edge of the
       statistical precipice", *Advances in Neural Information Processing Systems* 34 (2021).
"""

from collections.abc import Callable

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.inference.runs.resampling import Draws
from beatpath.inference.runs.runs import Runs

TARGET = 1.0  # of the optimality gap


def aggregate(measure: str, runs: Runs, draws: Draws) -> Floats:
    """Return a measure of every agent in every draw, (b, n); higher is better, so that a gap has a minus sign."""
    if measure == "probability_of_improvement":
        return probability_of_improvement(runs, draws)
    one = ONE_AGENT[measure]
    return np.stack([one(runs, draws, runs.of(a)) for a in range(len(runs.agents))], axis=1)


def mean(runs: Runs, draws: Draws, rows: slice) -> Floats:
    """Return the mean over tasks of the means of runs, (b,)."""
    return draws.weight(runs, rows) @ runs.value[rows]


def minus_optimality_gap(runs: Runs, draws: Draws, rows: slice) -> Floats:
    """Return minus the optimality gap, (b,)."""
    return draws.weight(runs, rows) @ np.minimum(runs.value[rows], TARGET) - TARGET


def median(runs: Runs, draws: Draws, rows: slice) -> Floats:
    """Return the median over tasks of the means of runs, (b,); of an even number the middle of two."""
    start = np.searchsorted(runs.task[rows], np.arange(len(runs.tasks)))
    return weighted_median(np.add.reduceat(draws.within[:, rows] * runs.value[rows], start, axis=1), draws.share)


def weighted_median(values: Floats, weight: Floats) -> Floats:
    """Return the median of every row, (b,), of values that weigh as given, (b, k) each; weights of a row add up to one.

    >>> weighted_median(np.array([[3.0, 1.0, 2.0]]), np.array([[0.5, 0.25, 0.25]]))
    array([2.5])
    """
    order = np.argsort(values, axis=1, kind="stable")
    up_to = np.cumsum(np.take_along_axis(weight, order, axis=1), axis=1)
    values = np.take_along_axis(values, order, axis=1)
    lower = np.argmax(up_to >= 0.5 - 1e-9, axis=1)
    upper = np.argmax(up_to > 0.5 + 1e-9, axis=1)
    return (np.take_along_axis(values, lower[:, None], 1) + np.take_along_axis(values, upper[:, None], 1))[:, 0] / 2


def interquartile_mean(runs: Runs, draws: Draws, rows: slice) -> Floats:
    r"""Return the mean of the middle half of all runs, (b,).

    Of *N* runs :math:`\lfloor N / 4 \rfloor` are cut off at either end; where they weigh unequally, the share
    :math:`\lfloor N / 4 \rfloor / N` of the weight.
    """
    value = runs.value[rows]
    order, cut = np.argsort(value, kind="stable"), (len(value) // 4) / len(value)
    up_to = np.clip(np.cumsum(draws.weight(runs, rows)[:, order], axis=1), cut, 1 - cut)
    kept = np.diff(up_to, axis=1, prepend=cut)
    return kept @ value[order] / (1 - 2 * cut)


def probability_of_improvement(runs: Runs, draws: Draws) -> Floats:
    r"""Return the probability that a run of an agent is above one of another agent, the mean over all others, (b, n).

    With :math:`F_t` the sum over agents of their distribution functions on task *t*, ties half, an agent's own share of
    :math:`\sum_i w_{ti} F_t(x_{ti})` is one half, whatever its weights, so that only the sum is needed.
    """
    order = np.lexsort((runs.value, runs.task))
    task, value = runs.task[order], runs.value[order]
    new = np.concatenate([[True], (task[1:] != task[:-1]) | (value[1:] != value[:-1])])
    first = np.flatnonzero(new)
    group = np.cumsum(new) - 1
    last = np.concatenate([first[1:], [len(task)]])
    up_to = np.concatenate([np.zeros((len(draws.within), 1)), np.cumsum(draws.within[:, order], axis=1)], axis=1)
    start = up_to[:, np.searchsorted(task, task)]
    below = np.empty_like(draws.within)
    below[:, order] = (up_to[:, first[group]] + up_to[:, last[group]]) / 2 - start
    n = len(runs.agents)
    beaten = [(draws.weight(runs, rows) * below[:, rows]).sum(axis=1) for rows in map(runs.of, range(n))]
    return (np.stack(beaten, axis=1) - 0.5) / max(n - 1, 1)


def improvement_of_pair(runs: Runs, draws: Draws, first: int, second: int) -> Floats:
    """Return the probability that a run of one agent is above one of another on the same task, ties half, (b,)."""
    x, y = runs.of(first), runs.of(second)
    found = np.zeros(len(draws.within))
    for t in range(len(runs.tasks)):
        i, j = _of_task(runs.task, x, t), _of_task(runs.task, y, t)
        above = np.sign(runs.value[i][:, None] - runs.value[j][None, :]) / 2 + 0.5
        found += draws.share[:, t] * ((draws.within[:, i] @ above) * draws.within[:, j]).sum(axis=1)
    return found


def _of_task(task: Ints, rows: slice, t: int) -> slice:
    first, last = np.searchsorted(task[rows], [t, t + 1]) + rows.start
    return slice(int(first), int(last))


ONE_AGENT: dict[str, Callable[[Runs, Draws, slice], Floats]] = {
    "mean_score": mean,
    "median": median,
    "iqm": interquartile_mean,
    "optimality_gap": minus_optimality_gap,
}
