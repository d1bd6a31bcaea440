r"""Optimal orders of many agents: cutting planes on a linear relaxation, branch and bound, then ties among optima.

A variable :math:`y_{ab} \in [0, 1]` for each pair that *a* wins states how much of the pair is reversed, at cost
:math:`M_{ab}`. With :math:`x_{ab} = 1 - y_{ab}` and :math:`x_{ba} = y_{ab}`, orders are the integral points for which

.. math::  x_{ab} + x_{bc} + x_{ca} \le 2 \quad \text{for all } a, b, c

[1]_. Few of the :math:`n (n - 1) (n - 2) / 3` inequalities bind, so one HiGHS model begins with those of a packing of cycles,
and is given others in rounds, most violated first, each from its last basis.

References
----------
.. [1] M. Grötschel, M. Jünger, G. Reinelt, "A cutting plane algorithm for the linear ordering problem",
       *Operations Research* 32 (1984), 1195-1220.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from time import monotonic
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath.methods.kemeny.orders import (
    Order,
    Part,
    chain,
    cover,
    equal_stretches,
    good_order,
    improved,
    inserted,
    reversed_margin,
    sure_lines,
)
from beatpath.methods.numeric.linear_program import highs_alone

# Least violation of an inequality; most of them added per backward arc, and per round.
EPS = 1e-6
PER_ARC = 3
PER_ROUND = 3000


class Relaxation:
    """One HiGHS model of one component: a variable for every pair, the rows so far, and the last solution.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins.
    order : (n,) int
        Orients pairs of margin zero.
    deadline : float
        Deadline on the clock of `time.monotonic`.

    Attributes
    ----------
    x : (n, n) float
        Fractional orders: how much of every pair has the row above the column; zero on the diagonal.
    bound : float
        A valid lower bound within the current bounds of the variables, whatever the solver's tolerances: it is
        computed from the rows' multipliers, clipped to be dual feasible.
    reduced : (pairs,) float
        Reduced costs at the last solution: forcing a variable from 0 to 1 adds that much to `bound`, and forcing one
        from 1 to 0 subtracts it.
    iterations : int
        Number of simplex steps, a measure of work that does not depend on the machine.
    """

    def __init__(self, margins: Floats, order: Order, deadline: float) -> None:
        place = np.argsort(order)
        self.deadline = deadline
        self.base = (margins > 0) | ((margins == 0) & (place[:, None] < place[None, :]))
        self.tail, self.head = np.nonzero(self.base)
        pairs = len(self.tail)
        self.column = np.zeros(margins.shape, dtype=np.int32)
        self.column[self.tail, self.head] = self.column[self.head, self.tail] = np.arange(pairs)
        self.x = self.base.astype(np.float64)
        self.lower, self.upper = np.zeros(pairs), np.ones(pairs)
        self.y, self.reduced, self.bound = np.zeros(pairs), np.zeros(pairs), 0.0
        self.rhs, self.iterations = np.zeros(0), 0
        self.module: Any = highs_alone("Kemeny's method on a large cycle")
        self.highs: Any = self.module.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("solver", "simplex"), ("presolve", "off")):
            self.highs.setOptionValue(name, value)
        none, self.cost = np.zeros(0), np.abs(margins)[self.tail, self.head]
        self.highs.addCols(pairs, self.cost, self.lower, self.upper, 0, np.zeros(pairs, dtype=np.int32), none, none)

    def solve(self) -> bool:
        """Solve with the current rows and bounds; return False if there is no solution."""
        left = self.deadline - monotonic()
        limit = self.highs.getRunTime() + max(left, 0.01) if np.isfinite(left) else self.module.kHighsInf
        self.highs.setOptionValue("time_limit", float(limit))
        self.highs.run()
        self.iterations += max(int(self.highs.getInfo().simplex_iteration_count), 0)
        status = self.highs.getModelStatus()
        if status == self.module.HighsModelStatus.kInfeasible:
            return False
        solution = self.highs.getSolution()
        self.y = np.clip(np.asarray(solution.col_value), self.lower, self.upper)
        self.x[self.tail, self.head] = 1 - self.y
        self.x[self.head, self.tail] = self.y
        self.reduced = np.asarray(solution.col_dual)
        least = np.minimum(self.reduced * self.lower, self.reduced * self.upper)
        ended = status == self.module.HighsModelStatus.kOptimal  # otherwise the multipliers may be useless
        self.bound = float(np.maximum(np.asarray(solution.row_dual), 0.0) @ self.rhs + least.sum()) if ended else 0.0
        return True

    def set_bounds(self, lower: Floats, upper: Floats) -> None:
        """Replace the bounds of the variables."""
        changed = np.flatnonzero((lower != self.lower) | (upper != self.upper)).astype(np.int32)
        if len(changed):
            self.highs.changeColsBounds(len(changed), changed, lower[changed], upper[changed])
        self.lower, self.upper = lower, upper

    def add_violated(self) -> int:
        """Add the cycles a > b > c > a that the last solution violates most; return how many."""
        return self.add_cycles(violated_cycles(self.x))

    def add_cycles(self, cycles: Order) -> int:
        """Add cycles a > b > c > a, (k, 3), that no order contains; return how many."""
        if len(cycles):
            self.add_rows(cycles, np.roll(cycles, -1, axis=1))
        return len(cycles)

    def add_rows(self, tail: Order, head: Order) -> int:
        """Add rows: one of the pairs (tail, head), (rows, k) each, must have its head above; return the last one's number."""
        rows, columns, base = len(tail), self.column[tail, head].ravel(), self.base[tail, head]
        rhs = 1.0 - (~base).sum(axis=1)
        begin, sign = np.arange(0, len(columns), tail.shape[1], dtype=np.int32), np.where(base, 1.0, -1.0).ravel()
        self.highs.addRows(rows, rhs, np.full(rows, self.module.kHighsInf), len(columns), begin, columns, sign)
        self.rhs = np.concatenate((self.rhs, rhs))
        return len(self.rhs) - 1

    def drop_row(self, row: int) -> None:
        """Relax a row so that it has no effect."""
        self.highs.changeRowBounds(row, -self.module.kHighsInf, self.module.kHighsInf)
        self.rhs[row] = 0.0


def violated_cycles(x: Floats) -> Order:
    r"""Return the most violated cycles with :math:`x_{ab} + x_{bc} + x_{ca} > 2`, (k, 3), a few for each backward arc.

    In any order of the agents, a cycle goes backward at least once; in the order of row sums few arcs do.

    >>> violated_cycles(np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    array([[0, 1, 2]])
    """
    n = len(x)
    place = np.empty(n, dtype=np.int64)
    place[np.argsort(-x.sum(axis=1), kind="stable")] = np.arange(n)
    ends = np.argwhere((x > EPS) & (place[:, None] > place[None, :]))
    cycles, excess = [], []
    columns = np.ascontiguousarray(x.T)
    step = max(1, 4_000_000 // n)
    few = min(PER_ARC, n)
    for first in range(0, len(ends), step):
        c, a = ends[first : first + step].T
        over = x[a] + columns[c] + (x[c, a] - 2.0)[:, None]
        b = np.argpartition(-over, few - 1, axis=1)[:, :few]
        most = np.take_along_axis(over, b, axis=1)
        arc, k = np.nonzero(most > EPS)
        cycles.append(np.stack((a[arc], b[arc, k], c[arc]), axis=1))
        excess.append(most[arc, k])
    if not cycles:
        return np.zeros((0, 3), dtype=np.int64)
    distinct, size = np.concatenate(cycles), np.concatenate(excess)
    distinct = np.take_along_axis(distinct, (distinct.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    _, first_index = np.unique(distinct @ np.array([n * n, n, 1]), return_index=True)
    return distinct[first_index[np.argsort(-size[first_index], kind="stable")[:PER_ROUND]]]


NODES = 20  # relaxations in the search for another optimal order, for a single question
TOGETHER = 1  # the same for several questions together, which is cheap to try and to give up
STEPS = 20_000  # simplex steps for all questions, if the optimum itself took fewer
SHORT = 12  # longest run of agents whose blocks are exchanged to find pairs without a certain order


def by_cuts(
    margins: Floats, *, tol: float, unit: float, deadline: float = np.inf, optima: int = 1, pairs: bool = False
) -> Part:
    """Return an optimal order by cutting planes and branch and bound, or the best at the deadline and its bound.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins.
    tol : float
        Orders whose costs differ by at most this are equally good.
    unit : float
        Costs are multiples of it, and `tol` is less than half of it; 0 if they may be anything.
    deadline : float
        Deadline on the clock of `time.monotonic`.
    optima : int
        Maximum number of optimal orders to list.
    pairs : bool
        Whether to decide single pairs of tied agents too, since places of agents outside may depend on them.

    Notes
    -----
    Which pairs all optimal orders agree on is decided in this sequence: adjacent blocks that can be exchanged at no
    cost are tied; a reduced cost larger than the gap proves a pair; for the rest, a search looks for an optimal order
    with another line between two levels, over at most `NODES` relaxations per line, or `TOGETHER` for many lines at
    once, and as many simplex steps in total as the optimum itself took, or `STEPS`. Undecided lines are reported.
    """
    search = Search(margins, tol, unit, deadline)
    search.run()
    if not search.proven:
        bound = np.ceil((search.bound - tol) / unit) * unit if unit else search.bound
        one = chain(search.order)
        return Part(search.order, search.cost, float(bound), one, None, "cuts", [search.order], settled=False)
    method = "cuts and branching" if search.nodes > 1 else "cuts"
    sure, unique, settled = search.settled()
    maybe = None if unique else search.settled_pairs(sure, pairs)
    orders = [search.order] if unique else search.others(optima)
    unique = False if len(orders) > 1 else unique
    return Part(search.order, search.cost, search.cost, sure, unique, method, orders, settled, maybe)


class Search:
    """Branch and bound on one relaxation, and then the search for further optimal orders with the same model.

    Attributes
    ----------
    order, cost
        The best order and its reversed margin.
    bound : float
        A lower bound for all orders.
    free : pair of (pairs,) float
        Bounds of the variables: those of pairs that all optimal orders agree on are fixed.
    nodes : int
        Number of relaxations solved until nothing was violated or they were pruned.
    """

    def __init__(self, margins: Floats, tol: float, unit: float, deadline: float) -> None:
        self.margins, self.tol, self.deadline = margins, tol, deadline
        self.slack = unit - tol if unit else 100 * tol
        self.more = self.slack / 2  # a difference larger than this is not a tie; includes the solver's rounding
        now = monotonic()
        self.order = good_order(margins, tol=tol, deadline=now + (deadline - now) / 4)
        self.cost = reversed_margin(margins, self.order)
        self.known = [self.order]
        self.bound, cycles = cycle_packing(margins, self.order, deadline=deadline)
        self.nodes, self.model = 0, Relaxation(margins, self.order, deadline)
        self.model.add_cycles(cycles)
        self.free: tuple[Floats, Floats] = self.model.lower, self.model.upper

    @property
    def proven(self) -> bool:
        """Whether `order` is proven optimal."""
        return self.bound > self.cost - self.slack

    def run(self) -> None:
        """Search until the best order is proven, or until the deadline."""
        self.bound = min(self._branch(self.cost - self.slack, self._take_better), self.cost)
        self.known = [self.order]

    def _take_better(self) -> float:
        """Take the order that the last solution suggests if it is better; return the new target."""
        order = improved(self.margins, _by_rows(self.model.x), tol=self.tol, deadline=self.deadline)
        cost = reversed_margin(self.margins, order)
        if cost < self.cost - self.tol:
            self.order, self.cost = order, cost
        return self.cost - self.slack

    def _branch(self, target: float, look: Callable[[], float], limit: float = np.inf) -> float:
        """Search best-first for solutions that cost at most `target`; return the proven bound.

        `look` is called for every solution of a relaxation, in `self.model`, and returns the new target. Among equal
        bounds the newest is first, so a search among equals goes depth-first.
        """
        open_nodes: list[tuple[float, int, Floats, Floats]] = [(self.bound, 0, *self.free)]
        branched, last = 0, self.nodes + limit
        while open_nodes and open_nodes[0][0] <= target:
            if monotonic() > self.deadline or self.nodes >= last:
                break
            bound, _, lower, upper = heappop(open_nodes)
            self.model.set_bounds(lower, upper)
            bound, target = self._relax(bound, target, look)
            self.nodes += 1
            if bound > target:
                continue
            fractional = np.abs(self.model.y - np.round(self.model.y)) > EPS
            if monotonic() > self.deadline or not fractional.any():
                heappush(open_nodes, (bound, 0, lower, upper))
                break
            weight = self.model.cost + 1e-3 * self.model.cost.max()
            nearness = np.where(fractional, (0.5 - np.abs(self.model.y - 0.5)) * weight, -1.0)
            column = int(np.argmax(nearness))  # closest to one half, weighted by its cost
            for value in (0.0, 1.0):
                branched -= 1
                low, high = lower.copy(), upper.copy()
                low[column] = high[column] = value
                heappush(open_nodes, (bound, branched, low, high))
        return open_nodes[0][0] if open_nodes else np.inf

    def _relax(self, bound: float, target: float, look: Callable[[], float]) -> tuple[float, float]:
        """Solve and cut until nothing is violated, the bound exceeds the target, or the deadline."""
        while True:
            if not self.model.solve():
                return np.inf, target
            bound = max(bound, self.model.bound)
            if bound > target:
                return bound, target
            target = look()
            if bound > target or monotonic() > self.deadline or not self.model.add_violated():
                return bound, target

    @cached_property
    def _stretches(self) -> list[tuple[int, int, int]]:
        """Adjacent blocks of the best order that can be exchanged at no cost; requires a proven order."""
        return equal_stretches(self.margins, self.order, tol=self.tol)

    def settled(self) -> tuple[Bools, bool | None, bool]:
        """Return `Part.sure`, whether the optimal order is unique, and whether all lines were decided.

        A line between two levels is a question about the pairs that cross it.
        """
        budget = self.model.iterations + max(STEPS, self.model.iterations)
        sure = self._sure_by_cost()
        tied = np.zeros(len(self.order) - 1, dtype=bool)
        for first, _, last in self._stretches:
            tied[first:last] = True
        lines = np.flatnonzero(~sure_lines(sure[np.ix_(self.order, self.order)]) & ~tied)
        place = np.argsort(self.order)
        a, b = np.nonzero(chain(self.order) & ~sure)
        across = np.cumsum(np.bincount(place[a], minlength=len(place)) - np.bincount(place[b], minlength=len(place)))
        lines = lines[np.argsort(across[lines], kind="stable")]
        moved, undecided = self._decided(Questions(a, b, place[a], place[b], len(tied)), lines, sure, budget)
        tied |= moved
        for k in np.flatnonzero(undecided).tolist():
            sure[np.ix_(self.order[: k + 1], self.order[k + 1 :])] = True
        return sure, False if tied.any() else None if undecided.any() else True, not undecided.any()

    def settled_pairs(self, sure: Bools, search: bool) -> Bools:
        """Return the pairs of `order` that no known optimal order reverses; with `search`, extend `sure` to them.

        The known orders are those found before, and those one exchange of short blocks away.
        """
        maybe = chain(self.order)
        for first, middle, last in self._stretches:
            if last - first < SHORT:
                maybe[np.ix_(self.order[first : middle + 1], self.order[middle + 1 : last + 1])] = False
        for order in self.known:
            maybe &= chain(order)
        if search:
            a, b = np.nonzero(maybe & ~sure)
            one, place = np.arange(len(a)), np.argsort(self.order)
            near = np.argsort(place[b] - place[a], kind="stable")
            moved, _ = self._decided(Questions(a, b, one, one + 1, len(one)), near, sure, self.model.iterations + STEPS)
            maybe[a[moved], b[moved]] = False
        return maybe

    def _decided(self, questions: "Questions", some: Order, sure: Bools, budget: int) -> tuple[Bools, Bools]:
        """Which questions an optimal order answers with yes, and which stay open; the pairs of the others become sure.

        All are searched together first. If no optimal order answers yes to any, one search proves it; if a search is
        long, the questions are halved. Those first in `some` come first in the end.
        """
        moved, undecided = np.zeros(questions.number, dtype=bool), np.zeros(questions.number, dtype=bool)
        left = [some]
        while left:
            now = left.pop()
            now = now[~moved[now]]
            mine = questions.about(now) & ~sure[questions.tail, questions.head]
            if not mine.any():
                continue
            if self.model.iterations >= budget or monotonic() > self.deadline:
                undecided[now] = True
                continue
            tail, head = questions.tail[mine], questions.head[mine]
            other = self._other(tail, head, nodes=NODES if len(now) == 1 else TOGETHER)
            if isinstance(other, np.ndarray):
                self.known.append(other)
                moved |= questions.reversed_by(other)
                left.append(now)
            elif other is False:
                sure[tail, head] = True
                self._fix(sure)
            elif len(now) == 1:
                undecided[now] = True
            else:
                left += [now[len(now) // 2 :], now[: len(now) // 2]]
        return moved, undecided & ~moved

    def _sure_by_cost(self) -> Bools:
        """The pairs whose reversal costs more than the gap, by their reduced costs."""
        model = self.model
        model.set_bounds(*self.free)
        model.solve()
        gap = self.cost - model.bound + self.more
        costly, turned = np.abs(model.reduced) > gap, model.reduced < 0
        sure = np.zeros_like(model.base)
        sure[model.tail, model.head], sure[model.head, model.tail] = costly & ~turned, costly & turned
        self._fix(sure)
        return sure

    def _fix(self, sure: Bools) -> None:
        """Fix the variables of sure pairs."""
        model = self.model
        below, above = sure[model.head, model.tail], sure[model.tail, model.head]
        self.free = np.where(below, 1.0, 0.0), np.where(above, 0.0, 1.0)

    def _other(
        self, tail: Order, head: Order, known: Collection[tuple[int, ...]] = (), nodes: int = NODES
    ) -> Order | bool | None:
        """A new optimal order with some head above its tail; False if there is none, None if undecided."""
        orders: list[Order] = []

        def look() -> float:
            raw = _by_rows(self.model.x)
            for order in (raw, inserted(self.margins, raw, tol=self.tol, deadline=self.deadline)):
                new = _reversed(order, tail, head).any() and tuple(order.tolist()) not in known
                if new and reversed_margin(self.margins, order) <= self.cost + self.tol:
                    orders.append(order)
                    return -np.inf
            return self.cost + self.more

        row = self.model.add_rows(tail[None], head[None])
        bound = self._branch(self.cost + self.more, look, nodes)
        self.model.drop_row(row)
        if orders:
            return orders[0]
        return False if bound > self.cost + self.more else None

    def others(self, optima: int) -> list[Order]:
        """Return up to `optima` optimal orders, searching for new ones until none is left."""
        known = {tuple(order.tolist()): order for order in self.known}
        rows = [self.model.add_rows(order[None, :-1], order[None, 1:]) for order in known.values()]
        while len(known) < optima:
            order = list(known.values())[-1]
            other = self._other(order[:-1], order[1:], known)
            if not isinstance(other, np.ndarray):
                break
            known[tuple(other.tolist())] = other
            rows.append(self.model.add_rows(other[None, :-1], other[None, 1:]))
        for row in rows:
            self.model.drop_row(row)
        return list(known.values())[:optima]


def _by_rows(x: Floats) -> Order:
    """Agents by row sums: for the matrix of an order, the order itself."""
    return np.argsort(-x.sum(axis=1), kind="stable")


def _reversed(order: Order, tail: Order, head: Order) -> Bools:
    """Flag pairs that an order reverses, with the head above its tail."""
    place = np.argsort(order)
    return place[head] < place[tail]


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """Questions whether some optimal order reverses one of their pairs; a pair belongs to questions first <= k < stop.

    Attributes
    ----------
    tail, head : (m,) int
        The pairs, tail above head in the known order.
    first, stop : (m,) int
        The range of questions of each pair.
    number : int
        Number of questions.
    """

    tail: Order
    head: Order
    first: Order
    stop: Order
    number: int

    def about(self, some: Order) -> Bools:
        """Return which pairs belong to some of the questions.

        >>> Questions(np.array([0, 0]), np.array([1, 2]), np.array([0, 0]), np.array([1, 2]), 2).about(np.array([1]))
        array([False,  True])
        """
        before = np.zeros(self.number + 1, dtype=np.int64)
        before[some + 1] = 1
        before = np.cumsum(before)
        return before[self.stop] > before[self.first]

    def reversed_by(self, order: Order) -> Bools:
        """Return which questions an order answers with yes."""
        turned = _reversed(order, self.tail, self.head)
        return cover(self.first[turned], self.stop[turned], self.number) > 0


def cycle_packing(margins: Floats, order: Order, *, deadline: float = np.inf) -> tuple[float, Order]:
    """Return a lower bound on the cost of every order, from a greedy packing of majority cycles, and these, (k, 3).

    Every order reverses a win of every cycle a > b > c > a. If each cycle has a weight, and the weights through a win
    sum to at most its margin, then the total weight is a bound. Every cycle has a win that `order` reverses; the
    largest of these come first, each through the agent that closes the heaviest remaining cycle.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins.
    order : (n,) int
        A good order: the fewer wins it reverses, the less work.
    deadline : float
        Deadline on the clock of `time.monotonic`; the packing until then is also a bound.

    Examples
    --------
    >>> cycle_packing(np.array([[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]]), np.array([0, 1, 2]))
    (1.0, array([[0, 1, 2]]))
    """
    # Fast: after 2 s on 250 agents in 40 random orders it leaves a gap of 0.37 %; rounds of cuts alone leave 1.6 %.
    left = np.maximum(margins[np.ix_(order, order)], 0.0)
    incoming = left.T.copy()
    below, above = np.nonzero(np.tril(left))
    bound, cycles = 0.0, []
    for k in np.argsort(-left[below, above], kind="stable").tolist():
        if monotonic() > deadline:
            break
        c, a = below[k], above[k]
        through = np.minimum(left[a], incoming[c])
        while left[c, a] > 0:
            b = int(np.argmax(through))
            weight = min(float(through[b]), float(left[c, a]))
            if weight <= 0:
                break
            for start, end in ((a, b), (b, c), (c, a)):
                left[start, end] -= weight
                incoming[end, start] -= weight
            through[b] -= weight
            bound += weight
            cycles.append((a, b, c))
    return bound, order[np.array(cycles, dtype=np.int64).reshape(-1, 3)]
