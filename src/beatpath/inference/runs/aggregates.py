r"""Five aggregates of runs over tasks: mean, median, interquartile mean, optimality gap, probability of improvement.

With :math:`x_{ti}` run *i* on task *t*, :math:`w_{ti}` its weight (summing to one) and :math:`\bar x_t` the mean of a
task,

* mean :math:`\sum w_{ti} x_{ti}`; median of the :math:`\bar x_t`;
* interquartile mean (IQM): the mean of all runs together without a quarter at either end, :math:`\lfloor N / 4
\rfloor` of
  *N* runs;
* optimality gap: :math:`\gamma - \sum w_{ti} \min(x_{ti}, \gamma)`, how far runs fall short of a target, with no credit
  beyond it;
* probability of improvement: :math:`P(X_t > Y_t) + P(X_t = Y_t) / 2` for a run of one agent and one of another on a
random
  task; for a board the mean over all other agents.

Each is a function of the weights, so a thousand draws cost little more than one. Agarwal et al. [1]_ recommend the last
three.

References
----------
.. [1] R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare, "Deep reinforcement learning at the edge of the
       statistical precipice", *Advances in Neural Information Processing Systems* 34 (2021).

Bootstrap of runs and tasks.

A draw is a weight for every run, so a statistic of many draws is a product of matrices. With :math:`\pi_t` the weight
of task *t*, :math:`M_t` how often it is drawn, and :math:`c_{ti}` how often its run *i* is,

.. math::  w_{ti} = \frac{\pi_t M_t}{\sum_s \pi_s M_s} \cdot \frac{c_{ti}}{\sum_j c_{tj}} .

* ``runs`` is for inference on *these tasks*: :math:`M_t = 1`, runs drawn within each task ("stratified").
* ``tasks`` is for inference on *tasks like these*: whole tasks are drawn, each with its runs unchanged.
* ``nested`` draws tasks and then runs within them; it counts the noise of runs twice, as task means include it.

Agents share the tasks drawn, and draw their own runs.

Standard error of a median of task means, on these tasks, over other runs.

The median of noisy means is not the median of the true means: noise mixes the tasks near the middle, and their order
within the noise is unknown. Resampling runs shows the resulting spread but not the shift. Both show in simulated
tables. With :math:`\bar x_t` a task mean, :math:`s_t^2` its squared standard error, half its own and half that of all
tasks, *c* the median and :math:`\tau^2` the variance of the means minus the mean of :math:`s_t^2`,

.. math::  \mu_t = c + B_t (\bar x_t - c) + \sqrt{B_t}\, s_t z_t, \qquad B_t = \frac{\tau^2}{\tau^2 + s_t^2}, \qquad
           e = \operatorname{median}_t(\mu_t + s_t z'_t) - \operatorname{median}_t \mu_t ,

are simulated true means, shrunk toward the middle because noise spreads the observed ones, and the error of a median
of such means with fresh noise. The variance is the mean of :math:`e^2`. Degrees of freedom are those of the few tasks
that the median depends on: with :math:`b_t` the slope of the median on the mean of task *t* over draws and :math:`v_t
= b_t^2 s_t^2`, Welch's.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.inference.runs.runs import Runs

Scheme = Literal["runs", "tasks", "nested"]
CELLS = 4_000_000  # weights in memory at a time, 32 MB


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Weights of some bootstrap draws.

    Parameters
    ----------
    share : (b, tasks) float
        The weight of every task; rows sum to one.
    within : (b, rows) float
        The weight of every run within its agent and task; sums to one where the task is drawn.
    """

    share: Floats
    within: Floats

    def weight(self, runs: Runs, rows: slice) -> Floats:
        """Return the weight of every run of an agent, (b, rows of it); rows sum to one."""
        return self.share[:, runs.task[rows]] * self.within[:, rows]


def observed(runs: Runs) -> Draws:
    """Return the observed table as a single draw."""
    within = 1 / runs.count[runs.agent, runs.task]
    return Draws(runs.weight[None, :], within[None, :])


def bootstrap_draws(runs: Runs, scheme: Scheme, draws: int, seed: int, *, one_fewer: bool = False) -> Iterator[Draws]:
    """Yield draws in blocks.

    `one_fewer` draws one run, or task, fewer than there are: for linear statistics the variance over draws is then
    unbiased, instead of too small by :math:`(R - 1) / R` [1]_.

    References
    ----------
    .. [1] J. N. K. Rao, C. F. J. Wu, "Resampling inference with complex survey data", *Journal of the American Statistical
           Association* 83 (1988), 231-241.
    """
    size, T = max(1, CELLS // max(len(runs.value), 1)), len(runs.tasks)
    of_tasks, *of_agent = streams(runs, seed)
    for start in range(0, draws, size):
        b = min(size, draws - start)
        times = np.ones((b, T))
        if scheme != "runs":
            times = of_tasks.multinomial(T - one_fewer, np.full(T, 1 / T), size=b).astype(np.float64)
        share = times * runs.weight
        within = np.empty((b, len(runs.value)))
        for a in range(len(runs.agents)):
            rows = runs.of(a)
            if scheme == "tasks":
                within[:, rows] = 1 / runs.count[a, runs.task[rows]]
            else:
                fewer = 1 if one_fewer and scheme == "runs" else 0
                within[:, rows] = _run_weights(runs.count[a], times, of_agent[a], fewer)
        yield Draws(share / share.sum(axis=1, keepdims=True), within)


def streams(runs: Runs, seed: int) -> list[np.random.Generator]:
    """Return random generators for tasks and for the runs of every agent, seeded by its name."""
    first, *others = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(1 + len(runs.agents)))
    by_name = dict(zip(sorted(runs.agents), others, strict=True))
    return [first, *(by_name[name] for name in runs.agents)]


def _run_weights(count: Ints, times: Floats, rng: np.random.Generator, fewer: int) -> Floats:
    """Return the weight of every run within its task, (b, runs), runs of one task adjacent.

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


TARGET = 1.0  # of the optimality gap: the score of the reference at 1


def aggregate(measure: str, runs: Runs, draws: Draws) -> Floats:
    """Return an aggregate of every agent in every draw, (b, n); higher is better, so a gap is negative."""
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
    """Return the median over tasks of the means of runs, (b,); the midpoint for an even number."""
    start = np.searchsorted(runs.task[rows], np.arange(len(runs.tasks)))
    return weighted_median(np.add.reduceat(draws.within[:, rows] * runs.value[rows], start, axis=1), draws.share)


def weighted_median(values: Floats, weight: Floats) -> Floats:
    """Return the weighted median of every row, (b,), of values and weights (b, k); weights of a row sum to one.

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

    Of *N* runs :math:`\lfloor N / 4 \rfloor` are trimmed at either end; with unequal weights, the share :math:`\lfloor
    N / 4 \rfloor / N` of the weight.
    """
    value = runs.value[rows]
    order, cut = np.argsort(value, kind="stable"), (len(value) // 4) / len(value)
    up_to = np.clip(np.cumsum(draws.weight(runs, rows)[:, order], axis=1), cut, 1 - cut)
    share = np.diff(up_to, axis=1, prepend=cut)
    return share @ value[order] / (1 - 2 * cut)


def probability_of_improvement(runs: Runs, draws: Draws) -> Floats:
    r"""Return the probability that a run of an agent is above one of another agent, averaged over all others, (b, n).

    With :math:`F_t` the sum over agents of their distribution functions on task *t*, ties half, an agent's own part of
    :math:`\sum_i w_{ti} F_t(x_{ti})` is one half, whatever its weights, so only the sum is needed.
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
    improved = np.zeros(len(draws.within))
    for t in range(len(runs.tasks)):
        i, j = _of_task(runs.task, x, t), _of_task(runs.task, y, t)
        above = np.sign(runs.value[i][:, None] - runs.value[j][None, :]) / 2 + 0.5
        improved += draws.share[:, t] * ((draws.within[:, i] @ above) * draws.within[:, j]).sum(axis=1)
    return improved


def _of_task(task: Ints, rows: slice, t: int) -> slice:
    first, last = np.searchsorted(task[rows], [t, t + 1]) + rows.start
    return slice(int(first), int(last))


# Aggregates that need the runs of one agent only.
ONE_AGENT: dict[str, Callable[[Runs, Draws, slice], Floats]] = {
    "mean_score": mean,
    "median": median,
    "iqm": interquartile_mean,
    "optimality_gap": minus_optimality_gap,
}


def median_errors(runs: Runs, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Return the variances of the medians of agents with two runs or more on every task, and degrees of freedom.

    >>> from beatpath import Factor, Scores
    >>> from beatpath.inference.runs.runs import runs_of
    >>> scores = Scores(("ada",), [0] * 6, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0], {"task": Factor.of("xxyyzz")})
    >>> median_errors(runs_of(scores), 100, 0)[0]
    array([0.])
    """
    errors = [_of_agent(runs, a, draws, rng) for a, rng in enumerate(streams(runs, seed)[1:])]
    variance, df = np.array(errors).T
    return variance, df


def _of_agent(runs: Runs, a: int, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the variance of an agent's median, and its degrees of freedom."""
    mean, square = task_means(runs, a, runs.value[runs.of(a)])
    s2 = (square + square.mean()) / 2
    if not s2.any():
        return 0.0, 1.0
    T, c = len(mean), float(weighted_median(mean[None], runs.weight[None])[0])
    tau2 = max(float(mean.var(ddof=1)) - float(s2.mean()), 0.0) if T > 1 else 0.0
    B = tau2 / (tau2 + s2)
    centre, squares, moved = c + B * (mean - c), 0.0, np.zeros(T)
    for start in range(0, draws, size := max(1, CELLS // T)):
        z = rng.standard_normal((2, min(size, draws - start), T))
        true = centre + np.sqrt(B * s2) * z[0]
        replicated = true + np.sqrt(s2) * z[1]
        weight = np.broadcast_to(runs.weight, true.shape)
        middle = weighted_median(replicated, weight)
        squares += float(((middle - weighted_median(true, weight)) ** 2).sum())
        moved += (middle - c) @ (replicated - centre)
    slope = np.maximum(moved / draws / (B * s2 + s2), 0.0)
    v = slope**2 * s2
    return squares / draws, float(v.sum()) ** 2 / float((v**2 / (runs.count[a] - 1)).sum())


def task_means(runs: Runs, a: int, value: Floats) -> tuple[Floats, Floats]:
    """Return the mean of a value of every run of an agent on every task, and its squared standard error."""
    task, R = runs.task[runs.of(a)], runs.count[a]
    mean = np.bincount(task, value) / R
    return mean, np.bincount(task, (value - mean[task]) ** 2) / (R - 1) / R
