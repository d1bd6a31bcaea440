"""Sums over all subsets of a few agents, each subset a number whose bits say who is in it, and over all their orders."""

from functools import lru_cache

import numpy as np

from beatpath._arrays import Bools, Floats, Ints

Layer = tuple[Ints, Ints, Ints]


def subset_sums(table: Floats) -> Floats:
    """Return, for every subset of the columns, the sum of those columns.

    Parameters
    ----------
    table : (m, t) float

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
    """Return who is in each of the :math:`2^t` subsets.

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
    found = []
    for k in range(1, t + 1):
        subset = np.flatnonzero(size == k)
        inside = np.nonzero(bits[subset])[1].reshape(-1, k)
        found.append((subset, inside, subset[:, None] ^ (1 << inside)))
    return tuple(found)


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

    Agents are put in one by one. Each particle is an order; a new agent takes a slot in proportion to the likelihood, and
    the sum over slots multiplies the particle's weight (sequential Monte Carlo; resampled when weights become uneven).

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
            kept = np.searchsorted(np.cumsum(even) / even.sum(), (np.arange(particles) + rng.random()) / particles)
            order, weight = order[np.minimum(kept, particles - 1)], np.zeros(particles)
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
