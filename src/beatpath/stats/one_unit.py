"""Whether the tasks of a score table share a unit, so that a mean over them reflects all of them."""

import numpy as np

from beatpath._arrays import Floats

FEW_TASKS = 0.2  # smallest effective share of the tasks behind differences of means
# largest ratio to the spread of the median task; at most 2.8 in eight tables with one unit, 158 for raw Atari
# scores
SCALES = 10.0


def task_spreads(table: Floats) -> Floats:
    """Return the standard deviation of scores on every task of a table, (agents, tasks), with NaN for missing.

    >>> task_spreads(np.array([[1.0, 5.0], [3.0, np.nan]]))
    array([1., 0.])
    """
    held = ~np.isnan(table)
    n = np.maximum(held.sum(axis=0), 1)
    mean = np.where(held, table, 0.0).sum(axis=0) / n
    return np.asarray(np.sqrt((np.where(held, table - mean, 0.0) ** 2).sum(axis=0) / n))


def one_unit(table: Floats) -> bool:
    r"""Return whether a mean over tasks reflects all of them, and not the few with the largest scores.

    With :math:`s_t` the standard deviation of the agents' scores on a task, the effective number of tasks behind
    differences of means is :math:`(\sum_t s_t^2)^2 / \sum_t s_t^4`. With a common unit that is a fair share of the
    tasks that separate some agents, and none of them varies ten times as much as the median one. Tasks on which all
    agents score the same, such as questions that all answer, affect no difference and do not count.

    >>> points = np.array([[1.0, 2.0, 3.0, 1.0, 2.0], [2.0, 1.0, 1.0, 3.0, 3.0]])
    >>> one_unit(points), one_unit(np.tile(points, 4) * ([1] * 19 + [1000])), one_unit(points * [1, 1, 1, 1, 1000])
    (True, False, False)
    """
    spread = np.sort(task_spreads(table))
    spread = spread[spread > 0]
    if not len(spread):
        return True
    if spread[-1] > SCALES * spread[(len(spread) - 1) // 2]:
        return False
    square = spread**2
    return bool(square.sum() ** 2 >= FEW_TASKS * len(spread) * (square**2).sum()) or len(spread) < 4
