"""Tie groups: where a board can be cut so that everyone above the cut is certainly above everyone below."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.ranks.differences import ROUNDING, Array, Mask

Int = NDArray[np.int64]


def point_ranks(score: Array, part: Int | None = None) -> Int:
    """Return 1 plus the number of agents, of one's part, whose score is higher beyond rounding; 0 for an agent that has none.

    >>> point_ranks(np.array([0.5, 0.7, 0.5, np.nan]))
    array([2, 1, 2, 0])
    >>> point_ranks(np.array([0.5, 0.7, 0.5]), np.array([0, 1, 0]))
    array([1, 1, 1])
    """
    size = np.abs(score)
    higher = score[None, :] - score[:, None] > ROUNDING * np.maximum(size[:, None], size[None, :])
    if part is not None:
        higher &= part[:, None] == part[None, :]
    return np.where(np.isnan(score), 0, 1 + higher.sum(axis=1))


def best_first(rank: Int, best: Int, worst: Int, agents: Sequence[str], part: Int) -> Int:
    """Return the agents that have a score, part by part, best first: by rank, then by the ranks they may have and by name."""
    scored = [i for i in range(len(agents)) if rank[i] > 0]
    return np.array(sorted(scored, key=lambda i: (part[i], rank[i], best[i], worst[i], agents[i])), dtype=np.int64)


def tie_groups(above: Mask, order: Int) -> Int:
    """Return the group of every agent, from 1; 0 for those that are not in the order.

    The board is cut between two places exactly where all agents above the cut are certainly above all below it. So
    the order of two groups is certain, and within a group it is not, or not wholly.

    Parameters
    ----------
    above : (n, n) bool
        Which agents are certainly above which.
    order : (k,) int
        Agents, best first.

    Examples
    --------
    The first two are above the last two. That the first is above the second is not certain, so they form a group.

    >>> above = np.zeros((4, 4), dtype=bool)
    >>> above[:2, 2:] = above[2, 3] = True
    >>> tie_groups(above, np.arange(4))
    array([1, 1, 2, 3])
    """
    k = len(order)
    place = np.arange(k)
    unresolved = np.triu(~above[np.ix_(order, order)])  # with oneself
    reach = np.maximum.accumulate(np.where(unresolved, place, 0).max(axis=1, initial=0))
    starts = np.ones(k, dtype=np.int64)
    starts[1:] = reach[:-1] < place[1:]
    group = np.zeros(len(above), dtype=np.int64)
    group[order] = np.cumsum(starts)
    return group


def unresolved_runs(above: Mask, order: Int) -> tuple[Int, ...]:
    """Return the longest stretches of the board within which nobody is certainly above anybody.

    They may overlap: the last agents of one can open the next, as letters in a compact letter display do. Two agents
    of one run are never resolved; two that share none may be unresolved still, where an agent between them is better
    known.

    Parameters
    ----------
    above : (n, n) bool
    order : (k,) int

    Examples
    --------
    Neighbours are unresolved, agents two places apart are not.

    >>> unresolved_runs(np.triu(np.ones((4, 4), dtype=bool), 2), np.arange(4))
    (array([0, 1]), array([1, 2]), array([2, 3]))
    """
    k = len(order)
    resolved = above[np.ix_(order, order)]
    resolved = np.triu(resolved | resolved.T, 1)
    first = np.where(resolved, np.arange(k), k).min(axis=1, initial=k)
    end = np.minimum.accumulate(first[::-1])[::-1]
    return tuple(order[i : end[i]] for i in range(k) if i == 0 or end[i] > end[i - 1])
