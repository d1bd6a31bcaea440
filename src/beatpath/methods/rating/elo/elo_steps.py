r"""Elo's update, battle by battle: one source, run as plain Python or compiled.

With :math:`s` the outcome for *a*, :math:`K` the step and the expectation

.. math::  E = \frac{1}{1 + 10^{(r_b - r_a)/400}},

a battle moves :math:`r_a` by :math:`K (s - E)` and :math:`r_b` by as much the other way. In terms of the margin
:math:`m = 2s - 1` that is :math:`\tfrac{K}{2}\left(m + \tanh\frac{(r_b - r_a) \ln 10}{800}\right)`, which cannot overflow.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import repeat
from math import tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats, Ints

COMPILE = 4_000_000  # battles from which loading numba and compiling, about 0.7 s, is made up for
HALF = 0.0028782313662425573  # ln 10 / 800


def in_turn(
    a: Sequence[int], b: Sequence[int], margin: Sequence[float], half_k: Iterable[float], rating: list[float]
) -> None:
    """Rate battles one after another, in place.

    >>> rating = [1000.0, 1000.0]
    >>> in_turn([0, 0], [1, 1], [1.0, 0.0], [16.0, 16.0], rating)
    >>> [round(r, 2) for r in rating]
    [1014.53, 985.47]
    """
    for i, j, m, step in zip(a, b, margin, half_k):  # noqa: B905 (numba knows no `strict`)
        x = rating[i]
        y = rating[j]
        gain = step * (m + tanh((y - x) * HALF))
        rating[i] = x + gain
        rating[j] = y - gain


def at_once(
    a: Sequence[int],
    b: Sequence[int],
    margin: Sequence[float],
    half_k: Iterable[float],
    group: Sequence[int],
    rating: list[float],
    before: list[float],
    seen: list[int],
) -> None:
    """Rate battles group by group, each battle of a group from the ratings before the group, in place.

    `seen` holds the last group in which an agent met anyone, and `before` its rating then; both are scratch.

    >>> rating = [1000.0, 1000.0]
    >>> at_once([0, 0], [1, 1], [1.0, 0.0], [16.0, 16.0], [0, 0], rating, [0.0, 0.0], [-1, -1])
    >>> rating
    [1016.0, 984.0]
    """
    for i, j, m, step, now in zip(a, b, margin, half_k, group):  # noqa: B905
        if seen[i] != now:
            seen[i] = now
            before[i] = rating[i]
        if seen[j] != now:
            seen[j] = now
            before[j] = rating[j]
        gain = step * (m + tanh((before[j] - before[i]) * HALF))
        rating[i] += gain
        rating[j] -= gain


def rated(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    margin: Floats,
    half_k: Floats | float,
    group: Ints | None,
    rating: Floats,
) -> Floats:
    """Return the ratings after all battles; `group` numbers those that happened at one time, None when all differ.

    numba is used where it is installed and there are so many battles that compiling pays, or it was compiled before.
    """
    groups = [] if group is None else [group]
    scratch = [] if group is None else [np.zeros(len(rating)), np.full(len(rating), -1, dtype=np.int64)]
    kernel: Callable[..., None] = in_turn if group is None else at_once
    fast = compiled_steps(kernel) if len(a) >= COMPILE or compiled_steps.cache_info().currsize else None
    if fast is not None:
        new = rating.copy()
        fast(a, b, margin, np.broadcast_to(half_k, len(a)), *groups, new, *scratch)
        return new
    steps: Iterable[float] = half_k.tolist() if isinstance(half_k, np.ndarray) else repeat(half_k)
    plain = rating.tolist()
    kernel(a.tolist(), b.tolist(), margin.tolist(), steps, *_lists(groups), plain, *_lists(scratch))
    return np.array(plain, dtype=np.float64)


def _lists(arrays: Sequence[NDArray[Any]]) -> list[list[Any]]:
    return [values.tolist() for values in arrays]


@cache
def compiled_steps(kernel: Callable[..., None]) -> Callable[..., None] | None:
    """Return a kernel compiled by numba, or None where numba is not installed."""
    if find_spec("numba") is None:
        return None
    from numba import njit

    fast: Callable[..., None] = njit(kernel)
    return fast
