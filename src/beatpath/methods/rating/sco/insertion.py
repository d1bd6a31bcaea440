"""Insertion moves on Kemeny's objective: one agent, or one level of tied agents, to the best of all its places."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array

from beatpath._arrays import Floats, Ints
from beatpath.methods.kemeny.moves import improved
from beatpath.methods.rating.sco.sco_loss import Cells, disagreement

DENSE = 3_000
PASSES = 20
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Polished:
    """Levels after insertion moves, and the preferences they contradict before and after; ties count half."""

    level: Ints
    before: float
    after: float


def polished(level: Ints, cells: Cells) -> Polished:
    """Move whole levels to better places until no move of one level lowers the number of contradicted preferences.

    Tied agents move together and stay tied, so nothing is decided that the levels left open.

    Parameters
    ----------
    level : (n,) int
        0 for the best.
    cells : Cells

    Examples
    --------
    C beats A and B, who were put above it.

    >>> cells = Cells.from_wins(np.array([[0, 4, 2], [1, 0, 2], [3, 3, 0]]))
    >>> found = polished(np.array([0, 1, 2]), cells)
    >>> found.level, found.before, found.after
    (array([1, 2, 0]), 7.0, 5.0)
    """
    margin, x, y = cells.margin, level[cells.a], level[cells.b]
    keep = x != y
    order = better_order(int(level.max()) + 1, x[keep], y[keep], margin[keep], np.arange(level.max() + 1))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return Polished(place[level], disagreement(-level, cells), disagreement(-place[level], cells))


def one_order(level: Ints, cells: Cells) -> Ints:
    """Return one order of the agents that breaks the ties of levels so as to contradict few preferences.

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
    """Return an order, best first, that no move of one agent betters; up to 300 agents, no exchange of blocks either.

    The same pair may come more than once; its margins add up.

    >>> better_order(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([3.0, -1, -1]), np.arange(3))
    array([2, 0, 1])
    """
    tol = 1e-9 * float(np.abs(margin).max(initial=0.0))
    if n > DENSE:
        return _inserted(n, a, b, margin, order, tol)
    matrix = coo_array((margin, (a, b)), shape=(n, n)).toarray()
    return improved(matrix - matrix.T, order, tol=tol)


def _inserted(n: int, a: Ints, b: Ints, margin: Floats, order: Ints, tol: float) -> Ints:
    """Insertion by lists of those met, for more agents than a table holds; ends after some passes at the latest."""
    agent, rival, value = np.concatenate((a, b)), np.concatenate((b, a)), np.concatenate((margin, -margin))
    by_agent = np.argsort(agent, kind="stable")
    rival, value = rival[by_agent], value[by_agent]
    start = np.concatenate(([0], np.cumsum(np.bincount(agent, minlength=n))))
    waiting = np.diff(start) > 0  # those whose best place may have changed
    share = np.arange(1, n + 1) * GOLDEN % 1  # of the way between two rivals, so that no two agents come to one place
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
    """A place between two rivals that contradicts the fewest preferences, or none when this one is as good."""
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
