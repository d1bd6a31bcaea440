r"""The Top Cycle score at zero temperature, without the closure.

.. math::  t(a) = \min_{b \ne a} R(a, b)

is the largest strength at which *a* still reaches everyone by edges at least that strong. The agents with the largest such
strength, :math:`t^*`, form the one component without an edge into it at that level, and any other agent reaches everyone by
reaching that component: its score is the strength of its strongest path there. So all scores follow from :math:`t^*` and one
search for strongest paths, in :math:`O(n^2)` steps each, where the closure takes :math:`O(n^3)`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats, Ints

Edges = Callable[[Ints, Ints], Floats]

TOGETHER = 64  # agents whose edges are looked up at a time


def widest_reach(D: ArrayLike) -> Floats:
    r"""Return the strength at which each agent still reaches every other.

    The limit of eq. (11) of Soft Tournament Equilibrium at zero temperature with max-min reachability: the row minima of
    `widest_paths`, bit for bit.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, not negative, 0 for none, with a diagonal of zeros.

    Returns
    -------
    (n,) float
        For one agent alone, 1.

    Examples
    --------
    The first beats the second beats the third beats the first, less surely; the fourth loses.

    >>> D = np.array([[0, 0.9, 0.3, 0.9], [0.1, 0, 0.8, 0.9], [0.7, 0.2, 0, 0.9], [0.1, 0.1, 0.1, 0]])
    >>> widest_reach(D)
    array([0.8, 0.7, 0.7, 0.1])

    Notes
    -----
    No copy of `D` is made. The best agent is found by bisection between the score of one agent and the strongest edge into
    the component of another; on dense tournaments the agent that is hardest to reach settles it at once.
    """
    D = np.asarray(D, dtype=np.float64)
    if len(D) == 1:
        return np.ones(1)
    root, top = _best_root(D)
    return paths_to_target(len(D), root, _edges_into(D), cap=top)


def paths_to_target(n: int, target: int, edges: Edges, *, floor: float = 0.0, cap: float = np.inf) -> Floats:
    """Return the strength of the strongest path between every agent and the target, up to `cap`, and 0 below `floor`.

    `edges(rest, some)` is the strongest edge between each of `rest` and any of `some`, in the direction that is wanted. The
    agents join in falling order of strength, all of one strength together, and are looked at a few at a time.

    >>> chain = np.diag([0.9, 0.4, 0.7], k=1)
    >>> paths_to_target(4, 0, lambda rest, some: chain[np.ix_(some, rest)].max(axis=0), cap=0.8)
    array([0.8, 0.8, 0.4, 0.4])
    """
    strength = np.zeros(n)
    strength[target] = level = cap
    rest = np.delete(np.arange(n), target)
    queue, width = np.array([target]), np.zeros(n - 1)
    while len(rest):
        if len(queue):
            some, queue = queue[:TOGETHER], queue[TOGETHER:]
            np.maximum(width, edges(rest, some), out=width)
        else:
            level = min(level, float(width.max()))
            if level < floor or level == 0:
                break
        joins = width >= level
        if joins.any():
            strength[rest[joins]] = level
            queue = np.append(queue, rest[joins])
            rest, width = rest[~joins], width[~joins]
    return strength


def _best_root(D: Floats) -> tuple[int, float]:
    """An agent whose score is the largest, and that score.

    Let c belong to a component that no edge of at least some level enters. Ints of the component with a score below the
    level have that of c; an agent outside has at most the strongest edge into the component. So every c that is tried
    raises the lower end or lowers the upper, and both ends are strengths of edges.
    """
    into = D.max(axis=0)
    hardest, second = (int(c) for c in np.argsort(into, kind="stable")[:2])
    root, low = hardest, _reach_score(D, hardest, cap=into[second])
    high = float(into[hardest])
    while low < high:
        level = _halfway(low, high)
        c = _source(D, level)
        score = _reach_score(D, c, floor=low, cap=into[second if c == hardest else hardest])
        if score > low:
            root, low = c, score
        if score < level:
            reaching = paths_to_target(len(D), c, _edges_into(D), floor=low, cap=level)
            high = float(reaching[reaching < level].max(initial=0.0))
    return root, low


def _reach_score(D: Floats, agent: int, *, cap: float, floor: float = 0.0) -> float:
    """The score of one agent; `cap` is the strongest edge into some other, which no score exceeds."""
    return float(paths_to_target(len(D), agent, _edges_from(D), floor=floor, cap=float(cap)).min())


def _edges_from(D: Floats) -> Edges:
    """Edges from `some` to each of `rest`, by whole rows, which lie together in memory, unless few are wanted."""
    return lambda rest, some: D[some].max(axis=0)[rest] if 4 * len(rest) > len(D) else D[np.ix_(some, rest)].max(axis=0)


def _edges_into(D: Floats) -> Edges:
    """Edges from each of `rest` to `some`."""
    return lambda rest, some: D[np.ix_(rest, some)].max(axis=1)


def _source(D: Floats, level: float) -> int:
    """An agent in a component that no edge of at least `level` enters: the last root of a forest of searches."""
    edges = _edges_from(D)
    unseen = np.arange(len(D))
    root = 0
    while len(unseen):
        root, unseen = int(unseen[0]), unseen[1:]
        queue = np.array([root])
        while len(queue) and len(unseen):
            some, queue = queue[:TOGETHER], queue[TOGETHER:]
            found = edges(unseen, some) >= level
            queue, unseen = np.append(queue, unseen[found]), unseen[~found]
    return root


def _halfway(low: float, high: float) -> float:
    """The number above `low`, up to `high`, that halves the numbers between them."""
    ends = np.array([low, high]).view(np.int64)
    return float(np.array([ends[0] + (ends[1] - ends[0] + 1) // 2]).view(np.float64)[0])
