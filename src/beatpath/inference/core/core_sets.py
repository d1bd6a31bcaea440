r"""The weight of every set that could be the core: sums over all subsets of a window of agents, and all orders outside.

Agents stand in one order of high likelihood. Those before the window are taken to be in the core, those after it to be
outside in that order; within the window every subset may be the core, and the rest of it may stand in any order.

A set can be the core only where it is strong, everyone reaching everyone along wins.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from beatpath.inference.core.core_edges import CERTAIN, CoreEdges, log_above, log_dominates
from beatpath.inference.core.subset_sums import members, subset_sums, subsets_by_size

FLOOR = 1e-12
Array = NDArray[np.float64]
NARROW, WIDE = 12, 16
EDGE = 1e-3
FAR, FAR_WIDTH = 20.0, 10
UPSETS = (0.001, 0.004, 0.016, 0.064, 0.25, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class CoreSets:
    """Membership, sizes and the best set, from every set weighed.

    Parameters
    ----------
    probability : (n,) float
        Of each agent to be in the core.
    size : (n + 1,) float
        Of each number of members.
    best : (n,) bool
        The most probable set.
    best_probability : float
    n_best : int
        How many sets are as probable as that, to nine digits.
    n_sets : int
        How many sets were weighed.
    window : int
        Of how many agents at the head of the order all subsets were weighed.
    edge : float
        The largest membership among the last two of these.
    """

    probability: Array
    size: Array
    best: NDArray[np.bool_]
    best_probability: float
    n_best: int
    n_sets: int
    window: int
    edge: float


def log_prior(n: int) -> Array:
    r"""Return the log-weight of one set of k agents, for k from 0 to n.

    A size has prior :math:`\propto 1 / k` (2 is impossible), all sets of a size and all orders of those outside are alike,
    :math:`k!\,(n - k)! / n! \cdot 1 / (n - k)!`, and so are all strong tournaments within: division by their share.

    >>> bool(np.isneginf(log_prior(3)[2]))
    True
    """
    k = np.arange(1.0, n + 1)
    allowed = k != 2
    weight = np.full(n + 1, -np.inf)
    size = -np.log(k[allowed])
    share = strong_fractions(n)[1:][allowed]
    weight[1:][allowed] = size - _log_total(size) + gammaln(k[allowed] + 1) - gammaln(n + 1) - np.log(share)
    return weight


def log_orders(above: Array) -> Array:
    r"""Return the log of the summed likelihood of all orders of each subset.

    With *x* the highest, :math:`Z(S) = \sum_{x \in S} Z(S - x) \prod_{y \in S - x} e^{A_{xy}}`.

    >>> bool(np.allclose(np.exp(log_orders(np.zeros((3, 3)))), [1, 1, 1, 2, 1, 2, 2, 6]))
    True
    """
    below = subset_sums(above)
    total = np.zeros(len(below))
    for subset, inside, without in subsets_by_size(len(above)):
        total[subset] = _log_sums(below[subset[:, None], inside] + total[without])
    return total


class Outside:
    """Agents outside the core, in all orders, with one rate of upsets.

    Parameters
    ----------
    better : (n, n) float
        Numbered by place in the order of high likelihood.
    upsets : float
        How often the lower of two is the better.

    Attributes
    ----------
    slots : (n, n) float
        What the log-likelihood gains when the agent of place p moves below the next j, all others staying.
    lower : (n + 1,) float
        Log of the summed likelihood of the orders of all agents from place p on, one agent moving at a time: exact
        when all orders are alike, and when there is but one.
    """

    def __init__(self, better: Array, upsets: float) -> None:
        n = len(better)
        self.upsets, self.above = upsets, log_above(better, upsets)
        self.slots = np.full((n, n), -np.inf)
        for p in range(n):
            self.slots[p, 0] = 0.0
            self.slots[p, 1 : n - p] = np.cumsum(self.above[p + 1 :, p] - self.above[p, p + 1 :])
        gain = np.triu(self.above, 1).sum(axis=1) + _log_sums(self.slots)
        self.lower = np.append(np.cumsum(gain[::-1])[::-1], 0.0)

    def log_window(self, start: int, stop: int) -> Array:
        """Return, for each subset of a window, the log-likelihood of the rest of it and all below, outside."""
        above = self.above[start:stop, start:stop]
        within = np.array([_log_total(self.slots[p, : stop - p]) for p in range(start, stop)])
        drop = _log_sums(self.slots[start:stop]) - within  # the places below the window, beside those in it
        alone = self.above[start:stop, stop:].sum(axis=1) + drop
        return (~members(stop - start)) @ alone + log_orders(above)[::-1] + self.lower[stop]


class SubsetTable:
    """Everything a set's weight is made of, agents numbered by place in the order."""

    def __init__(self, edges: CoreEdges) -> None:
        better = edges.better[np.ix_(edges.order, edges.order)]
        self.better, self.dominates = np.maximum(better, CERTAIN), log_dominates(better)
        self.prior = log_prior(len(better))
        outside = [Outside(better, rate) for rate in UPSETS]
        likely = max(each.lower[0] for each in outside) - FAR
        self.outside = [each for each in outside if each.lower[0] > likely]

    def log_window(self, start: int, stop: int) -> Array:
        """Return the log-weight of each core that holds all agents before the window and none after it.

        One for each subset of the window, in the order of `subset_sums`; rates of upsets are alike beforehand.
        """
        inside, dominates = members(stop - start), self.dominates
        rivals = subset_sums(dominates[start:stop, start:stop])[::-1]  # of each subset, its complement
        weight = np.where(inside, rivals + dominates[start:stop, stop:].sum(axis=1), 0.0).sum(axis=1)
        weight += (~inside) @ dominates[:start, start:stop].sum(axis=0) + dominates[:start, stop:].sum()
        weight += log_strong(self.better[:stop, :stop], start) + self.prior[start + inside.sum(axis=1)]
        return weight + _log_sums(np.column_stack([each.log_window(start, stop) for each in self.outside]))

    def log_prefixes(self) -> Array:
        """Return the log-weight of every prefix of the order as a core, were it strong."""
        later = np.triu(np.ones(self.dominates.shape), 1)
        crossing = (np.cumsum(self.dominates[:, ::-1], axis=1)[:, ::-1] * later)[:, 1:].sum(axis=0)
        lower = _log_sums(np.column_stack([each.lower[1:] for each in self.outside]))
        return np.append(crossing, 0.0) + lower + self.prior[1:]


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A stretch of the order, and the log-weight of each core that ends in it."""

    start: int
    stop: int
    weight: Array


def core_sets(edges: CoreEdges) -> CoreSets:
    """Weigh all subsets of a window at the head of the order, widened while its last agents still matter.

    Where prefixes of the order that are longer than the window weigh enough to matter, narrower windows further down are
    added, each for the cores whose lowest member is the window's last agent.
    """
    n, table = len(edges.order), SubsetTable(edges)
    for width in range(NARROW, WIDE + 1, 2):
        stop = min(width, n)
        first = Window(0, stop, table.log_window(0, stop))
        if width >= n or _edge(first) < EDGE:
            break
    return _summary(edges, [first, *_far_windows(table, first)])


def _edge(window: Window) -> float:
    """How probable the last two agents of a window are as members."""
    p = np.exp(window.weight - _log_total(window.weight))
    return float((p @ members(window.stop - window.start)[:, -2:]).max())


def _far_windows(table: SubsetTable, first: Window) -> list[Window]:
    """Windows that end where a prefix of the order ends that is longer than the first window and not far lighter."""
    prefix = table.log_prefixes()
    near = np.flatnonzero(prefix > max(float(first.weight.max()), float(prefix.max())) - FAR)
    found = []
    for stop in (near[near >= first.stop] + 1).tolist():
        weight = table.log_window(stop - FAR_WIDTH, stop)
        weight[: len(weight) // 2] = -np.inf  # without the last agent it belongs to an earlier window
        found.append(Window(stop - FAR_WIDTH, stop, weight))
    return found


def _summary(edges: CoreEdges, windows: list[Window]) -> CoreSets:
    """All weighed sets as probabilities."""
    n = len(edges.order)
    total = _log_total(np.array([_log_total(window.weight) for window in windows]))
    member, size = np.zeros(n), np.zeros(n + 1)
    for window in windows:
        p, inside = np.exp(window.weight - total), members(window.stop - window.start)
        member[: window.start] += p.sum()
        member[window.start : window.stop] += p @ inside
        size += np.bincount(window.start + inside.sum(axis=1), weights=p, minlength=n + 1)
    probability, best = np.zeros(n), np.zeros(n, dtype=bool)
    probability[edges.order] = np.minimum(member, 1.0)
    top = max(windows, key=lambda window: float(window.weight.max()))
    best[edges.order[: top.start]] = True
    best[edges.order[top.start : top.stop]] = members(top.stop - top.start)[int(np.argmax(top.weight))]
    every = np.concatenate([window.weight for window in windows])
    n_best, n_sets = (every > every.max() - 1e-9).sum(), np.isfinite(every).sum()
    share = float(np.exp(every.max() - total))
    return CoreSets(probability, size, best, share, int(n_best), int(n_sets), windows[0].stop, _edge(windows[0]))


def _log_total(weight: Array) -> float:
    high = weight.max()
    return float(high + np.log(np.exp(weight - high).sum()))


def _log_sums(weight: Array) -> Array:
    """The log-sum of each row."""
    high = weight.max(axis=1, keepdims=True)
    return high[:, 0] + np.log(np.exp(weight - high).sum(axis=1))


def strong_fractions(n: int) -> NDArray[np.float64]:
    r"""Return the share of tournaments on :math:`k` labelled agents that are strong, for k from 0 to n.

    A tournament has exactly one top cycle, so with :math:`S_k` the share of strong ones

    .. math::  1 = \sum_{j=1}^{k} \binom{k}{j} 2^{-j(k-j)} S_j .

    Examples
    --------
    Of the eight tournaments of three agents two are cycles; two agents never form one.

    >>> strong_fractions(4)[1:]
    array([1.   , 0.   , 0.25 , 0.375])
    """
    share = np.zeros(n + 1)
    for k in range(1, n + 1):
        j = np.arange(1, k)
        sets = np.exp(gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1) - j * (k - j) * np.log(2))
        share[k] = 0.0 if k == 2 else 1 - sets @ share[1:k]
    return share


def log_strong(better: NDArray[np.float64], sure: int) -> NDArray[np.float64]:
    r"""Return the log-probability that agents form a strong tournament, for many sets of them at once.

    Edges are independent, *a* beating *b* with probability :math:`q_{ab}`. A tournament without an agent that beats all the
    rest and without one that loses to all the rest is strong when it has five agents or fewer; with more it could still
    fall into two parts of three or more each, which is left out. The probability of neither is

    .. math::  1 - \sum_a s_a - \sum_b t_b + \sum_{a \ne b} s_a t_b / q_{ab},

    with :math:`s_a = \prod_c q_{ac}` and :math:`t_b = \prod_c q_{cb}`.

    Parameters
    ----------
    better : (m, m) float
        q, nowhere zero; the diagonal is not read.
    sure : int
        The first so many agents are in every set; of the other t all :math:`2^t` subsets are taken.

    Returns
    -------
    ndarray, shape (2 ** t,)
        In the order of `subset_sums`; no less than log 1e-12, and for the empty set meaningless.

    Examples
    --------
    Three even agents form a cycle one time in four.

    >>> float(np.exp(log_strong(np.full((3, 3), 0.5), 0)[-1]))
    0.25
    """
    q = np.array(better)
    np.fill_diagonal(q, 1.0)
    present = subset_sums(np.eye(len(q))[:, sure:]) + (np.arange(len(q)) < sure)
    above, below = (
        np.exp(subset_sums(table[:, sure:]) + table[:, :sure].sum(axis=1)) * present
        for table in (np.log(q), np.log(q.T))
    )
    inverse = 1 / q
    np.fill_diagonal(inverse, 0.0)
    neither = 1 - above.sum(axis=1) - below.sum(axis=1) + ((above @ inverse) * below).sum(axis=1)
    return np.where(present.sum(axis=1) == 1, 0.0, np.log(np.maximum(neither, FLOOR)))
