"""Whether the tasks of a score table share a unit, so that a mean over them reflects all of them."""

import numpy as np

from beatpath._arrays import Floats

# largest ratio to the median task; spreads: at most 2.8 in eight tables with one unit, 158 for raw Atari scores
SCALES = 10.0


def task_spreads(table: Floats) -> Floats:
    """Return the standard deviation of scores on every task of a table, (agents, tasks), with NaN for missing.

    >>> task_spreads(np.array([[1.0, 5.0], [3.0, np.nan]]))
    array([1., 0.])
    """
    return np.asarray(np.nanstd(table, axis=0))


def one_unit(table: Floats) -> bool:
    """Return whether a mean over tasks reflects all of them, and not the few with the largest scores.

    Scores between 0 and 1 share a unit. Others do not where some task has ten times the spread of the median task, and
    some ten times its size: long tails alone, such as those of latencies, are no other unit.

    >>> points = np.array([[1.0, 2.0, 3.0, 1.0, 2.0], [2.0, 1.0, 1.0, 3.0, 3.0]])
    >>> one_unit(points), one_unit(np.tile(points, 4) * ([1] * 19 + [1000])), one_unit(points * [1, 1, 1, 1, 1000])
    (True, False, False)
    """
    spread, size = task_spreads(table), np.nanmedian(np.abs(table), axis=0)
    return bool(np.nanmin(table) >= 0 and np.nanmax(table) <= 1) or not (_differ(spread) and _differ(size))


def _differ(sizes: Floats) -> bool:
    """Return whether the largest of some sizes is far above their median; zeros say nothing about units."""
    some = np.sort(sizes[sizes > 0])
    return bool(len(some) and some[-1] > SCALES * some[(len(some) - 1) // 2])
