r"""The linear relaxation of the cheapest order, with inequalities and variables added only where they matter.

A variable :math:`y_{ab} \in [0, 1]`, one for a pair that *a* wins, says how much of the pair is reversed, at cost
:math:`M_{ab}`. With :math:`x_{ab} = 1 - y_{ab}` and :math:`x_{ba} = y_{ab}`, orders are the integral points for which

.. math::  x_{ab} + x_{bc} + x_{ca} \le 2 \quad \text{for all } a, b, c

[1]_. Few of the :math:`n (n - 1) (n - 2) / 3` inequalities bind, and a variable in none of those added so far is zero
at no cost; so both are added in rounds, the most violated first, to one HiGHS model that starts from its last basis.

References
----------
.. [1] M. Grötschel, M. Jünger, G. Reinelt, "A cutting plane algorithm for the linear ordering problem",
       *Operations Research* 32 (1984), 1195-1220.
"""

from time import monotonic
from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath.methods.kemeny.part import Order
from beatpath.methods.numeric.highs import highs_alone

EPS = 1e-6
PER_ARC = 3
PER_ROUND = 3000


class Relaxation:
    """One HiGHS model of one component: its variables, its rows, and its last solution.

    Parameters
    ----------
    margins : (n, n) float
    order : (n,) int
        Says which way a pair of margin zero lies before it has a variable.
    deadline : float
        On the clock of `time.monotonic`.

    Attributes
    ----------
    x : (n, n) float
        How much of every pair has the row above the column; zero on the diagonal.
    bound : float
        No solution within the variables' present bounds costs less, whatever the solver's tolerances: it is computed
        from the rows' multipliers, clipped to be feasible for the dual.
    reduced : (columns,) float
        Reduced costs at the last solution: forcing a variable at 0 up to 1 adds that much to `bound`, and forcing one
        at 1 down to 0 takes it away.
    iterations : int
        Simplex steps so far, a measure of work that does not depend on the machine.
    """

    def __init__(self, margins: Floats, order: Order, deadline: float) -> None:
        n = len(margins)
        place = np.argsort(order)
        self.n, self.deadline = n, deadline
        self.cost = np.abs(margins)
        wins = (margins > 0) | ((margins == 0) & (place[:, None] < place[None, :]))
        self.base = wins & ~np.eye(n, dtype=bool)
        self.x = self.base.astype(np.float64)
        self.column = np.full((n, n), -1, dtype=np.int64)
        self.tail = self.head = np.zeros(0, dtype=np.int64)
        self.lower = self.upper = np.zeros(0)
        self.y, self.reduced, self.bound = np.zeros(0), np.zeros(0), 0.0
        self.rhs, self.iterations = np.zeros(0), 0
        self._entry_row = self._entry_column = np.zeros(0, dtype=np.int64)
        self._entry_sign = np.zeros(0)
        self.module: Any = highs_alone("Kemeny's method on a large circle")
        self.highs: Any = self.module.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("solver", "simplex"), ("presolve", "off")):
            self.highs.setOptionValue(name, value)

    def solve(self) -> bool:
        """Solve over the present rows and bounds; return False when there is no solution."""
        if not len(self.rhs):
            return True
        left = self.deadline - monotonic()
        limit = self.highs.getRunTime() + max(left, 0.01) if np.isfinite(left) else self.module.kHighsInf
        self.highs.setOptionValue("time_limit", float(limit))
        self.highs.run()
        self.iterations += max(int(self.highs.getInfo().simplex_iteration_count), 0)
        if self.highs.getModelStatus() == self.module.HighsModelStatus.kInfeasible:
            self.bound = np.inf
            return False
        solution = self.highs.getSolution()
        self.y = np.clip(np.asarray(solution.col_value), self.lower, self.upper)
        self.x[self.tail, self.head] = 1 - self.y
        self.x[self.head, self.tail] = self.y
        self._set_bound(np.maximum(np.asarray(solution.row_dual), 0.0))
        return True

    def _set_bound(self, multiplier: Floats) -> None:
        """The dual objective at feasible multipliers, and the reduced costs with it."""
        used = np.bincount(self._entry_column, self._entry_sign * multiplier[self._entry_row], minlength=len(self.tail))
        self.reduced = self.cost[self.tail, self.head] - used
        least = np.minimum(self.reduced * self.lower, self.reduced * self.upper)
        self.bound = float(multiplier @ self.rhs + least.sum())

    def set_bounds(self, lower: Floats, upper: Floats) -> None:
        """Replace the variables' bounds; variables younger than the arrays keep 0 and 1."""
        lower = np.concatenate((lower, np.zeros(len(self.tail) - len(lower))))
        upper = np.concatenate((upper, np.ones(len(self.tail) - len(upper))))
        changed = np.flatnonzero((lower != self.lower) | (upper != self.upper))
        if len(changed):
            self.highs.changeColsBounds(len(changed), changed.astype(np.int32), lower[changed], upper[changed])
        self.lower, self.upper = lower, upper

    def add_violated(self) -> int:
        """Add the circles a > b > c > a that the last solution violates most; return how many."""
        a, b, c = violated_circles(self.x)
        if len(a):
            self._add_circles(a, b, c)
        return len(a)

    def _add_circles(self, a: Order, b: Order, c: Order) -> None:
        tail, head = np.stack((a, b, c), axis=1), np.stack((b, c, a), axis=1)
        base = self.base[tail, head]
        self.add_rows(tail, head, np.where(base, 1.0, -1.0), base.sum(axis=1) - 2.0)

    def add_rows(self, tail: Order, head: Order, sign: Floats, rhs: Floats) -> None:
        """Add rows: signed reversals of the pairs (tail, head), (rows, k) each, are to add up to `rhs` or more."""
        self._add_columns(tail.ravel(), head.ravel())
        rows, width = tail.shape
        columns = self.column[tail, head].ravel()
        self.highs.addRows(
            rows,
            rhs,
            np.full(rows, self.module.kHighsInf),
            len(columns),
            np.arange(0, len(columns), width, dtype=np.int32),
            columns.astype(np.int32),
            sign.ravel(),
        )
        new = len(self.rhs) + np.repeat(np.arange(rows), width)
        self._entry_row = np.concatenate((self._entry_row, new))
        self._entry_column = np.concatenate((self._entry_column, columns))
        self._entry_sign = np.concatenate((self._entry_sign, sign.ravel()))
        self.rhs = np.concatenate((self.rhs, rhs))

    def _add_columns(self, a: Order, b: Order) -> None:
        """Give the pairs that have none yet a variable."""
        flip = ~self.base[a, b]
        tail, head = np.where(flip, b, a), np.where(flip, a, b)
        pair = np.unique((tail * self.n + head)[self.column[tail, head] < 0])
        if not len(pair):
            return
        tail, head = pair // self.n, pair % self.n
        new = len(self.tail) + np.arange(len(pair))
        self.column[tail, head] = self.column[head, tail] = new
        zero, none = np.zeros(len(pair)), np.zeros(0)
        self.highs.addCols(len(pair), self.cost[tail, head], zero, zero + 1, 0, zero.astype(np.int32), none, none)
        self.tail, self.head = np.concatenate((self.tail, tail)), np.concatenate((self.head, head))
        self.lower, self.upper = np.concatenate((self.lower, zero)), np.concatenate((self.upper, zero + 1))
        self.y, self.reduced = np.concatenate((self.y, zero)), np.concatenate((self.reduced, self.cost[tail, head]))

    def require_one_reversed(self, tail: Order, head: Order) -> int:
        """Add a row: of these pairs, now tail above head, at least one is to be reversed; return its number."""
        base = self.base[tail, head]
        sign = np.where(base, 1.0, -1.0)
        self.add_rows(tail[None], head[None], sign[None], np.array([1.0 - (~base).sum()]))
        return len(self.rhs) - 1

    def drop_row(self, row: int) -> None:
        """Make a row say nothing from now on."""
        self.highs.changeRowBounds(row, -self.module.kHighsInf, self.module.kHighsInf)
        keep = self._entry_row != row
        self._entry_row, self._entry_column = self._entry_row[keep], self._entry_column[keep]
        self._entry_sign = self._entry_sign[keep]
        self.rhs[row] = 0.0


def violated_circles(x: Floats) -> tuple[Order, Order, Order]:
    r"""Return circles with :math:`x_{ab} + x_{bc} + x_{ca} > 2`, the most violated, for each backward arc a few.

    However the agents are sorted, a circle goes backward at least once; sorted by their row sums few arcs do.

    >>> a, b, c = violated_circles(np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    >>> a.tolist(), b.tolist(), c.tolist()
    ([0], [1], [2])
    """
    n = len(x)
    place = np.empty(n, dtype=np.int64)
    place[np.argsort(-x.sum(axis=1), kind="stable")] = np.arange(n)
    ends = np.argwhere((x > EPS) & (place[:, None] > place[None, :]))
    found, excess = [], []
    columns = np.ascontiguousarray(x.T)
    step = max(1, 4_000_000 // n)
    few = min(PER_ARC, n)
    for first in range(0, len(ends), step):
        c, a = ends[first : first + step].T
        over = x[a] + columns[c] + (x[c, a] - 2.0)[:, None]
        b = np.argpartition(-over, few - 1, axis=1)[:, :few]
        most = np.take_along_axis(over, b, axis=1)
        arc, k = np.nonzero(most > EPS)
        found.append(np.stack((a[arc], b[arc, k], c[arc]), axis=1))
        excess.append(most[arc, k])
    if not found:
        none = np.zeros(0, dtype=np.int64)
        return none, none, none
    circles, size = np.concatenate(found), np.concatenate(excess)
    circles = np.take_along_axis(circles, (circles.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    _, first_seen = np.unique(circles @ np.array([n * n, n, 1]), return_index=True)
    chosen = first_seen[np.argsort(-size[first_seen], kind="stable")[:PER_ROUND]]
    a, b, c = circles[chosen].T
    return a, b, c
