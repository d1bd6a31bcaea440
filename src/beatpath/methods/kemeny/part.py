"""What is known of the optimal orders of one component, and how components become one order with ties."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools, Floats, Ints

Order = Ints


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The best order found for one component, and what is proven of it.

    Attributes
    ----------
    order : (n,) int
        Best first.
    cost, bound : float
        The reversed margin of `order`, and a number that no order goes below.
    sure : (n, n) bool
        True where every optimal order is known to put the row above the column; transitive.
    unique : bool or None
        Whether `order` is the only optimal one; None when that was not decided.
    method : str
        What found it.
    optima : list of (n,) int
        Optimal orders; more than one only when they were asked for and exist.
    settled : bool
        False when some pairs stand in `sure` as `order` has them without a proof.
    maybe : (n, n) bool, optional
        Between `sure` and this lies the truth: it has also the pairs of `order` that no optimal order is known to
        reverse. None when `sure` is the truth.
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
        """Whether the bound meets the cost."""
        return self.bound >= self.cost


def reversed_margin(margins: Floats, order: Order) -> float:
    r"""Return the cost of an order, :math:`\sum_{a \text{ above } b} \max(M_{ba}, 0)`.

    >>> reversed_margin(np.array([[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]]), np.array([0, 1, 2]))
    1.0
    """
    above = np.triu(margins[np.ix_(order, order)], 1)
    return float(-above[above < 0].sum())


def chain(order: Order) -> Bools:
    """Return the relation of one order: row above column."""
    place = np.argsort(order)
    return place[:, None] < place[None, :]


def components(margins: Floats) -> list[Order]:
    """Return the strongly connected components of strict majority, none before one that beats a member of it.

    Of those that may come next, the one whose agents have the largest mean margin comes first.

    >>> m = np.array([[0, -1, -1, -1], [1, 0, 2, -3], [1, -2, 0, 4], [1, 3, -4, 0.0]])
    >>> [part.tolist() for part in components(m)]
    [[1, 2, 3], [0]]
    """
    beats = margins > 0
    count, label = connected_components(csr_array(beats), connection="strong")
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label, minlength=count))[:-1])
    inside = csr_array((np.ones(len(label)), (label, np.arange(len(label)))), shape=(count, len(label)))
    edges = np.asarray((inside @ (inside @ beats.astype(np.float64)).T).T) > 0
    np.fill_diagonal(edges, False)
    merit = np.array([margins[part].sum() / len(part) for part in members])
    waiting = edges.sum(axis=0)
    key = np.where(waiting == 0, merit, -np.inf)
    found = []
    for _ in range(count):
        part = int(np.argmax(key))
        found.append(members[part])
        waiting -= edges[part]
        ready = edges[part] & (waiting == 0)
        key[ready] = merit[ready]
        key[part] = -np.inf
        waiting[part] = -1
    return found


def sure_levels(order: Order, sure: Bools) -> Order:
    r"""Return the finest levels of which every pair of agents is surely ordered.

    A line may be drawn after the first k agents of `order` when each of them is surely above each of the others. With
    `sure` generating the order by transitivity, it is enough to look at pairs of a *sink* of the first k (nobody of the
    first k is surely below it) and a *source* of the others: a chain from one to the other has no room for a third.
    So the line may be drawn when the number of sure pairs among them is the number of all pairs among them,
    :math:`O(n^2)` for all lines together.

    Parameters
    ----------
    order : (n,) int
        Compatible with `sure`.
    sure : (n, n) bool
        Row surely above column.

    Returns
    -------
    (n,) int
        The level of every agent, 0 the best.

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
    """How many of the ranges start <= k < stop hold each k from 0 to n - 1."""
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
    """Yield the linear orders that contain an acyclic relation, in order of the agents' numbers."""
    n = len(above)
    waiting = above.sum(axis=0)
    placed: list[int] = []
    trail = [iter(np.flatnonzero(waiting == 0).tolist())]
    while trail:
        agent = next(trail[-1], None)
        if agent is None:
            trail.pop()
            if placed:
                back = placed.pop()
                waiting[back] = 0
                waiting += above[back]
            continue
        waiting -= above[agent]
        waiting[agent] = -1
        placed.append(agent)
        if len(placed) == n:
            yield np.array(placed, dtype=np.int64)
        trail.append(iter(np.flatnonzero(waiting == 0).tolist()))
