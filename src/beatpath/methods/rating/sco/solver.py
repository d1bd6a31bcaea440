"""Minimize the sigmoid loss: annealed descent, and insertion moves of agents or levels on Kemeny's objective."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath.fit.laplacian import incident
from beatpath.methods.kemeny.orders import improved
from beatpath.methods.numeric.boxed_descent import at_bounds, boxed_descent
from beatpath.methods.rating.sco.losses import STOPPED, Cells, Classes, Ratings, classes_of, sigmoid_loss, sigmoid_sum
from beatpath.methods.result import LOCAL

# Most agents for a dense table; passes of insertion; the golden ratio, for spread-out fractions.
DENSE = 3_000
PASSES = 20
GOLDEN = (5**0.5 - 1) / 2


def polished(level: Ints, cells: Cells) -> Ints:
    """Move whole levels to better places until no move of one level lowers the number of contradicted preferences.

    Tied agents move together and stay tied, so nothing is decided that the levels left open.

    Parameters
    ----------
    level : (n,) int
        Level of each agent, 0 the best.
    cells : Cells
        The preference counts.

    Examples
    --------
    C beats A and B, who were placed above it.

    >>> from beatpath.methods.rating.sco.losses import disagreement
    >>> cells = Cells.from_wins(np.array([[0, 4, 2], [1, 0, 2], [3, 3, 0]]))
    >>> result = polished(np.array([0, 1, 2]), cells)
    >>> result, disagreement(-np.arange(3), cells), disagreement(-result, cells)
    (array([1, 2, 0]), 7.0, 5.0)
    """
    margin, x, y = cells.margin, level[cells.a], level[cells.b]
    keep = x != y
    order = better_order(int(level.max()) + 1, x[keep], y[keep], margin[keep], np.arange(level.max() + 1))
    return np.argsort(order)[level]


def one_order(level: Ints, cells: Cells) -> Ints:
    """Return one order that breaks the ties of levels so as to contradict few preferences.

    >>> circle = Cells.from_wins(np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]]))
    >>> one_order(np.zeros(3, dtype=np.int64), circle)
    array([0, 1, 2])
    """
    order = np.argsort(level, kind="stable")
    inside = np.flatnonzero((level[cells.a] == level[cells.b]) & (cells.margin != 0))
    for tied in np.unique(level[cells.a[inside]]).tolist():
        members = np.flatnonzero(level == tied)
        within = inside[level[cells.a[inside]] == tied]
        a, b = np.searchsorted(members, cells.a[within]), np.searchsorted(members, cells.b[within])
        best = better_order(len(members), a, b, cells.margin[within], np.arange(len(members)))
        order[np.searchsorted(level[order], tied) :][: len(members)] = members[best]
    return order


def better_order(n: int, a: Ints, b: Ints, margin: Floats, order: Ints) -> Ints:
    """Return an order, best first, that no move of one agent improves; up to 300 agents, no exchange of blocks either.

    The same pair may occur more than once; its margins are summed.

    >>> better_order(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([3.0, -1, -1]), np.arange(3))
    array([2, 0, 1])
    """
    tol = 1e-9 * float(np.abs(margin).max(initial=0.0))
    if n > DENSE:
        return _inserted(n, a, b, margin, order, tol)
    matrix = coo_array((margin, (a, b)), shape=(n, n)).toarray()
    return improved(matrix - matrix.T, order, tol=tol)


def _inserted(n: int, a: Ints, b: Ints, margin: Floats, order: Ints, tol: float) -> Ints:
    """Insertion by lists of opponents, for more agents than a table allows; stops after a number of passes."""
    agent, rival, value = np.concatenate((a, b)), np.concatenate((b, a)), np.concatenate((margin, -margin))
    by_agent = np.argsort(agent, kind="stable")
    rival, value = rival[by_agent], value[by_agent]
    start = np.concatenate(([0], np.cumsum(np.bincount(agent, minlength=n))))
    waiting = np.diff(start) > 0  # agents whose best place may have changed
    # fraction of the way between two rivals, so that no two agents get the same place
    share = np.arange(1, n + 1) * GOLDEN % 1
    for _ in range(PASSES):
        place = np.empty(n)
        place[order] = np.arange(n)
        for i in order[waiting[order]].tolist():
            met = slice(start[i], start[i + 1])
            waiting[i] = False
            to = _best_place(place[rival[met]], value[met], place[i], share[i], tol)
            if to is not None:
                place[i] = to
                waiting[rival[met]] = True
        order = np.argsort(place, kind="stable")
        if not waiting.any():
            break
    return order


def _best_place(places: Floats, margin: Floats, here: float, share: float, tol: float) -> float | None:
    """A place between two rivals that contradicts the fewest preferences, or None if the current one is as good."""
    by_place = places.argsort(kind="stable")
    places = places[by_place]
    cost = np.zeros(len(places) + 1)
    margin[by_place].cumsum(out=cost[1:])
    best = int(cost.argmin())
    if cost[best] >= cost[places.searchsorted(here)] - tol:
        return None
    if best == 0:
        return float(places[0]) - share
    if best == len(places):
        return float(places[-1]) + share
    return float((1 - share) * places[best - 1] + share * places[best])


WARM = 1 / 8  # initial temperature, relative to the range of ratings
COOLING = 3.0  # factor by which the temperature falls
STEPS = 6  # steps of descent per temperature
LONG = 200  # steps of descent at the end
ROUNDS = 20  # rounds of moves
FEW = 1_000  # most agents for which single agents are tried at all places
REACH = 40.0  # temperatures beyond which a pair pulls no more than rounding; 52,958 agents: 2.0 s, 3.3 with all pairs
TARGET, ENOUGH = 1e-9, 1e-6  # relative to the pull of the smallest margin: where to stop, and what counts as converged
ROUNDING = 1e-5  # lowest share of the smallest margin in the sum, so that rounding does not prevent convergence
EQUAL = 1e-9  # relative to the largest margin: difference of costs that still counts as equal


def cold_enough(width: float, classes: Classes) -> float:
    r"""Return the highest temperature at which a Condorcet winner is surely alone on top of every global minimum.

    .. math::  \tau = \frac{\theta_{\max} - \theta_{\min}}{(m - 1) \ln(20 \sum |M| / \min |M|)}

    The sigmoid loss is the expected cost of a random order (see `sigmoid_loss`), so never below that of the best
    order. With the best order spread evenly over the range of ratings it exceeds it by at most :math:`\epsilon = \min
    |M| / 20`. So a random order sampled at a global minimum costs on average at most :math:`\epsilon` more than the
    best one. One that does not begin with the Condorcet winner costs at least :math:`\min |M|` more than with the
    winner moved to its front, so it has a probability of at most 1/20, and no other agent is ahead of the winner with
    probability one half. With the range and temperature of SCO's experiments (100 and 1) this holds up to about ten
    agents.

    >>> pair = classes_of(Cells.from_wins(np.array([[0, 3], [0, 0]])))
    >>> round(float(cold_enough(100.0, pair) * np.log(20)), 9)
    100.0
    """
    size = np.abs(classes.margin)
    return width / (max(classes.count - 1, 1) * float(np.log(20 * size.sum() / size.min())))


def minimized(cells: Cells, *, low: float = 0.0, high: float = 100.0, temperature: float | None = None) -> Ratings:
    r"""Return ratings in :math:`[\theta_{\min}, \theta_{\max}]` at a minimum of the sigmoid loss; deterministic.

    Descent (`boxed_descent`) starts at a high temperature, where the loss is smooth, from the share of its margins
    that an agent wins, and follows its minimum while the temperature falls by a factor of three. From the final
    minimum, and with up to 3,000 agents from the orders by that share and by rivals beaten, agents then move one at a
    time to the best of all places on Kemeny's objective. The best order, spread evenly over the range, starts another
    descent, and is taken if that ends at a lower sigmoid loss. Last, with up to 1,000 agents, one agent at a time is
    moved to where the sigmoid loss itself is lowest, with the others fixed. So minima that one move improves are
    left, and the objective stays the sigmoid loss.

    Indistinguishable agents (see `indistinct`) share one rating. If they form a cycle, that may be a saddle point:
    each direction with a lower loss would favor one of equals.

    Parameters
    ----------
    cells : Cells
        The preference counts.
    low, high : float
        Bounds of the ratings.
    temperature : float, optional
        By default `cold_enough`.

    Examples
    --------
    SCO eq. (10): two votes A > B > C and three C > A > B. C beats both.

    >>> cells = Cells.from_wins(np.array([[0, 5, 2], [0, 0, 2], [3, 3, 0]]))
    >>> minimized(cells).theta.argsort()[::-1]
    array([2, 0, 1])

    Notes
    -----
    A gradient costs :math:`O(\text{pairs})`, however many votes there were; at low temperatures, pairs more than
    forty temperatures apart are left out.

    *Details*: the ``loss``, SCO eq. (8); ``residual``, the largest gradient of a rating that is not at an active
    bound, relative to the sum of the margins, which has converged below 1e-6 of the smallest margin's share of that
    sum, or below 1e-11; ``evaluations`` of the gradient; and how many ``moves`` of agents found a lower minimum than
    descent.
    """
    classes = classes_of(cells)
    if not len(classes.margin):
        theta = np.full(cells.n_agents, (low + high) / 2)
        details = {"loss": sigmoid_loss(theta, cells, 1.0), "residual": 0.0, "evaluations": 0, "moves": 0}
        return Ratings(theta, temperature or 1.0, LOCAL, details, classes)
    tau = cold_enough(high - low, classes) if temperature is None else temperature
    search = _Search(classes, low, high)
    theta, moves = _moved(search, _cooled(search, tau), tau)
    theta, more = _replaced(search, theta, tau)
    theta = _descended_to_rest(search, theta, tau)
    residual = search.residual(theta, tau)
    theta = theta[classes.label]
    details = {"loss": sigmoid_loss(theta, cells, tau), "residual": residual, "evaluations": search.evaluations}
    status = LOCAL if residual <= search.smallest(ENOUGH) else STOPPED
    return Ratings(theta, tau, status, {**details, "moves": moves + more}, classes)


@dataclass(eq=False)
class _Search:
    """The loss between classes, and descent on it; counts gradient evaluations."""

    classes: Classes
    low: float
    high: float
    evaluations: int = 0

    def smallest(self, share: float) -> float:
        """The given share of the pull of the smallest margin, relative to the sum of all.

        It is at least the rounding error.
        """
        size = np.abs(self.classes.margin)
        return share * max(float(size.min() / size.sum()), ROUNDING)

    def loss(self, theta: Floats, temperature: float) -> float:
        """The sigmoid loss up to a constant, SCO eq. (12)."""
        return sigmoid_sum(theta, self.classes.a, self.classes.b, self.classes.margin, temperature)[0]

    def cost(self, theta: Floats) -> float:
        """The discrete loss up to a constant; equal ratings count half."""
        c = self.classes
        return float(c.margin @ (1 + np.sign(theta[c.b] - theta[c.a]))) / 2

    def spread(self, order: Ints) -> Floats:
        """Ratings in this order, spread evenly over the range."""
        theta = np.empty(len(order))
        theta[order] = np.linspace(self.high, self.low, len(order))
        return theta

    def residual(self, theta: Floats, temperature: float) -> float:
        """The largest gradient of a rating that is not at an active bound, relative to the sum of margins."""
        c = self.classes
        left = temperature * sigmoid_sum(theta, c.a, c.b, c.margin, temperature)[1]
        free = np.where(at_bounds(theta, left, self.low, self.high), 0.0, left)
        return float(np.abs(free).max() / np.abs(c.margin).sum())

    def descended(self, theta: Floats, temperature: float, steps: int) -> Floats:
        """The result of a descent over the pairs close enough to pull, with steps too short to bring others close."""
        c = self.classes
        near = np.abs(theta[c.b] - theta[c.a]) <= REACH * temperature
        room = self.high - self.low if near.all() else REACH / 4 * temperature
        low, high = np.maximum(self.low, theta - room), np.minimum(self.high, theta + room)
        a, b, margin = c.a[near], c.b[near], c.margin[near] / np.abs(c.margin).sum()

        tol = self.smallest(TARGET) / temperature
        theta, evaluations = boxed_descent(
            lambda theta: sigmoid_sum(theta, a, b, margin, temperature), theta, low, high, tol=tol, max_iter=steps
        )
        self.evaluations += evaluations
        return theta


def _cooled(search: _Search, temperature: float) -> Floats:
    """Follow the minimum from a high temperature down to the target."""
    c, width = search.classes, search.high - search.low
    theta = search.low + width / 2 * (1 + _merits(c)[0])
    warm = WARM * width
    while warm > temperature:
        theta = search.descended(theta, warm, STEPS)
        warm /= COOLING
    return search.descended(theta, temperature, 5 * STEPS)


def _descended_to_rest(search: _Search, theta: Floats, temperature: float) -> Floats:
    """Descend to convergence, repeating if pairs that were far apart have come close."""
    loss = search.loss(theta, temperature)
    for _ in range(ROUNDS):
        new = search.descended(theta, temperature, LONG)
        lower = search.loss(new, temperature)
        if lower > loss:
            break
        theta, loss = new, lower
        if search.residual(theta, temperature) <= search.smallest(TARGET):
            break
    return theta


def _moved(search: _Search, theta: Floats, temperature: float) -> tuple[Floats, int]:
    """Leave minima that a better order improves, until none does; also returns how often."""
    c = search.classes
    floor = float(np.minimum(c.margin, 0.0).sum())  # the cost of an order that contradicts no margin
    starts = [np.argsort(-merit, kind="stable") for merit in _merits(c)] if c.count <= DENSE else []
    loss, moves = search.loss(theta, temperature), 0
    order = np.argsort(-theta, kind="stable")
    while search.cost(theta) > floor + EQUAL:
        tried = {tuple(start.tolist()): start for start in (order, *starts)}
        orders = [better_order(c.count, c.a, c.b, c.margin, start) for start in tried.values()]
        best = min(orders, key=lambda order: search.cost(search.spread(order)))
        if search.cost(search.spread(best)) >= search.cost(theta) - EQUAL:
            break
        other = search.descended(search.spread(best), temperature, 5 * STEPS)
        lower = search.loss(other, temperature)
        if lower >= loss - EQUAL:
            break
        theta, loss, moves, starts = other, lower, moves + 1, []
        order = np.argsort(-theta, kind="stable")
        if (order == best).all():
            break
    return theta, moves


def _replaced(search: _Search, theta: Floats, temperature: float) -> tuple[Floats, int]:
    r"""Move one agent to the best of all places while that lowers the loss, and descend; also returns how often.

    With the others fixed, agent *a* at rating *x* costs :math:`\sum_b M(a, b) \, \sigma(\theta_b - x)`; the places
    tried are both ends and the midpoints between neighbors.
    """
    c = search.classes
    if c.count > FEW:
        return theta, 0
    matrix = np.zeros((c.count, c.count))
    matrix[c.a, c.b], matrix[c.b, c.a] = c.margin, -c.margin
    for moves in range(c.count):
        ladder = np.unique(theta)
        places = np.concatenate(([search.low], (ladder[1:] + ladder[:-1]) / 2, [search.high]))
        cost = matrix @ expit((theta[:, None] - places) / temperature)
        here = (matrix * expit((theta - theta[:, None]) / temperature)).sum(axis=1)
        gain = here - cost.min(axis=1)
        agent = int(np.argmax(gain))
        if gain[agent] <= EQUAL:
            return theta, moves
        theta = theta.copy()
        theta[agent] = places[np.argmin(cost[agent])]
        theta = search.descended(theta, temperature, 5 * STEPS)
    return theta, c.count


def _merits(c: Classes) -> tuple[Floats, Floats]:
    """The share of its margins that each class wins, and how many more classes it beats than beat it."""
    size, sign = np.abs(c.margin), np.sign(c.margin)
    won, total = incident(c.count, c.a, c.b, c.margin, -c.margin), incident(c.count, c.a, c.b, size, size)
    return won / np.where(total > 0, total, 1.0), incident(c.count, c.a, c.b, sign, -sign)
