r"""SCO's appendix B: minimize the sigmoid loss globally by branch and bound, with a certificate.

With every pair oriented so that its margin is positive, the loss is a sum of :math:`|M_k| \, \sigma(x_k)` over
differences of ratings :math:`x_k = \theta_{\text{loser}} - \theta_{\text{winner}}`. On an interval :math:`[l, u]`
each sigmoid has a convex envelope; a linear program over the ratings minimizes the sum of these, which is a lower
bound. Splitting an interval where the two differ most raises the bound (Udell and Boyd [1]_).

References
----------
.. [1] M. Udell, S. Boyd, "Maximizing a sum of sigmoids", 2013.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from heapq import heappop, heappush

import numpy as np
from scipy.optimize import brentq, linprog
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath.methods.numeric.boxed_descent import boxed_descent
from beatpath.methods.rating.sco.losses import Cells, sigmoid_loss, sigmoid_sum

INFEASIBLE = 2  # the status code of an infeasible program in scipy
CUTS = 24  # tangents to the convex part of each sigmoid


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """The best ratings found, with bounds on the optimal loss.

    Attributes
    ----------
    theta : (n,) float
        The ratings.
    upper : float
        Their sigmoid loss.
    lower : float
        A lower bound for all ratings within the bounds.
    nodes : int
        Number of nodes examined.
    optimal : bool
        Whether the two bounds differ by at most the tolerance.
    """

    theta: Floats
    upper: float
    lower: float
    nodes: int
    optimal: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """Intervals of the differences in temperatures, their lower bound, and the ratings that attain it."""

    low: Floats
    high: Floats
    bound: float
    theta: Floats


def sigmoidal_program(
    cells: Cells,
    *,
    temperature: float,
    low: float = 0.0,
    high: float = 100.0,
    tol: float = 1e-3,
    max_nodes: int = 2_000,
) -> Certificate:
    r"""Minimize the sigmoid loss over bounded ratings, with a proof.

    .. math::  \min_{\theta} \sum_{a, b} N(a, b)\, \sigma(\theta_b - \theta_a)
               \quad \text{subject to} \quad \theta_{\min} \le \theta_a \le \theta_{\max}

    SCO appendix B has a variable for each difference of ratings and constraints that make them consistent; here the
    ratings are the variables, which ensures it.

    Parameters
    ----------
    cells : Cells
        The preference counts.
    temperature, low, high : float
        Temperature of the loss, and bounds of the ratings.
    tol : float
        Gap between the bounds at which to stop, relative to the sum of the margins.
    max_nodes : int
        Limit on nodes; at the limit, the best ratings are returned with the current bounds.

    Examples
    --------
    One agent beats the other three times to one: the ratings go to the bounds.

    >>> result = sigmoidal_program(Cells.from_wins(np.array([[0, 3], [1, 0]])), temperature=1.0, high=2.0)
    >>> result.theta, round(result.upper, 3), result.optimal
    (array([2., 0.]), 1.238, True)

    Notes
    -----
    Exponential in the number of pairs at worst; meant for up to about six agents.
    """
    problem = _Problem.of(cells, temperature, low, high)
    slack = tol * float(problem.size.sum())
    middle = np.full(cells.n_agents, (low + high) / 2)
    best = problem.polished(middle)
    upper = problem.loss(best)
    reach = np.full(len(problem.size), (high - low) / temperature)
    heap: list[tuple[float, int, _Node]] = []
    closed: list[float] = []
    nodes = 0

    def look(node: _Node) -> None:
        nonlocal best, upper, nodes
        nodes += 1
        bounded = problem.bounded(node)
        if bounded is None:
            return
        tried = problem.polished(bounded.theta)
        if problem.loss(tried) < upper:
            best, upper = tried, problem.loss(tried)
        if bounded.bound < upper - slack:
            heappush(heap, (bounded.bound, nodes, bounded))
        else:
            closed.append(bounded.bound)

    if len(reach):
        look(_Node(-reach, reach, -np.inf, middle))
    while heap and heap[0][0] < upper - slack and nodes < max_nodes:
        for child in problem.split(heappop(heap)[2]):
            look(child)
    lower = min([upper, *closed, *(bound for bound, _, _ in heap)])
    constant = sigmoid_loss(best, cells, temperature) - upper
    return Certificate(best, upper + constant, lower + constant, nodes, lower >= upper - slack)


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """Sigmoids of differences, with every margin positive."""

    n: int
    winner: Ints
    loser: Ints
    size: Floats
    temperature: float
    low: float
    high: float

    @classmethod
    def of(cls, cells: Cells, temperature: float, low: float, high: float) -> "_Problem":
        margin = cells.margin
        met = margin != 0
        a, b, margin = cells.a[met], cells.b[met], margin[met]
        winner, loser = np.where(margin > 0, a, b), np.where(margin > 0, b, a)
        return cls(cells.n_agents, winner, loser, np.abs(margin), temperature, low, high)

    def gaps(self, theta: Floats) -> Floats:
        """The differences, in temperatures."""
        return (theta[self.loser] - theta[self.winner]) / self.temperature

    def loss(self, theta: Floats) -> float:
        """The sum of sigmoids."""
        return float(self.size @ expit(self.gaps(theta)))

    def polished(self, theta: Floats) -> Floats:
        """The result of a descent from these ratings."""
        sigmoids = self.winner, self.loser, self.size, self.temperature
        return boxed_descent(
            lambda theta: sigmoid_sum(theta, *sigmoids), theta, self.low, self.high, tol=1e-10, max_iter=100
        )[0]

    def bounded(self, node: _Node) -> _Node | None:
        """The node with its lower bound by linear programming, or None if no ratings have such differences."""
        k, n = len(self.size), self.n
        slope, height, pair = (
            np.concatenate(part) for part in zip(*map(_cuts, node.low, node.high, range(k)), strict=True)
        )
        rows = np.zeros((len(slope), n + k))
        at = np.arange(len(slope))
        rows[at, self.loser[pair]] = slope
        rows[at, self.winner[pair]] = -slope
        rows[at, n + pair] = -1.0
        inside = np.zeros((k, n + k))
        inside[np.arange(k), self.loser], inside[np.arange(k), self.winner] = 1.0, -1.0
        box = [(self.low / self.temperature, self.high / self.temperature)] * n + [(0.0, 1.0)] * k
        solution = linprog(
            np.concatenate((np.zeros(n), self.size)),
            A_ub=np.vstack((rows, inside, -inside)),
            b_ub=np.concatenate((-height, node.high, -node.low)),
            bounds=box,
        )
        if solution.status == INFEASIBLE:
            return None
        if solution.status != 0:
            return node  # no better bound than its parent's
        theta = np.clip(solution.x[:n] * self.temperature, self.low, self.high)
        return replace(node, bound=float(solution.fun), theta=theta)

    def split(self, node: _Node) -> tuple[_Node, _Node]:
        """Split the interval of the pair whose sigmoid exceeds its envelope most."""
        x = np.clip(self.gaps(node.theta), node.low, node.high)
        below = np.array([_envelope(l, u)(v) for l, u, v in zip(node.low, node.high, x, strict=True)])
        pair = int(np.argmax(self.size * (expit(x) - below)))
        low, high = node.low.copy(), node.high.copy()
        width = high[pair] - low[pair]
        low[pair] = high[pair] = np.clip(x[pair], low[pair] + width / 10, high[pair] - width / 10)
        return replace(node, high=high), replace(node, low=low)


def _tangent_point(low: float, high: float) -> float:
    """The point where the convex envelope of the logistic function on an interval becomes a straight line."""
    if high <= 0:
        return high
    if low >= 0:
        return low

    def over(z: float) -> float:
        share = float(expit(z))
        return share + share * (1 - share) * (high - z) - float(expit(high))

    return low if over(low) >= 0 else float(brentq(over, low, 0.0))


def _envelope(low: float, high: float) -> Callable[[float], float]:
    """The convex envelope of the logistic function on an interval."""
    z = _tangent_point(low, high)
    slope = (expit(high) - expit(z)) / (high - z) if high > z else 0.0
    return lambda x: float(expit(x) if x <= z else expit(z) + slope * (x - z))


def _cuts(low: float, high: float, pair: int) -> tuple[Floats, Floats, Ints]:
    """Lines below the envelope as slopes and intercepts: tangents to its curve, and its straight part.

    Tangent points are evenly spaced in the square root of the function, so the approximation error between them is
    even.
    """
    z = _tangent_point(low, high)
    slope, height = np.zeros(0), np.zeros(0)
    if z > low or high == z:
        root = np.linspace(np.sqrt(expit(max(low, z - 30.0))), np.sqrt(expit(z)), CUTS)
        at = np.unique(np.clip(np.log(root**2 / (1 - root**2)), low, z))
        slope = expit(at) * (1 - expit(at))
        height = expit(at) - slope * at
    if high > z:
        straight = (expit(high) - expit(z)) / (high - z)
        slope, height = np.append(slope, straight), np.append(height, expit(z) - straight * z)
    return slope, height, np.full(len(slope), pair)
