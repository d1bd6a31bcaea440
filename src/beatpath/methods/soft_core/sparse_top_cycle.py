r"""The soft Top Cycle score on a sparse graph, exactly, without the matrix of strongest paths.

.. math::  t(a) = \operatorname{smin}_\gamma \{ R(a, b) : b \ne a \}
           = -\gamma \log \frac{1}{n-1} \sum_{b \ne a} e^{-R(a, b) / \gamma},

eq. (11) of Soft Tournament Equilibrium with max-min reachability R. The edges join in falling order of strength. When an edge
lets *a* reach *b* for the first time, its strength is :math:`R(a, b)`; so for every agent there need be kept who is reached,
a bit each, and the sum so far. Agents that reach one another stay together from there on and are kept as one.
"""

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath.methods.soft_core.soft_extremum import require_temperature
from beatpath.methods.soft_core.sparse_edges import SparseEdges

Words = NDArray[np.uint64]

TOGETHER = 4096  # edges that are looked up at a time, to pass over those that join nothing new
BITS = 64


def sparse_soft_top_cycle(edges: SparseEdges, gamma: float) -> Floats:
    r"""Return how surely each agent reaches every other: `soft_top_cycle` of max-min `reachability`, up to rounding.

    Parameters
    ----------
    edges : SparseEdges
    gamma : float
        Temperature, above zero.

    Returns
    -------
    (n,) float
        In [0, 1]. One agent alone is the core: 1.

    Examples
    --------
    The first reaches the third by the second; nobody is reached by the third.

    >>> some = SparseEdges(("ada", "bob", "cyd"), np.array([0, 1]), np.array([1, 2]), np.array([0.9, 0.8]))
    >>> sparse_soft_top_cycle(some, 0.001).round(3)
    array([0.801, 0.001, 0.   ])

    Notes
    -----
    :math:`n^2 / 8` bytes: 145 MB for 34,000 agents. A look at each edge, and work of at most :math:`n^2 / 64` words for each
    edge that lets someone reach someone new, of which there are a few for every agent.
    """
    require_temperature("gamma", gamma)
    n = len(edges.agents)
    if n == 1:
        return np.ones(1)
    order = np.lexsort((edges.end, edges.start, -edges.strength))
    reached = _Reached(n, gamma)
    for low in range(0, len(order), TOGETHER):
        some = order[low : low + TOGETHER]
        some = some[~reached.already(edges.start[some], edges.end[some])]
        for e in some.tolist():
            reached.join(int(edges.start[e]), int(edges.end[e]), float(edges.strength[e]))
    return np.clip(gamma * (np.log(n - 1) - reached.log_sums()), 0.0, 1.0)


class _Reached:
    """Who reaches whom by the edges so far, and the logarithm of each agent's sum over those it reaches.

    `words[i, a]` has a bit for each of 64 agents that *a* reaches, itself included. Agents that reach one another share the
    column of one of them, their `root`, and from then on what they gain: each group has a sum of its own, `log_sum[group]`,
    and an agent's is that of all the groups it has been in, one `within` the next.
    """

    def __init__(self, n: int, gamma: float) -> None:
        agent = np.arange(n)
        self.n, self.gamma = n, gamma
        self.bit = np.uint64(1) << (agent % BITS).astype(np.uint64)
        self.words: Words = np.zeros((-(-n // BITS), n), dtype=np.uint64)
        self.words[agent // BITS, agent] = self.bit
        self.root, self.group = agent.copy(), agent.copy()
        self.is_root = np.ones(n, dtype=bool)
        self.members: dict[int, list[int]] = {a: [a] for a in range(n)}
        self.log_sum = np.full(2 * n, -np.inf)
        self.within = np.full(2 * n, -1)
        self.n_groups = n

    def already(self, start: Ints, end: Ints) -> Bools:
        """Return whether each start reaches its end."""
        return (self.words[end // BITS, self.root[start]] & self.bit[end]) != 0

    def join(self, start: int, end: int, strength: float) -> None:
        """Add an edge: all that reach its start now reach what its end reaches."""
        up, down = int(self.root[start]), int(self.root[end])
        if self._reach(up, down):
            return
        above = np.flatnonzero(self.is_root & ((self.words[up // BITS] & self.bit[up]) != 0))
        gaining = above[(self.words[down // BITS, above] & self.bit[down]) == 0]
        new = self.words[:, down] & ~self.words[:, up]
        rows = np.flatnonzero(new)
        at = np.ix_(rows, gaining)
        before = self.words[at]
        after = before | new[rows, None]
        self.words[at] = after
        gained = ones(after ^ before).sum(axis=0, dtype=np.int64)
        group = self.group[gaining]
        self.log_sum[group] = np.logaddexp(self.log_sum[group], np.log(gained) - strength / self.gamma)
        if self._reach(down, up):
            circle = above[(self.words[above // BITS, down] & self.bit[above]) != 0]
            self._unite(circle.tolist())

    def log_sums(self) -> Floats:
        """Return the sums of all agents when no edge is left, everyone unreached counting as reached with strength 0."""
        roots = np.flatnonzero(self.is_root)
        unreached = self.n - ones(self.words).sum(axis=0, dtype=np.int64)[roots]
        roots, unreached = roots[unreached > 0], unreached[unreached > 0]
        total = self.log_sum[: self.n_groups].copy()
        total[self.group[roots]] = np.logaddexp(total[self.group[roots]], np.log(unreached))
        for group in range(self.n_groups - 1, -1, -1):  # wider groups are later
            if self.within[group] >= 0:
                total[group] = np.logaddexp(total[group], total[self.within[group]])
        return total[: self.n]

    def _reach(self, one: int, other: int) -> bool:
        """Whether one root reaches another."""
        return bool(self.words[other // BITS, one] & self.bit[other])

    def _unite(self, circle: list[int]) -> None:
        """Keep agents that reach one another as one."""
        kept = max(circle, key=lambda root: len(self.members[root]))
        for root in circle:
            self.within[self.group[root]] = self.n_groups
            if root != kept:
                gone = self.members.pop(root)
                self.root[gone] = kept
                self.members[kept] += gone
                self.is_root[root] = False
        self.group[kept] = self.n_groups
        self.n_groups += 1


def ones(words: Words) -> NDArray[np.uint8]:
    """Return how many bits of each word are set.

    >>> ones(np.array([[0, 7], [2**63, 2**64 - 1]], dtype=np.uint64))
    array([[ 0,  3],
           [ 1, 64]], dtype=uint8)
    """
    if hasattr(np, "bitwise_count"):  # numpy 2
        return np.bitwise_count(words)
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, 8), axis=-1)
    return bits.sum(axis=-1, dtype=np.uint8)
