"""Planted cores: the weight of every set that could be the core, and the evidence of that model.

A tournament has a strongly connected core whose members beat everyone else, and others in some order that upsets may
break. Agents are in one order of high likelihood. Those before a window are assumed to be in the core, those after it
outside; within the window every subset may be the core, and the rest of it may be in any order.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from beatpath._arrays import Bools, Floats, Ints
from beatpath.inference.core.worlds.planted_edges import PlantedEdges, log_above

Layer = tuple[Ints, Ints, Ints]


def subset_sums(table: Floats) -> Floats:
    """Return the sum of the columns of every subset of columns.

    Parameters
    ----------
    table : (m, t) float
        The columns.

    Returns
    -------
    ndarray, shape (2 ** t, m)
        Row 5 is the sum of columns 0 and 2.

    Examples
    --------
    >>> subset_sums(np.array([[1.0, 10.0]])).ravel()
    array([ 0.,  1., 10., 11.])
    """
    rows, columns = table.shape
    sums = np.zeros((1 << columns, rows))
    for bit in range(columns):
        sums[1 << bit : 2 << bit] = sums[: 1 << bit] + table[:, bit]
    return sums


@lru_cache(maxsize=8)
def members(t: int) -> Bools:
    """Return the members of each of the :math:`2^t` subsets.

    >>> members(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    bits = (np.arange(1 << t)[:, None] >> np.arange(t)) & 1 == 1
    bits.setflags(write=False)
    return bits


@lru_cache(maxsize=8)
def subsets_by_size(t: int) -> tuple[Layer, ...]:
    """Return the subsets of each size from 1 to t, their members, and each subset without each of its members.

    >>> [subset.tolist() for subset, _, _ in subsets_by_size(2)]
    [[1, 2], [3]]
    """
    bits = members(t)
    size = bits.sum(axis=1)
    subsets = []
    for k in range(1, t + 1):
        subset = np.flatnonzero(size == k)
        inside = np.nonzero(bits[subset])[1].reshape(-1, k)
        subsets.append((subset, inside, subset[:, None] ^ (1 << inside)))
    return tuple(subsets)


def log_orders(above: Floats) -> Floats:
    r"""Return the log of the summed likelihood of all orders of each subset.

    With *x* the highest, :math:`Z(S) = \sum_{x \in S} Z(S - x) \prod_{y \in S - x} e^{A_{xy}}`.

    >>> bool(np.allclose(np.exp(log_orders(np.zeros((3, 3)))), [1, 1, 1, 2, 1, 2, 2, 6]))
    True
    """
    below = subset_sums(above)
    total = np.zeros(len(below))
    for subset, inside, without in subsets_by_size(len(above)):
        total[subset] = log_row_sums(below[subset[:, None], inside] + total[without])
    return total


def sampled_log_orders(above: Floats, particles: int = 32, seed: int = 7) -> float:
    r"""Return an estimate of the log of the summed likelihood of all orders, unbiased before the log.

    Agents are inserted one by one. Each particle is an order; a new agent is inserted with probability proportional to
    the likelihood, and the sum over slots multiplies the particle's weight (sequential Monte Carlo; resampled when
    weights become uneven).

    >>> round(sampled_log_orders(np.zeros((3, 3))), 9) == round(float(np.log(6)), 9)
    True
    """
    n, rng = len(above), np.random.default_rng(seed)
    order, weight, total = np.zeros((particles, min(n, 1)), dtype=np.int64), np.zeros(particles), 0.0
    for agent in range(1, n):
        higher, lower = above[order, agent], above[agent][order]
        slot = np.zeros((particles, agent + 1))
        np.cumsum(higher - lower, axis=1, out=slot[:, 1:])
        top = slot.max(axis=1, keepdims=True)
        share = np.cumsum(np.exp(slot - top), axis=1)
        weight += top[:, 0] + lower.sum(axis=1) + np.log(share[:, -1])
        pick = (share < rng.random((particles, 1)) * share[:, -1:]).sum(axis=1)
        place = np.arange(agent + 1)
        order = np.take_along_axis(order, np.minimum(place - (place > pick[:, None]), agent - 1), axis=1)
        order[np.arange(particles), pick] = agent
        even = np.exp(weight - weight.max())
        if even.sum() ** 2 < particles / 2 * (even**2).sum():
            total += weight.max() + np.log(even.mean())
            survivors = np.searchsorted(np.cumsum(even) / even.sum(), (np.arange(particles) + rng.random()) / particles)
            order, weight = order[np.minimum(survivors, particles - 1)], np.zeros(particles)
    return float(total + weight.max() + np.log(np.exp(weight - weight.max()).mean()))


def log_total(weight: Floats) -> float:
    """Return the log of the sum of exponentials.

    >>> round(log_total(np.log([1.0, 2.0, 3.0])), 9) == round(float(np.log(6)), 9)
    True
    """
    high = weight.max()
    return float(high + np.log(np.exp(weight - high).sum()))


def log_row_sums(weight: Floats) -> Floats:
    """Return the log of the sum of exponentials of each row.

    >>> bool(np.allclose(log_row_sums(np.log([[1.0, 2.0], [3.0, 5.0]])), np.log([3.0, 8.0])))
    True
    """
    high = weight.max(axis=1, keepdims=True)
    return np.asarray(high[:, 0] + np.log(np.exp(weight - high).sum(axis=1)))


def row_products(x: Floats | Bools, y: Floats) -> Floats:
    """Return the inner product of every row with the same row of another table.

    >>> row_products(np.array([[True, False], [True, True]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([1., 7.])
    """
    return np.asarray(np.einsum("ij,ij->i", x, y))


CERTAIN, FLOOR = 1e-9, 1e-12  # smallest probability of an edge, and of a strong tournament, before logarithms
# initial and largest size of the first window, and membership of its last agents from which it is widened
NARROW, WIDE, EDGE = 12, 16, 1e-3
# log weight below the best at which a prefix is ignored, and size of windows further down
FAR, FAR_WIDTH = 20.0, 10
# upset rates outside the core (the lower agent is the better), equal a priori
UPSETS = (0.001, 0.004, 0.016, 0.064, 0.25, 0.5)
CLOSE_SHARE = 0.3  # prior probability that pairs within a core are close
PARTICLES, FEW_PARTICLES, FEW = 32, 8, 300  # Monte Carlo particles of the sum over orders; fewer beyond 300 agents


@dataclass(frozen=True, slots=True, eq=False)
class SubsetWindow:
    """A run of the order, and the log weight of each core that ends in it."""

    start: int
    stop: int
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PlantedCores:
    r"""The planted model's evidence, memberships, sizes and weighed sets.

    Attributes
    ----------
    evidence : float
        Log evidence, in the units of :math:`\\sum w \\log p + l \\log (1 - p)`.
    probability : (n,) float
        Of each agent to be in the core.
    size : (n + 1,) float
        Of each number of members.
    order : (n,) int
        The order of high likelihood, the highest first.
    windows : tuple of SubsetWindow
        The first at the head of the order, others further down where long prefixes weigh enough.
    total : float
        The log of all weights' sum.
    edge : float
        The largest membership among the last two agents of the first window; 0 where it holds everyone.
    """

    evidence: float
    probability: Floats
    size: Floats
    order: Ints
    windows: tuple[SubsetWindow, ...]
    total: float
    edge: float

    @classmethod
    def unweighed(cls, n: int) -> "PlantedCores":
        """Return the result without evidence and sets, for data that this model cannot use."""
        nothing = SubsetWindow(0, 0, np.full(1, -np.inf))
        return cls(-np.inf, np.zeros(n), np.zeros(n + 1), np.arange(n), (nothing,), 0.0, 0.0)

    def set_probability(self, inside: Bools) -> float:
        """Return the probability of one set, (n,) bool; 0 where it was not evaluated."""
        place = inside[self.order]
        for window in self.windows:
            if place[: window.start].all() and not place[window.stop :].any():
                index = int((1 << np.arange(window.stop - window.start)) @ place[window.start : window.stop])
                if np.isfinite(window.weight[index]):
                    return float(np.exp(window.weight[index] - self.total))
        return 0.0

    def single_probabilities(self) -> Floats:
        """Return the probability of each agent to be the whole core."""
        first, alone = self.windows[0], np.zeros(len(self.order))
        single = first.weight[1 << np.arange(first.stop)]
        alone[self.order[: first.stop]] = np.exp(single - self.total)
        return alone

    def best_sets(self, number: int) -> list[Bools]:
        """Return the most probable sets, best first."""
        every = [
            (-float(window.weight[i]), k, i)
            for k, window in enumerate(self.windows)
            for i in np.argsort(-window.weight, kind="stable")[:number].tolist()
            if np.isfinite(window.weight[i])
        ]
        sets = []
        for _, k, i in sorted(every)[:number]:
            window, inside = self.windows[k], np.zeros(len(self.order), dtype=bool)
            inside[self.order[: window.start]] = True
            inside[self.order[window.start : window.stop]] = members(window.stop - window.start)[i]
            sets.append(inside)
        return sets


def planted_cores(edges: PlantedEdges, floor: float = -np.inf) -> PlantedCores:
    r"""Evaluate all subsets of a window at the top of the order, widened while its last agents still matter.

    .. math::

        P(C) \propto \frac{1}{|C|} \frac{|C|!}{S_{|C|}} \Pr(C \text{ strong}) \prod_{a \in C, b \notin C} 2 q_{ab}
        \sum_{\text{orders}} \prod_{a \text{ above } b} 2 ((1 - \epsilon) q_{ab} + \epsilon q_{ba})

    The evidence is the normalized sum of these times that of the strengths. Where prefixes of the order longer than
    the window have enough weight, narrower windows further down are added, each for the cores whose lowest member is
    the window's last agent.

    Parameters
    ----------
    edges : PlantedEdges
        For agents in canonical order: where the data tie, earlier ones are tried first.
    floor : float
        The log evidence of other models. Where this one is far below, the sum over orders keeps its first
        approximation, with one agent moving at a time.
    """
    n, table = len(edges.order), SubsetTable(edges, floor)
    for width in range(NARROW, WIDE + 1, 2):
        stop = min(width, n)
        first = SubsetWindow(0, stop, table.log_window(0, stop))
        if width >= n or _edge(first) < EDGE:
            break
    windows = (first, *_far_windows(table, first))
    total = log_total(np.array([log_total(window.weight) for window in windows]))
    member, size = np.zeros(n), np.zeros(n + 1)
    for window in windows:
        p, inside = np.exp(window.weight - total), members(window.stop - window.start)
        member[: window.start] += p.sum()
        member[window.start : window.stop] += p @ inside
        size += np.bincount(window.start + inside.sum(axis=1), weights=p, minlength=n + 1)
    probability = np.zeros(n)
    probability[edges.order] = np.minimum(member, 1.0)
    evidence = edges.coins.evidence + total - float(np.log(len(UPSETS)))
    return PlantedCores(
        evidence, probability, size, edges.order, windows, total, _edge(first) if n > first.stop else 0.0
    )


def _edge(window: SubsetWindow) -> float:
    """Return the membership probability of the last two agents of a window."""
    p = np.exp(window.weight - log_total(window.weight))
    return float((p @ members(window.stop - window.start)[:, -2:]).max())


def _far_windows(table: "SubsetTable", first: SubsetWindow) -> list[SubsetWindow]:
    """Return windows at the end of prefixes longer than the first window that are not far less likely."""
    prefix = table.log_prefixes()
    near = np.flatnonzero(prefix > max(float(first.weight.max()), float(prefix.max())) - FAR)
    windows = []
    for stop in (near[near >= first.stop] + 1).tolist():
        weight = table.log_window(stop - FAR_WIDTH, stop)
        weight[: len(weight) // 2] = -np.inf  # sets without the last agent belong to an earlier window
        windows.append(SubsetWindow(stop - FAR_WIDTH, stop, weight))
    return windows


class SubsetTable:
    """All terms of a set's weight, agents numbered by position in the order."""

    def __init__(self, edges: PlantedEdges, floor: float = -np.inf) -> None:
        n, sort = len(edges.order), np.ix_(edges.order, edges.order)
        better = edges.better[sort]
        self.better, self.close = np.maximum(better, CERTAIN), np.maximum(edges.close[sort], CERTAIN)
        self.dominates, self.close_gain = np.log(2 * self.better), edges.close_gain[sort]
        self.prior = log_prior(n)
        outside = [Outside(better, rate) for rate in UPSETS]
        likely = max(each.lower[0] for each in outside) - FAR
        self.outside = [each for each in outside if each.lower[0] > likely]
        best = edges.coins.evidence + likely + FAR - float(gammaln(n + 1))
        if best > floor - 50 - n / 4:
            for each in self.outside:
                each.corrected(min(NARROW, n))

    def log_window(self, start: int, stop: int) -> Floats:
        """Return the log weight of each core that contains all agents before the window and none after it.

        One per subset of the window, in the order of `subset_sums`; upset rates are equal a priori.
        """
        inside, dominates = members(stop - start), self.dominates
        rivals = subset_sums(dominates[start:stop, start:stop])[::-1]  # the complement of each subset
        weight = row_products(inside, rivals + dominates[start:stop, stop:].sum(axis=1))
        weight += (~inside) @ dominates[:start, start:stop].sum(axis=0) + dominates[:start, stop:].sum()
        weight += self.log_core(start, stop) + self.prior[start + inside.sum(axis=1)]
        return weight + log_row_sums(np.column_stack([each.log_window(start, stop) for each in self.outside]))

    def log_core(self, start: int, stop: int) -> Floats:
        r"""Return the log-likelihood of each subset as a core: strong, with pairs as one-sided as all others or close.

        .. math::  \log \Bigl( 0.7 \Pr(C \text{ strong}) + 0.3 \Pr\nolimits_{\text{close}}(C \text{ strong})
            \prod_{a, b \in C} \frac{L^{\text{close}}_{ab}}{L_{ab}} \Bigr)
        """
        inside, gain = members(stop - start), self.close_gain
        within = row_products(inside, subset_sums(gain[start:stop, start:stop])) / 2
        within += inside @ gain[start:stop, :start].sum(axis=1) + gain[:start, :start].sum() / 2
        usual = log_strong(self.better[:stop, :stop], start)
        close = np.where(start + inside.sum(axis=1) > 1, log_strong(self.close[:stop, :stop], start) + within, usual)
        return np.asarray(np.logaddexp(usual + np.log(1 - CLOSE_SHARE), close + np.log(CLOSE_SHARE)))

    def log_prefixes(self) -> Floats:
        """Return the log-weight of every prefix of the order as a core, were it strong."""
        later = np.triu(np.ones(self.dominates.shape), 1)
        crossing = (np.cumsum(self.dominates[:, ::-1], axis=1)[:, ::-1] * later)[:, 1:].sum(axis=0)
        lower = log_row_sums(np.column_stack([each.lower[1:] for each in self.outside]))
        return np.append(crossing, 0.0) + lower + self.prior[1:]


class Outside:
    """Agents outside the core, over all orders, with one upset rate.

    Parameters
    ----------
    better : (n, n) float
        Numbered by position in the order of high likelihood.
    upsets : float
        How often the lower of two is the better.

    Attributes
    ----------
    slots : (n, n) float
        Gain in log-likelihood when the agent at position p moves below the next j, all others staying.
    lower : (n + 1,) float
        Log of the summed likelihood of the orders of all agents from position p on, with one agent moving at a time:
        exact when all orders are equally likely, and when there is only one.
    """

    def __init__(self, better: Floats, upsets: float) -> None:
        n = len(better)
        self.above = log_above(better, upsets)
        self.slots = np.full((n, n), -np.inf)
        for p in range(n):
            self.slots[p, 0] = 0.0
            self.slots[p, 1 : n - p] = np.cumsum(self.above[p + 1 :, p] - self.above[p, p + 1 :])
        gain = np.triu(self.above, 1).sum(axis=1) + log_row_sums(self.slots)
        self.lower = np.append(np.cumsum(gain[::-1])[::-1], 0.0)

    def corrected(self, stop: int) -> None:
        """Correct the orders of all agents below a window, and those of longer tails in proportion to their length."""
        n = len(self.above)
        if stop < n - 1:
            off = (
                sampled_log_orders(self.above[stop:, stop:], PARTICLES if n <= FEW else FEW_PARTICLES)
                - self.lower[stop]
            )
            self.lower = self.lower + off * (n - np.arange(n + 1.0)) / (n - stop)

    def log_window(self, start: int, stop: int) -> Floats:
        """Return, for each subset of a window, the log-likelihood of the rest of it and all below being outside."""
        above = self.above[start:stop, start:stop]
        within = np.array([log_total(self.slots[p, : stop - p]) for p in range(start, stop)])
        drop = log_row_sums(self.slots[start:stop]) - within  # positions below the window, in addition to those in it
        alone = self.above[start:stop, stop:].sum(axis=1) + drop
        return (~members(stop - start)) @ alone + log_orders(above)[::-1] + self.lower[stop]


def log_prior(n: int) -> Floats:
    r"""Return the log-weight of one set of k agents, for k from 0 to n.

    A size has prior :math:`\propto 1 / k` (2 is impossible); all sets of a size and all orders outside are equally
    likely, :math:`k!\,(n - k)! / n! \cdot 1 / (n - k)!`, and so are all strong tournaments within, hence the division
    by their share.

    >>> bool(np.isneginf(log_prior(3)[2]))
    True
    """
    k = np.arange(1.0, n + 1)
    allowed = k != 2
    weight = np.full(n + 1, -np.inf)
    size = -np.log(k[allowed])
    share = strong_fractions(n)[1:][allowed]
    weight[1:][allowed] = size - log_total(size) + gammaln(k[allowed] + 1) - gammaln(n + 1) - np.log(share)
    return weight


def strong_fractions(n: int) -> Floats:
    r"""Return the share of tournaments on :math:`k` labeled agents that are strong, for k from 0 to n.

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
        if k > 200:  # to the last digit
            share[k:] = 1.0
            break
        j = np.arange(1, k)
        sets = np.exp(gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1) - j * (k - j) * np.log(2))
        share[k] = 0.0 if k == 2 else 1 - sets @ share[1:k]
    return share


def log_strong(better: Floats, sure: int) -> Floats:
    r"""Return the log-probability that agents form a strongly connected tournament, for many sets together.

    Edges are independent, *a* beating *b* with probability :math:`q_{ab}`. A tournament without an agent that beats
    all the rest and without one that loses to all the rest is strong when it has five agents or fewer; with more it
    could still split into two parts of three or more each, which is neglected. The probability of neither is

    .. math::  1 - \sum_a s_a - \sum_b t_b + \sum_{a \ne b} s_a t_b / q_{ab},

    with :math:`s_a = \prod_c q_{ac}` and :math:`t_b = \prod_c q_{cb}`.

    Parameters
    ----------
    better : (m, m) float
        q, nowhere zero; the diagonal is not read.
    sure : int
        This many first agents are in every set; all :math:`2^t` subsets of the other t are evaluated.

    Returns
    -------
    ndarray, shape (2 ** t,)
        In the order of `subset_sums`; at least log 1e-12, and meaningless for the empty set.

    Examples
    --------
    Three even agents form a cycle one time in four.

    >>> float(np.exp(log_strong(np.full((3, 3), 0.5), 0)[-1]))
    0.25
    """
    q = np.array(better)
    np.fill_diagonal(q, 1.0)
    inside = members(len(q) - sure)
    present = np.concatenate([np.ones((len(inside), sure), dtype=bool), inside], axis=1)
    above, below = (
        np.exp(subset_sums(table[:, sure:]) + table[:, :sure].sum(axis=1)) * present
        for table in (np.log(q), np.log(q.T))
    )
    inverse = 1 / q
    np.fill_diagonal(inverse, 0.0)
    neither = 1 - row_products(present, above + below) + row_products(above @ inverse, below)
    return np.where(sure + inside.sum(axis=1) == 1, 0.0, np.log(np.maximum(neither, FLOOR)))
