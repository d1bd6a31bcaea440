"""What the levels of many resamples say: ranks with ties shared, who is above whom, and quantiles that hide no failure."""

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Levels = NDArray[np.integer]

HELD = 1 << 24  # comparisons held at a time


def rank_ranges(levels: Levels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the best and the worst rank of every agent in every resample; agents of one level share what they span.

    >>> rank_ranges(np.array([[0, 1, 1]]))
    (array([[1, 2, 2]]), array([[1, 3, 3]]))
    """
    draws, n = levels.shape
    at = levels + n * np.arange(draws)[:, None]
    size = np.bincount(at.ravel(), minlength=draws * n).reshape(draws, n)
    upto = np.cumsum(size, axis=1).ravel()[at]
    return upto - size.ravel()[at] + 1, upto


def rank_frequencies(levels: Levels) -> Array:
    r"""Return how often each agent has each rank, shape (n, n); *t* agents that share *t* ranks have each for :math:`1 / t`.

    Rows and columns add up to one.

    >>> rank_frequencies(np.array([[0, 1, 1], [0, 1, 2]]))
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.75, 0.25],
           [0.  , 0.25, 0.75]])
    """
    draws, n = levels.shape
    best, worst = rank_ranges(levels)
    total, agent = np.zeros((n, n)), np.broadcast_to(np.arange(n), (draws, n))
    for size in np.unique(worst - best + 1):
        here = worst - best + 1 == size
        enters = np.bincount(agent[here] * (n + 1) + best[here] - 1, minlength=n * (n + 1)).reshape(n, n + 1)
        leaves = np.bincount(agent[here] * (n + 1) + worst[here], minlength=n * (n + 1)).reshape(n, n + 1)
        total += np.cumsum(enters - leaves, axis=1)[:, :n] / size
    return total / max(draws, 1)


def above_frequencies(levels: Levels) -> Array:
    """Return how often the row's agent is on a better level than the column's, shape (n, n); ties count for neither.

    >>> above_frequencies(np.array([[0, 1], [0, 0]]))
    array([[0. , 0.5],
           [0. , 0. ]])
    """
    draws, n = levels.shape
    total = np.zeros((n, n))
    height = max(1, HELD // (n * n))
    for low in range(0, draws, height):
        some = levels[low : low + height]
        total += (some[:, :, None] < some[:, None, :]).sum(axis=0)
    return total / max(draws, 1)


def quantile_and_error(values: Array, p: float, worst: float, failed: int) -> tuple[Array, Array]:
    r"""Return a quantile of each column, with resamples that gave none taken for the worst; and its Monte-Carlo error.

    The quantile lies at the :math:`(r + 1) p`-th of *r* values in order, between neighbours in proportion. Its error is half of
    what lies within :math:`\sqrt{r p (1 - p)}` places of it.

    Parameters
    ----------
    values : (r, n) float
        NaN where there is none.
    p : float
    worst : float
        What takes the place of NaN, and of `failed` further resamples.

    Examples
    --------
    >>> values = np.arange(1.0, 20.0)[:, None]
    >>> quantile_and_error(values, 0.05, -np.inf, 0)[0], quantile_and_error(values, 0.05, -np.inf, 1)[0]
    (array([1.]), array([-inf]))
    """
    full = np.concatenate([np.where(np.isnan(values), worst, values), np.full((failed, values.shape[1]), worst)])
    full.sort(axis=0)
    r = len(full)
    spread = np.sqrt(r * p * (1 - p))
    at = (r + 1) * p - 1
    low, high = _at(full, at - spread), _at(full, at + spread)
    with np.errstate(invalid="ignore"):
        return _at(full, at), (high - low) / 2


def _at(ordered: Array, place: float) -> Array:
    """The value at a place that need not be whole, the ends beyond them."""
    place = min(max(place, 0.0), len(ordered) - 1.0)
    low, high = ordered[floor(place)], ordered[ceil(place)]
    share = place - floor(place)
    with np.errstate(invalid="ignore"):
        return np.where(
            np.isfinite(low) & np.isfinite(high), low + share * (high - low), np.where(np.isfinite(low), high, low)
        )
