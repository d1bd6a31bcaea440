"""Good orders quickly: insertion and block moves, from which an exact search starts."""

from collections.abc import Iterator
from time import monotonic

import numpy as np

from beatpath._arrays import Floats
from beatpath.methods.kemeny.part import Order, reversed_margin

BLOCK = 48
FEW = 300


def good_order(margins: Floats, *, tol: float, deadline: float = np.inf) -> Order:
    """Return the better of two orders improved by moves: from summed margins, and from the number of rivals beaten.

    >>> good_order(np.array([[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]]), tol=0.0)
    array([0, 1, 2])
    """
    starts = (margins.sum(axis=1), np.sign(margins).sum(axis=1))
    orders = [improved(margins, np.argsort(-merit, kind="stable"), tol=tol, deadline=deadline) for merit in starts]
    return min(orders, key=lambda order: reversed_margin(margins, order))


def improved(margins: Floats, order: Order, *, tol: float, deadline: float = np.inf) -> Order:
    """Return an order that no move of one agent and, when agents are few, no exchange of neighbouring blocks betters."""
    while True:
        order = inserted(margins, order, tol=tol, deadline=deadline)
        if len(order) > FEW or monotonic() > deadline:
            return order
        better = _exchanged(margins, order, tol)
        if better is None:
            return order
        order = better


def inserted(margins: Floats, order: Order, *, tol: float, deadline: float = np.inf) -> Order:
    r"""Move one agent at a time to its best place among the others until nobody gains by moving.

    Putting agent *a* after the first k of the others costs :math:`\sum_{i < k} M_{a, i}` more than putting it first. Who may
    gain is seen for all at once; these are moved one after another.
    """
    order, cost = order.copy(), np.zeros(len(order))
    while len(movers := _movers(margins, order, tol)):
        for agent in movers.tolist():
            if monotonic() > deadline:
                return order
            place = int(np.flatnonzero(order == agent)[0])
            others = np.concatenate((order[:place], order[place + 1 :]))
            margins[agent].take(others).cumsum(out=cost[1:])
            best = int(cost.argmin())
            if cost[best] < cost[place] - tol:
                order[:best], order[best], order[best + 1 :] = others[:best], agent, others[best:]
    return order


def _movers(margins: Floats, order: Order, tol: float) -> Order:
    """The agents, best first, that would gain by moving to another place."""
    cost = np.cumsum(margins[np.ix_(order, order)], axis=1)
    lowest = np.minimum(cost.min(axis=1, initial=0.0), 0.0)
    return order[lowest < cost.diagonal() - tol]


def block_exchanges(margins: Floats, order: Order) -> Iterator[tuple[int, Floats]]:
    """Yield, for every k, what it costs to exchange the blocks that end at k and begin after it.

    Entry (i, j) is the cost of exchanging places k - i to k with places k + 1 to k + 1 + j.
    """
    sorted_margins = margins[np.ix_(order, order)]
    for k in range(len(order) - 1):
        block = sorted_margins[max(k + 1 - BLOCK, 0) : k + 1, k + 1 : k + 1 + BLOCK][::-1]
        yield k, np.cumsum(np.cumsum(block, axis=0), axis=1)


def equal_stretches(margins: Floats, order: Order, *, tol: float) -> list[tuple[int, int, int]]:
    """Return places (first, middle, last) where the blocks first to middle and middle + 1 to last trade at no cost."""
    found = []
    for k, cost in block_exchanges(margins, order):
        for i, j in np.argwhere(np.abs(cost) <= tol).tolist():
            found.append((k - i, k, k + 1 + j))
    return found


def _exchanged(margins: Floats, order: Order, tol: float) -> Order | None:
    """The order after the best exchange of neighbouring blocks, or nothing when none gains."""
    best, where = -tol, (0, 0, 0)
    for k, cost in block_exchanges(margins, order):
        low = int(np.argmin(cost))
        if cost.flat[low] < best:
            i, j = np.unravel_index(low, cost.shape)
            best, where = float(cost.flat[low]), (k - int(i), k + 1, k + 2 + int(j))
    if best >= -tol:
        return None
    start, middle, stop = where
    return np.concatenate((order[:start], order[middle:stop], order[start:middle], order[stop:]))
