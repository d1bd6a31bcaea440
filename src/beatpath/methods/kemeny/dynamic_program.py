r"""Optimal orders of few agents by dynamic programming over sets: all of them, counted.

With :math:`F(S)` the least cost of arranging the set *S* on top,

.. math::  F(S) = \min_{a \in S} F(S \setminus a) + w_a(S \setminus a), \qquad w_a(S) = \sum_{b \in S} \max(M_{ab}, 0),

since *a* placed below *S* reverses its wins over *S*. With :math:`G(S)` the least cost of all that comes below *S*,
putting *a* next after *S* is part of an optimal order when :math:`F(S) + w_a(S) + G(S \cup a)` equals the optimum. Whoever is
not in *S* comes below it, so that a set on top costs :math:`F(S) + \sum_{a \notin S} w_a(S)` at least; where that is more than
a good order costs, nothing is built on the set.
"""

from collections.abc import Callable, Iterator

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.methods.kemeny.moves import inserted
from beatpath.methods.kemeny.part import Order, Part, reversed_margin

MOST = 16


def by_subsets(margins: Floats, *, tol: float, optima: int = 1) -> Part:
    """Return an optimal order, which pairs all optimal orders agree on, and as many optimal orders as asked for.

    Parameters
    ----------
    margins : (n, n) float
        Equal to minus its transpose; n at most about 20, for :math:`O(2^n n)` time and memory.
    tol : float
        Orders whose costs differ by no more are equally good; more than rounding when margins are not whole.
    optima : int
        How many optimal orders to list at most.

    Examples
    --------
    A circle of three equal wins can be cut anywhere.

    >>> circle = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    >>> part = by_subsets(circle, tol=0, optima=9)
    >>> part.cost, part.unique, [order.tolist() for order in part.optima]
    (1.0, False, [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
    """
    n = len(margins)
    cost_below = _costs_below(np.maximum(margins, 0.0))
    start = inserted(margins, np.argsort(-margins.sum(axis=1), kind="stable"), tol=tol)
    most = reversed_margin(margins, start) + tol
    bit = 1 << np.arange(n)[:, None]
    above, below = np.full(1 << n, np.inf), np.full(1 << n, np.inf)
    above[0] = below[-1] = 0.0
    layers = [np.zeros(1, dtype=np.int64)]
    for _ in range(n):
        sets = _one_more(layers[-1], bit)
        before = sets & ~bit  # who is not in the set leaves it as it is, still at infinity
        above[sets] = (above.take(before) + cost_below(before)).min(axis=0)
        outside = np.where(sets & bit, 0.0, cost_below(sets)).sum(axis=0)
        hopeless = above[sets] + outside > most
        above[sets[hopeless]] = np.inf
        layers.append(sets[~hopeless])
    best, steps = float(above[-1]), np.zeros((n, 1 << n), dtype=bool)
    for sets in layers[-2::-1]:
        onward = cost_below(sets) + below.take(sets | bit)
        below[sets] = onward.min(axis=0)
        steps[:, sets] = above[sets] + onward <= best + tol
    some_above = (
        np.stack([(np.bitwise_or.reduce(np.flatnonzero(step)) >> np.arange(n)) & 1 for step in steps], axis=1) > 0
    )
    found = [order for order, _ in zip(_walks(steps), range(max(optima, 2)), strict=False)]
    sure = ~some_above.T & ~np.eye(n, dtype=bool)
    return Part(found[0], best, best, sure, len(found) == 1, "dynamic programming", found[:optima])


def _costs_below(cost: Floats) -> Callable[[Ints], Floats]:
    """The cost of every agent below sets, which sums its row over their members: (n, sets), or row a below the sets of row a.

    Half of the agents make one table and half another, both small enough to stay near.

    >>> _costs_below(np.array([[0.0, 1, 2], [4, 0, 8], [16, 32, 0]]))(np.array([0b000, 0b011, 0b111]))
    array([[ 0.,  1.,  3.],
           [ 0.,  4., 12.],
           [ 0., 48., 48.]])
    """
    n = len(cost)
    half = n // 2
    first, second = _sums_over_sets(cost[:, :half]), _sums_over_sets(cost[:, half:])
    agent = np.arange(n)[:, None]
    low, high = agent << half, agent << (n - half)
    return lambda sets: first.take(sets & ((1 << half) - 1) | low) + second.take(sets >> half | high)


def _sums_over_sets(cost: Floats) -> Floats:
    """The sum of every row over every set of columns."""
    rows, n = cost.shape
    added = np.zeros((rows, 1 << n))
    for b in range(n):
        added[:, 1 << b : 2 << b] = added[:, : 1 << b] + cost[:, [b]]
    return added


def _one_more(sets: Ints, bit: Ints) -> Ints:
    """All sets with one agent more than these have.

    >>> _one_more(np.array([1]), 1 << np.arange(3)[:, None])
    array([3, 5])
    """
    reached = np.zeros(1 << len(bit), dtype=bool)
    reached[sets | bit] = True
    reached[sets] = False
    return np.flatnonzero(reached)


def _walks(steps: Bools) -> Iterator[Order]:
    """Yield the orders made of optimal steps, those with small numbers first."""
    full = steps.shape[1] - 1

    def onward(held: int, placed: list[int]) -> Iterator[Order]:
        if held == full:
            yield np.array(placed, dtype=np.int64)
            return
        for a in np.flatnonzero(steps[:, held]).tolist():
            yield from onward(held | 1 << a, [*placed, a])

    return onward(0, [])
