"""The smallest number that changes an answer: of units, largest effect first, or on an interval."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats

T = TypeVar("T")


def predicted_number(effect: Floats, many: NDArray[Any], gap: float) -> float:
    """Return how many units, `many` of each kind, have effects that add up to a gap; infinite where all do not.

    >>> predicted_number(np.array([3.0, 1.0]), np.array([2, 5]), 8.0)
    4.0
    """
    reach = np.cumsum(effect * many)
    k = int(np.searchsorted(reach, gap, side="right"))
    if k == len(reach):
        return float("inf")
    before = float(reach[k - 1]) if k else 0.0
    return float(many[:k].sum() + (gap - before) / effect[k])


def first_units(many: NDArray[Any], number: int) -> NDArray[Any]:
    """Return the first `number` units as counts by kind.

    >>> first_units(np.array([3, 7]), 5)
    array([3, 2])
    """
    return np.clip(number - (np.cumsum(many) - many), 0, many)


def bisected(holds: Callable[[float], bool], start: float, end: float, steps: int) -> tuple[float, float]:
    """Return the ends of an interval, halved so often, between which what holds at the start ceases to hold.

    >>> bisected(lambda x: x**2 < 2, 0.0, 2.0, 3)
    (1.25, 1.5)
    """
    for _ in range(steps):
        middle = (start + end) / 2
        start, end = (middle, end) if holds(middle) else (start, middle)
    return start, end


def shortest_prefix(look: Callable[[int], tuple[bool, T | None]], guess: int, most: int) -> tuple[int, T] | None:
    """Return the smallest number of units that is enough, at most `most`, and what results; None where none is.

    Doubling from a guess, then bisection.

    Parameters
    ----------
    look : function of a number
        Whether so many are enough, and what results; None where they are too many for any result.
    guess, most : int
        Where to start, and the largest number.

    Examples
    --------
    >>> shortest_prefix(lambda k: (k * k > 50, k * k), 3, 100)
    (8, 64)
    """
    low, high = 0, max(min(guess, most), 1)
    if most < 1:
        return None
    enough, best = look(high)
    while not enough:
        if high == most:
            return None
        low, high = high, min(2 * high, most)
        enough, best = look(high)
    while high - low > 1:
        middle = (low + high) // 2
        enough, result = look(middle)
        low, high, best = (low, middle, result) if enough else (middle, high, best)
    return None if best is None else (high, best)
