r"""How far a median of task means may be off, on these tasks, had other runs been made.

The median of noisy means is not the median of means without noise: noise mixes the tasks near the middle, and how these lie within the
noise cannot be seen. Drawing runs again shows the spread that comes of it and not the shift. Both show in tables whose truth is known.
With :math:`\bar x_t` a task mean, :math:`s_t^2` its squared error, half its own and half that of all tasks, *c* the median and
:math:`\tau^2` the variance of the means less the mean of :math:`s_t^2`,

.. math::  \mu_t = c + B_t (\bar x_t - c) + \sqrt{B_t}\, s_t z_t, \qquad B_t = \frac{\tau^2}{\tau^2 + s_t^2}, \qquad
           e = \operatorname{median}_t(\mu_t + s_t z'_t) - \operatorname{median}_t \mu_t ,

are means as they may be without noise, drawn towards the middle because noise has spread what is seen, and the error of a median of such
means with noise added anew. The variance is the mean of :math:`e^2`. Degrees of freedom are those of the few tasks that the median hangs
on: with :math:`b_t` the slope of the median on the mean of task *t* over draws and :math:`v_t = b_t^2 s_t^2`, Welch's.
"""

from typing import NamedTuple

import numpy as np

from beatpath._arrays import Floats
from beatpath.inference.runs.aggregates import weighted_median
from beatpath.inference.runs.resampling import CELLS, streams
from beatpath.inference.runs.runs import Runs


class MedianErrors(NamedTuple):
    """Variances of the errors of medians, and their degrees of freedom, (n,) each."""

    variance: Floats
    df: Floats


def median_errors(runs: Runs, draws: int, seed: int) -> MedianErrors:
    """Return how far the medians of agents may be off, with two runs or more of every agent on every task.

    >>> from beatpath import Factor, Scores
    >>> from beatpath.inference.runs.runs import runs_of
    >>> told = Scores(("ada",), [0] * 6, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0], {"task": Factor.of("xxyyzz")})
    >>> median_errors(runs_of(told), 100, 0).variance
    array([0.])
    """
    found = [_of_agent(runs, a, draws, rng) for a, rng in enumerate(streams(runs, seed)[1:])]
    variance, df = np.array(found).T
    return MedianErrors(variance, df)


def _of_agent(runs: Runs, a: int, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """The variance of the error of an agent's median, and its degrees of freedom."""
    mean, square = _task_means(runs, a)
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
        seen = true + np.sqrt(s2) * z[1]
        weight = np.broadcast_to(runs.weight, true.shape)
        middle = weighted_median(seen, weight)
        squares += float(((middle - weighted_median(true, weight)) ** 2).sum())
        moved += (middle - c) @ (seen - centre)
    slope = np.maximum(moved / draws / (B * s2 + s2), 0.0)
    v = slope**2 * s2
    return squares / draws, float(v.sum()) ** 2 / float((v**2 / (runs.count[a] - 1)).sum())


def _task_means(runs: Runs, a: int) -> tuple[Floats, Floats]:
    """The mean of an agent's runs on every task, and its squared error."""
    rows, R = runs.of(a), runs.count[a]
    task, value = runs.task[rows], runs.value[rows]
    mean = np.bincount(task, value) / R
    return mean, np.bincount(task, (value - mean[task]) ** 2) / (R - 1) / R
