r"""Orders of the agents of one component: what is proven about them, heuristics that improve them, and exact optima.

Heuristics (insertion and block moves) give a good order from which an exact search starts. Dynamic programming over
sets finds all optimal orders of few agents. With :math:`F(S)` the lowest cost of arranging the set *S* on top,

.. math::  F(S) = \min_{a \in S} F(S \setminus a) + w_a(S \setminus a), \qquad w_a(S) = \sum_{b \in S} \max(M_{ab}, 0),

since *a* placed below *S* reverses its wins over *S*. With :math:`G(S)` the lowest cost of everything below *S*,
putting *a* next after *S* is part of an optimal order if :math:`F(S) + w_a(S) + G(S \cup a)` equals the optimum. All
agents outside *S* are below it, so a set on top costs at least :math:`F(S) + \sum_{a \notin S} w_a(S)`; if that
exceeds the cost of a good order, the set is pruned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from time import monotonic

import numpy as np
from scipy.sparse import csr_array

from beatpath._arrays import Bools, Floats, Ints
from beatpath.methods.graph.relation import strong_parts

Order = Ints  # agents from best to worst


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The best order known for one component, and what is proven about it.

    Attributes
    ----------
    order : (n,) int
        Best first.
    cost, bound : float
        The reversed margin of `order`, and a lower bound for all orders.
    sure : (n, n) bool
        Whether every optimal order provably puts the row above the column; transitive.
    unique : bool or None
        Whether `order` is the only optimal one; None if undecided.
    method : str
        The algorithm.
    optima : list of (n,) int
        Optimal orders; more than one only if requested and existing.
    settled : bool
        False if some pairs of `sure` are as in `order` without a proof.
    maybe : (n, n) bool, optional
        The true relation is between `sure` and this, which also has the pairs of `order` that no optimal order is
        known to reverse. None if `sure` is the true relation.
    """

    order: Order
    cost: float
    bound: float
    sure: Bools
    unique: bool | None
    method: str
    optima: list[Order] = field(default_factory=list)
    settled: bool = True
    maybe: Bools | None = None

    @property
    def optimal(self) -> bool:
        """Whether the bound equals the cost."""
        return self.bound >= self.cost


def reversed_margin(margins: Floats, order: Order) -> float:
    r"""Return the cost of an order, :math:`\sum_{a \text{ above } b} \max(M_{ba}, 0)`.

    >>> reversed_margin(np.array([[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]]), np.array([0, 1, 2]))
    1.0
    """
    above = np.triu(margins[np.ix_(order, order)], 1)
    return float(-above[above < 0].sum())


def chain(order: Order) -> Bools:
    """Return the relation of an order: row above column."""
    place = np.argsort(order)
    return place[:, None] < place[None, :]


def components(margins: Floats) -> list[Order]:
    """Return the strongly connected components of strict majority, none before one that beats a member of it.

    Among those that may come next, the one with the largest mean margin comes first.

    >>> m = np.array([[0, -1, -1, -1], [1, 0, 2, -3], [1, -2, 0, 4], [1, 3, -4, 0.0]])
    >>> [part.tolist() for part in components(m)]
    [[1, 2, 3], [0]]
    """
    beats = margins > 0
    label = strong_parts(beats)
    count = int(label.max(initial=-1)) + 1
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label, minlength=count))[:-1])
    inside = csr_array((np.ones(len(label)), (label, np.arange(len(label)))), shape=(count, len(label)))
    edges = np.asarray((inside @ (inside @ beats.astype(np.float64)).T).T) > 0
    np.fill_diagonal(edges, False)
    merit = np.array([margins[part].sum() / len(part) for part in members])
    waiting = edges.sum(axis=0)
    key = np.where(waiting == 0, merit, -np.inf)
    parts = []
    for _ in range(count):
        part = int(np.argmax(key))
        parts.append(members[part])
        waiting -= edges[part]
        ready = edges[part] & (waiting == 0)
        key[ready] = merit[ready]
        key[part] = -np.inf
        waiting[part] = -1
    return parts


def sure_levels(order: Order, sure: Bools) -> Order:
    r"""Return the finest levels such that every pair of agents on different levels is surely ordered.

    A line after the first k agents of `order` is valid if each of them is surely above each of the others. If `sure`
    generates the order by transitivity, it suffices to check pairs of a *sink* of the first k (no other of the first
    k is surely below it) and a *source* of the others. So the line is valid if the number of sure pairs among them
    equals the number of all pairs among them, :math:`O(n^2)` for all lines together.

    Parameters
    ----------
    order : (n,) int
        An order compatible with `sure`.
    sure : (n, n) bool
        Whether the row is surely above the column.

    Returns
    -------
    (n,) int
        Level of every agent, 0 the best.

    Examples
    --------
    Agent 0 is above all; 1 and 2 may trade places.

    >>> sure = np.array([[False, True, True], [False, False, False], [False, False, False]])
    >>> sure_levels(np.array([0, 1, 2]), sure)
    array([0, 1, 1])
    """
    n = len(order)
    level = np.zeros(n, dtype=np.int64)
    if n > 1:
        level[order] = np.concatenate(([0], np.cumsum(sure_lines(sure[np.ix_(order, order)]))))
    return level


def sure_lines(sure: Bools) -> Bools:
    """Return, for k = 1 to n - 1, whether the first k agents are surely above the rest; see `sure_levels`."""
    n = len(sure)
    first_below = np.where(sure.any(axis=1), sure.argmax(axis=1), n)
    last_above = np.where(sure.any(axis=0), n - 1 - sure[::-1].argmax(axis=0), -1)
    here = np.arange(n)
    sinks = cover(here, first_below, n)
    sources = cover(np.maximum(last_above, 0), here, n)
    a, b = np.nonzero(sure)
    both = last_above[b] < first_below[a]
    pairs = cover(last_above[b[both]], first_below[a[both]], n)
    return (sinks * sources == pairs)[: n - 1]


def cover(start: Order, stop: Order, n: int) -> Order:
    """Number of ranges start <= k < stop that contain each k from 0 to n - 1."""
    change = np.bincount(start, minlength=n + 1) - np.bincount(stop, minlength=n + 1)
    return np.cumsum(change)[:n]


def all_orders(parts: Sequence[tuple[Order, Part]], margins: Floats) -> Iterator[Order]:
    """Yield every order that is optimal within the components and reverses no margin between them."""
    between = margins > 0
    for chosen in product(*(part.optima for _, part in parts)):
        above = between.copy()
        for (members, _), order in zip(parts, chosen, strict=True):
            above[np.ix_(members, members)] = chain(order)
        yield from _extensions(above)


def _extensions(above: Bools) -> Iterator[Order]:
    """Yield the linear extensions of an acyclic relation, in lexicographic order."""
    placed: list[int] = []
    waiting = [above.sum(axis=0)]  # agents above each that are not placed yet, before every step
    trail = [iter(np.flatnonzero(waiting[0] == 0).tolist())]
    while trail:
        agent = next(trail[-1], None)
        if agent is None:
            trail.pop()
            waiting.pop()
            del placed[-1:]
            continue
        left = waiting[-1] - above[agent]
        left[agent] = -1
        placed.append(agent)
        if len(placed) == len(above):
            yield np.array(placed, dtype=np.int64)
        waiting.append(left)
        trail.append(iter(np.flatnonzero(left == 0).tolist()))


BLOCK = 48  # largest block that is exchanged
FEW = 300  # most agents for which blocks are exchanged


def good_order(margins: Floats, *, tol: float, deadline: float = np.inf) -> Order:
    """Return the better of two orders improved by moves: one from summed margins, one from Copeland scores.

    >>> good_order(np.array([[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]]), tol=0.0)
    array([0, 1, 2])
    """
    starts = (margins.sum(axis=1), np.sign(margins).sum(axis=1))
    orders = [improved(margins, np.argsort(-merit, kind="stable"), tol=tol, deadline=deadline) for merit in starts]
    return min(orders, key=lambda order: reversed_margin(margins, order))


def improved(margins: Floats, order: Order, *, tol: float, deadline: float = np.inf) -> Order:
    """Return an order that no move of one agent and, for few agents, no exchange of adjacent blocks improves."""
    while True:
        order = inserted(margins, order, tol=tol, deadline=deadline)
        if len(order) > FEW or monotonic() > deadline:
            return order
        better = _exchanged(margins, order, tol)
        if better is None:
            return order
        order = better


def inserted(margins: Floats, order: Order, *, tol: float, deadline: float = np.inf) -> Order:
    r"""Move one agent at a time to its best place among the others, until no move improves the order.

    Putting agent *a* after the first k of the others costs :math:`\sum_{i < k} M_{a, i}` more than putting it first.
    Candidates are computed for all agents at once and then moved one after another.
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
    """The agents, best first, whose move would improve the order."""
    cost = np.cumsum(margins[np.ix_(order, order)], axis=1)
    lowest = np.minimum(cost.min(axis=1, initial=0.0), 0.0)
    return order[lowest < cost.diagonal() - tol]


def block_exchanges(margins: Floats, order: Order) -> Iterator[tuple[int, Floats]]:
    """Yield, for every k, the cost of exchanging the blocks that end at k and begin after it.

    Entry (i, j) is the cost of exchanging places k - i to k with places k + 1 to k + 1 + j.
    """
    sorted_margins = margins[np.ix_(order, order)]
    for k in range(len(order) - 1):
        block = sorted_margins[max(k + 1 - BLOCK, 0) : k + 1, k + 1 : k + 1 + BLOCK][::-1]
        yield k, np.cumsum(np.cumsum(block, axis=0), axis=1)


def equal_stretches(margins: Floats, order: Order, *, tol: float) -> list[tuple[int, int, int]]:
    """Return places (first, middle, last) such that blocks first..middle and middle + 1..last trade at no cost."""
    stretches = []
    for k, cost in block_exchanges(margins, order):
        for i, j in np.argwhere(np.abs(cost) <= tol).tolist():
            stretches.append((k - i, k, k + 1 + j))
    return stretches


def _exchanged(margins: Floats, order: Order, tol: float) -> Order | None:
    """The order after the best exchange of adjacent blocks, or None if none improves it."""
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


MOST = 16  # most agents for dynamic programming over sets


def by_subsets(margins: Floats, *, tol: float, optima: int = 1) -> Part:
    """Return an optimal order, the pairs that all optimal orders agree on, and up to `optima` optimal orders.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins; n at most about 20, for :math:`O(2^n n)` time and memory.
    tol : float
        Orders whose costs differ by at most this are equally good; must exceed rounding if margins are not integers.
    optima : int
        Maximum number of optimal orders to list.

    Examples
    --------
    A cycle of three equal wins can be cut anywhere.

    >>> circle = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    >>> part = by_subsets(circle, tol=0, optima=9)
    >>> part.cost, part.unique, [order.tolist() for order in part.optima]
    (1.0, False, [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
    """
    n = len(margins)
    cost_below = _costs_below(np.maximum(margins, 0.0))
    start = inserted(margins, np.argsort(-margins.sum(axis=1), kind="stable"), tol=tol)
    most = reversed_margin(margins, start) + tol
    each = np.arange(n)[:, None]
    bit = 1 << each
    above, below = np.full(1 << n, np.inf), np.full(1 << n, np.inf)
    above[0] = below[-1] = 0.0
    layers = [np.zeros(1, dtype=np.int64)]
    for _ in range(n):
        sets = _one_more(layers[-1], bit)
        before = sets & ~bit  # agents outside the set leave it unchanged, with infinite cost
        above[sets] = (above.take(before) + cost_below[each, before]).min(axis=0)
        outside = np.where(sets & bit, 0.0, cost_below[:, sets]).sum(axis=0)
        hopeless = above[sets] + outside > most
        above[sets[hopeless]] = np.inf
        layers.append(sets[~hopeless])
    best, steps = float(above[-1]), np.zeros((n, 1 << n), dtype=bool)
    for sets in layers[-2::-1]:
        onward = cost_below[:, sets] + below.take(sets | bit)
        below[sets] = onward.min(axis=0)
        steps[:, sets] = above[sets] + onward <= best + tol
    above_each = [np.bitwise_or.reduce(np.flatnonzero(step)) >> np.arange(n) & 1 for step in steps]
    some_above = np.stack(above_each, axis=1) > 0
    orders = [order for order, _ in zip(_walks(steps), range(max(optima, 2)), strict=False)]
    sure = ~some_above.T & ~np.eye(n, dtype=bool)
    return Part(orders[0], best, best, sure, len(orders) == 1, "dynamic programming", orders[:optima])


def _costs_below(cost: Floats) -> Floats:
    """Cost of every agent below every set, (n, sets): the sum of its row over the members.

    >>> _costs_below(np.array([[0.0, 1], [4, 0]]))
    array([[0., 0., 1., 1.],
           [0., 4., 0., 4.]])
    """
    n = len(cost)
    below = np.zeros((n, 1 << n))
    for b in range(n):
        below[:, 1 << b : 2 << b] = below[:, : 1 << b] + cost[:, [b]]
    return below


def _one_more(sets: Ints, bit: Ints) -> Ints:
    """All sets with one agent more than these.

    >>> _one_more(np.array([1]), 1 << np.arange(3)[:, None])
    array([3, 5])
    """
    reached = np.zeros(1 << len(bit), dtype=bool)
    reached[sets | bit] = True
    reached[sets] = False
    return np.flatnonzero(reached)


def _walks(steps: Bools) -> Iterator[Order]:
    """Yield the orders that consist of optimal steps, in lexicographic order."""
    full = steps.shape[1] - 1

    def onward(placed_set: int, placed: list[int]) -> Iterator[Order]:
        if placed_set == full:
            yield np.array(placed, dtype=np.int64)
            return
        for a in np.flatnonzero(steps[:, placed_set]).tolist():
            yield from onward(placed_set | 1 << a, [*placed, a])

    return onward(0, [])
