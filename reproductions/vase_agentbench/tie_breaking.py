"""One way to break the ties of a score table that gives printed scores, by a small integer program."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

Terms = dict[int, float]  # coefficients of binary variables
CONSTANT = -1  # the key of a sum's constant among its terms


def total(*parts: Mapping[int, float], times: float = 1.0) -> Terms:
    """Add sums of terms, each times a factor."""
    result: Terms = defaultdict(float)
    for part in parts:
        for key, value in part.items():
            result[key] += times * value
    return result


@dataclass
class Program:
    """Which of two tied agents is above the other on a task: one binary variable for each such pair.

    Parameters
    ----------
    scores : (agents, tasks) float
        The table; higher is better.
    """

    scores: NDArray[np.float64]
    above: dict[tuple[int, int, int], Terms] = field(default_factory=dict)
    rows: list[tuple[Terms, float, float]] = field(default_factory=list)
    size: int = 0

    def __post_init__(self) -> None:
        n, tasks = self.scores.shape
        for t in range(tasks):
            column = self.scores[:, t]
            for a in range(n):
                for b in range(a + 1, n):
                    first = self.variable() if column[a] == column[b] else {CONSTANT: float(column[a] > column[b])}
                    self.above[t, a, b] = first
                    self.above[t, b, a] = total({CONSTANT: 1.0}, total(first, times=-1.0))
            for a, b, c in self._triples(column):  # an order has no cycle
                self.between(total(self.above[t, a, b], self.above[t, b, c], self.above[t, c, a]), 1, 2)

    def _triples(self, column: NDArray[np.float64]) -> list[tuple[int, int, int]]:
        groups = [np.flatnonzero(column == value).tolist() for value in np.unique(column)]
        return [(a, b, c) for g in groups for a in g for b in g for c in g if a < b < c]

    def variable(self) -> Terms:
        """Add a binary variable."""
        self.size += 1
        return {self.size - 1: 1.0}

    def between(self, terms: Mapping[int, float], low: float, high: float) -> None:
        """Require a sum to lie between two bounds."""
        constant = terms.get(CONSTANT, 0.0)
        self.rows.append(({k: v for k, v in terms.items() if k != CONSTANT}, low - constant, high - constant))

    def equal(self, terms: Mapping[int, float], value: float) -> None:
        """Require a sum to have a value."""
        self.between(terms, value, value)

    def wins(self, a: int, b: int) -> Terms:
        """On how many tasks one agent is above another."""
        return total(*(self.above[t, a, b] for t in range(self.scores.shape[1])))

    def borda(self, points: Sequence[float]) -> None:
        """Require the agents' Borda scores."""
        for a, value in enumerate(points):
            self.equal(total(*(self.wins(a, b) for b in range(len(points)) if b != a)), value)

    def approval(self, k: int, points: Sequence[float]) -> None:
        """Require on how many tasks each agent is among the first `k`."""
        n, tasks = self.scores.shape
        for a, value in enumerate(points):
            places = []
            for t in range(tasks):
                higher = total(*(self.above[t, b, a] for b in range(n) if b != a))
                first = self.variable()
                places.append(first)
                self.between(total(higher, total(first, times=n)), -np.inf, k - 1 + n)  # first: at most k - 1 above
                self.between(total(higher, total(first, times=k)), k, np.inf)  # not first: at least k above
            self.equal(total(*places), value)

    def copeland(self, points: Sequence[float]) -> None:
        """Require the agents' Copeland scores: wins of majorities, and half of the ties."""
        n, tasks = self.scores.shape
        half = tasks / 2
        gained: dict[int, list[Terms]] = {a: [{CONSTANT: (n - 1) / 2}] for a in range(n)}
        for a in range(n):
            for b in range(a + 1, n):
                won, lost, count = self.variable(), self.variable(), self.wins(a, b)
                self.between(total(won, lost), 0, 1)
                self.between(total(count, total(won, times=-1), total(lost, times=half)), half, np.inf)
                self.between(total(count, total(won, times=-half), lost), -np.inf, half)
                balance = total(total(won, times=0.5), total(lost, times=-0.5))
                gained[a].append(balance)
                gained[b].append(total(balance, times=-1))
        for a, value in enumerate(points):
            self.equal(total(*gained[a]), value)

    def solved(self) -> NDArray[np.float64] | None:
        """How many agents each is above on each task, or None if no way of breaking the ties will do."""
        cells = [(i, k, v) for i, (terms, _, _) in enumerate(self.rows) for k, v in terms.items()]
        i, k, v = zip(*cells, strict=True)
        place = tuple(np.array(one, dtype=np.int32) for one in (i, k))  # SciPy 1.13 solves programs with these alone
        matrix = coo_array((v, place), shape=(len(self.rows), self.size)).tocsr()
        low, high = np.array([row[1:] for row in self.rows]).T
        solution = milp(
            np.zeros(self.size),
            constraints=LinearConstraint(matrix, low, high),
            integrality=np.ones(self.size),
            bounds=Bounds(0, 1),
        )
        if solution.x is None:
            return None
        x = np.append(np.round(solution.x), 1.0)  # the last is the constant, by its key
        n, tasks = self.scores.shape
        return np.array(
            [
                [
                    sum(v * x[k] for b in range(n) if b != a for k, v in self.above[t, a, b].items())
                    for t in range(tasks)
                ]
                for a in range(n)
            ]
        )
