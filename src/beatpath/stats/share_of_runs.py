r"""How much of what scores differ by within a task is luck: the share of runs in their variance.

On a task with *A* agents and *N* runs, :math:`n_a` of an agent, let :math:`W` be the mean square of runs about the means of their
agents and :math:`B` that of the means. One-way analysis of variance has

.. math::  \hat\sigma^2_{\text{runs}} = W, \qquad \hat\sigma^2_{\text{agents}} = \max\Big(0, \frac{B - W}{n_0}\Big), \qquad
           n_0 = \frac{N - \sum_a n_a^2 / N}{A - 1},

and the share is :math:`\hat\sigma^2_{\text{runs}}` of the two together: what part of the variance of single runs, one of every agent,
says nothing of the agents. It has no unit, so that tasks can be averaged.
"""

import numpy as np

from beatpath._arrays import Codes, Floats, Ints


def share_of_runs(agent: Codes | Ints, task: Ints, value: Floats, tasks: int) -> Floats:
    """Return the share of runs in the variance of every task, (tasks,); NaN where no agent ran twice, or nobody differs.

    >>> share_of_runs(np.array([0, 0, 1, 1]), np.zeros(4, int), np.array([1.0, 3.0, 6.0, 8.0]), 1).round(3)
    array([0.148])
    """
    key = task.astype(np.int64) * (int(agent.max(initial=0)) + 1) + agent
    cell, at = np.unique(key, return_inverse=True)
    of_task = np.zeros(len(cell), dtype=np.int64)
    of_task[at] = task
    n = np.bincount(at)
    mean = np.bincount(at, value) / n
    A, N = (np.bincount(of_task, x, tasks) for x in (np.ones(len(cell)), n))
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = np.bincount(of_task, n * mean, tasks) / N
        within = np.bincount(task, (value - mean[at]) ** 2, tasks) / (N - A)
        between = np.bincount(of_task, n * (mean - middle[of_task]) ** 2, tasks) / (A - 1)
        n0 = (N - np.bincount(of_task, n**2, tasks) / N) / (A - 1)
        agents = np.maximum(between - within, 0.0) / n0
        share = within / (within + agents)
    return np.where((A > 1) & (N > A), share, np.nan)
