r"""Cores of tens of thousands of agents, from the compared pairs only: section 4.6.2 of Soft Tournament Equilibrium.

A pair that was never compared directly has no edge in either direction. For posterior edges that is what eq. (20) of
Soft Tournament Equilibrium gives. For the soft majorities of eq. (4) it is not: an even pair has two edges of one
half there, and section 4.6.2 requires that leaving them out be stated. So every choice is a convention that the
result carries. The scores equal those of the dense operators on the same edges, up to rounding.

*Uncovered Set*. An agent without an edge to another cannot cover it, and an agent that is not beaten by it is no
witness against a coverer. So only triples count in which *c* has an edge to *a*, and *a* has one to *b*; all others
add a term of :math:`e^0 = 1` to their soft maximum.

*Sets by majority*. Pairs without a majority, tied or never compared, count as tied, as in `top_cycle` and
`uncovered_set`.

*Top Cycle*. The soft score is exact without the matrix of strongest paths:

.. math::  t(a) = \operatorname{smin}_\gamma \{ R(a, b) : b \ne a \}
           = -\gamma \log \frac{1}{n-1} \sum_{b \ne a} e^{-R(a, b) / \gamma},

eq. (11) of Soft Tournament Equilibrium with max-min reachability R. The edges join in descending order of strength.
If an edge lets *a* reach *b* for the first time, its strength is :math:`R(a, b)`. So for every agent it suffices to
store who is reached, one bit each, and the sum so far. Agents that reach each other stay together from then on and
are stored as one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath._validate import require_choice, require_whole
from beatpath.evidence import Convention, Pairs
from beatpath.evidence.pairs import net_wins
from beatpath.methods.soft_core.edges import EDGES, edge_conventions, pair_probability, pair_weights, two_way
from beatpath.methods.soft_core.operators import require_temperature

ROUNDING = 1e-12  # strength below which an edge is an even pair, up to rounding
# The meaning of the convention on missing pairs.
OBSERVED = "only compared pairs have edges; a pair that was not compared has none in either direction"


@dataclass(frozen=True, slots=True, eq=False)
class SparseEdges:
    """A list of edges, and how they were computed.

    Attributes
    ----------
    agents : tuple of str
        Agent names.
    start, end : (m,) int
        Source and target of each edge; no two edges share both.
    strength : (m,) float
        In (0, 1].
    conventions : tuple of Convention
        The kind of edge, which pairs have one, and what was pruned.
    """

    agents: tuple[str, ...]
    start: Ints
    end: Ints
    strength: Floats
    conventions: tuple[Convention, ...] = ()

    def table(self) -> csr_array:
        """Return the edges as a sparse matrix, row over column."""
        return csr_array((self.strength, (self.start, self.end)), shape=(len(self.agents),) * 2)


def pair_strengths(
    wins: Floats, losses: Floats, *, edges: str, tau: float, weight: Floats | float = 1.0
) -> tuple[Floats, Floats]:
    r"""Return the soft edge of each pair's first agent to its second, and the reverse one.

    Eq. (20) of Soft Tournament Equilibrium for posterior edges; eq. (4) for others, with temperature `tau` and the weights of
    its section F.3. The pairs must have battles.

    >>> pair_strengths(np.array([3.0]), np.array([1.0]), edges="posterior", tau=0.05)[0].round(3)
    array([0.679])
    >>> [edge.round(4) for edge in pair_strengths(np.array([3.0]), np.array([1.0]), edges="empirical", tau=0.1)]
    [array([0.9241]), array([0.0759])]
    """
    require_choice("edges", edges, EDGES)
    require_temperature("tau", tau)
    P = pair_probability(wins, losses, edges)
    if edges == "posterior":
        return np.maximum(0.0, 2.0 * P - 1.0), np.maximum(0.0, 2.0 * (1 - P) - 1.0)
    return expit((P - 0.5) * weight / tau), expit((1 - P - 0.5) * weight / tau)


def sparse_edges(settled: Pairs, *, edges: str = "posterior", tau: float = 0.05) -> SparseEdges:
    """Return the soft edges of the compared pairs.

    Parameters
    ----------
    settled : Pairs
        With ties and both-bad settled, so that only wins and losses remain.
    edges : {"posterior", "empirical", "weighted"}
        As for `edges_from_pairs`.
    tau : float
        Temperature of edges other than posterior ones, positive.

    Returns
    -------
    SparseEdges

    Examples
    --------
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [1, 3, 0, 0]])
    >>> result = sparse_edges(pairs)
    >>> result.start, result.end, result.strength.round(3)
    (array([0, 2]), array([1, 1]), array([0.679, 0.679]))
    >>> print(result.conventions[1])
    missing_pairs=absent: only compared pairs have edges; a pair that was not compared has none in either direction (1 affected)
    """
    settled = two_way(settled)
    a, b, (wins, losses) = settled.a.astype(np.int64), settled.b.astype(np.int64), settled.counts[:, :2].T
    weight = pair_weights(wins + losses, edges)
    forward, backward = pair_strengths(wins, losses, edges=edges, tau=tau, weight=weight)
    conventions = edge_conventions(settled, edges, "absent", OBSERVED)
    start, end = np.concatenate([a, b]), np.concatenate([b, a])
    strength = np.concatenate([forward, backward])
    there = strength > ROUNDING
    return SparseEdges(settled.agents, start[there], end[there], strength[there], conventions)


def pruned(edges: SparseEdges, *, least: float = 0.0, strongest: int | None = None) -> SparseEdges:
    r"""Return the edges without weak ones, with a convention that counts the pruned edges.

    Pruning removes paths, so no Top Cycle score rises. Uncovered Set scores may move either way: an edge to a rival
    can be what covers it, or what keeps another from covering.

    Parameters
    ----------
    edges : SparseEdges
        The edges.
    least : float
        Edges weaker than this are pruned, from 0 (none) to 1.
    strongest : int, optional
        An edge is kept if it is among so many strongest that leave its agent, or among as many that enter; edges as
        strong as the last of these are kept too.

    Examples
    --------
    >>> some = SparseEdges(("ada", "bob", "cyd"), np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0.9, 0.3, 0.6]))
    >>> pruned(some, least=0.5).strength
    array([0.9, 0.6])
    >>> result = pruned(some, strongest=1)  # ada's best, and the best against cyd, which is bob's only one
    >>> result.strength, result.conventions[0].affected
    (array([0.9, 0.6]), 1.0)
    """
    if isinstance(least, bool) or not isinstance(least, int | float | np.floating) or not 0 <= least <= 1:
        raise UsageError(f"`least` must be the strength of an edge, from 0 to 1; got {quoted(least)}.")
    if strongest is not None:
        require_whole("strongest", strongest)
    strong = edges.strength >= least
    if strongest is not None:
        strong &= _among_strongest(edges.start, edges, strongest) | _among_strongest(edges.end, edges, strongest)
    rules = {f"least {least:g}": f"edges weaker than {least:g} are left out"} if least else {}
    if strongest is not None:
        among = f"an edge is stored if it is among the {strongest} strongest that leave or enter an agent"
        rules[f"strongest {strongest}"] = among
    value, meaning = ", ".join(rules) or "none", "; ".join(rules.values()) or "every edge is stored"
    convention = Convention("pruning", value, meaning, float((~strong).sum()))
    return replace(
        edges,
        start=edges.start[strong],
        end=edges.end[strong],
        strength=edges.strength[strong],
        conventions=(*edges.conventions, convention),
    )


def _among_strongest(agent: Ints, edges: SparseEdges, most: int) -> Bools:
    """Whether an edge is at least as strong as the last of the `most` strongest of its agent."""
    order = np.lexsort((-edges.strength, agent))
    first = np.searchsorted(agent[order], np.arange(len(edges.agents)))
    number = np.bincount(agent, minlength=len(edges.agents))
    bar = np.zeros(len(edges.agents))
    full = number >= most
    bar[full] = edges.strength[order[first[full] + most - 1]]
    return edges.strength >= bar[agent]


def sparse_soft_uncovered_set(edges: SparseEdges, gamma: float) -> Floats:
    r"""Return the soft Uncovered Set scores: as `soft_uncovered_set`, up to rounding.

    .. math::  u(a) = 1 - \operatorname{smax}_\gamma \{ D(c, a) (1 - v(c, a)) : c \ne a \}, \qquad
               v(c, a) = \operatorname{smax}_\gamma \{ D(a, b) (1 - D(c, b)) : b \ne a, c \},

    eqs. (12) to (15) of Soft Tournament Equilibrium.

    Parameters
    ----------
    edges : SparseEdges
        The edges.
    gamma : float
        Temperature of both soft maxima, positive.

    Returns
    -------
    (n,) float
        In [0, 1]. A single agent has score 1.

    Examples
    --------
    Ada and Bob both beat Cyd, and Ada beats Bob, who is covered.

    >>> some = SparseEdges(("ada", "bob", "cyd"), np.array([0, 0, 1]), np.array([1, 2, 2]), np.ones(3))
    >>> sparse_soft_uncovered_set(some, 0.001).round(2)
    array([1., 0., 0.])

    Notes
    -----
    One exponential for each two consecutive edges: the sum over agents of incoming times outgoing edges.
    """
    require_temperature("gamma", gamma)
    n = len(edges.agents)
    if n == 1:
        return np.ones(1)
    D = edges.table()
    D.sort_indices()
    cover = D.data * (1 - _violations(D, gamma)) if n > 2 else D.data
    covered, number = D.indices.astype(np.int64), np.bincount(D.indices, minlength=n)
    top = np.zeros(n)
    np.maximum.at(top, covered, cover)
    total = (n - 1 - number) * np.exp(-top / gamma)
    total += np.bincount(covered, np.exp((cover - top[covered]) / gamma), n)
    return 1 - (top + gamma * np.log(total / (n - 1)))


def two_steps(D: csr_array) -> Iterator[tuple[int, slice, Ints, Ints]]:
    """Yield, for every agent with edges, their slice, and for each target where its edges begin and their indices.

    >>> D = csr_array(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    >>> list(two_steps(D))[0]  # the first leads to the second, which has the third edge of all, and to the third, with none
    (0, slice(0, 2, None), array([0, 1]), array([2]))
    """
    first, length = D.indptr[:-1].astype(np.int64), np.diff(D.indptr).astype(np.int64)
    for c in np.flatnonzero(length).tolist():
        own = slice(int(D.indptr[c]), int(D.indptr[c + 1]))
        a = D.indices[own]
        ends = np.cumsum(length[a])
        begin = ends - length[a]
        yield c, own, begin, np.repeat(first[a] - begin, length[a]) + np.arange(ends[-1])


def summed(values: Floats, begin: Ints, how: np.ufunc = np.add) -> Floats:
    """Return the sum, or another reduction, of each run of values from one beginning to the next; 0 for an empty one.

    >>> summed(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4., 0.])
    """
    out = np.zeros(len(begin))
    there = np.append(begin[1:], len(values)) > begin
    if there.any():
        out[there] = how.reduceat(values, begin[there])
    return out


def _violations(D: csr_array, gamma: float) -> Floats:
    """Eq. (12) for the two ends of every edge."""
    n = D.shape[0]
    out, row = np.zeros(len(D.data)), np.zeros(n)
    for c, own, begin, at in two_steps(D):
        row[D.indices[own]] = D.data[own]
        b, length = D.indices[at], np.diff(np.append(begin, len(at)))
        z = np.where(b == c, 0.0, D.data[at] * (1 - row[b]))
        top = summed(z, begin, np.maximum)
        spoken = np.where(b == c, 0.0, np.exp((z - np.repeat(top, length)) / gamma))
        silent = n - 2 - length + summed((b == c).astype(np.float64), begin)
        total = summed(spoken, begin) + silent * np.exp(-top / gamma)
        out[own] = top + gamma * np.log(total / (n - 2))
        row[D.indices[own]] = 0.0
    return out


def sparse_top_cycle(wins: csr_array) -> Bools:
    """Return the top cycle: the smallest nonempty set whose members all beat everyone outside it.

    Parameters
    ----------
    wins : (n, n) sparse
        Nonzero where the row beats the column.

    Returns
    -------
    (n,) bool

    Examples
    --------
    Rock, paper and scissors form a cycle above a stone that loses to all.

    >>> sparse_top_cycle(csr_array(np.array([[0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]])))
    array([ True,  True,  True, False])

    Notes
    -----
    A member of such a set has more wins minus losses than any outsider, so the set is the first *k* agents by that
    difference, for the smallest *k* such that they have :math:`k (n - k)` wins over the rest.
    """
    n = wins.shape[0]
    winner, loser = wins.nonzero()
    place = np.empty(n, dtype=np.int64)
    net = np.bincount(winner, minlength=n) - np.bincount(loser, minlength=n)
    place[np.argsort(-net, kind="stable")] = np.arange(n)
    down = place[winner] < place[loser]
    opened = np.bincount(place[winner[down]] + 1, minlength=n + 1)
    closed = np.bincount(place[loser[down]] + 1, minlength=n + 1)
    across, k = np.cumsum(opened - closed), np.arange(n + 1)
    return place < np.flatnonzero(across[1:] == (k * (n - k))[1:])[0] + 1


def sparse_uncovered_set(wins: csr_array) -> Bools:
    """Return the uncovered set in McKelvey's sense.

    These are the agents that no other beats while doing at least as well against everyone.

    Parameters
    ----------
    wins : (n, n) sparse
        Nonzero where the row beats the column.

    Returns
    -------
    (n,) bool

    Examples
    --------
    Ada, Bob and Cyd form a cycle; Dan beats only Cyd, and Bob beats both Cyd and Dan.

    >>> sparse_uncovered_set(csr_array(np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]])))
    array([ True,  True,  True, False])
    """
    beats_them_too = _beats_all_of(wins)
    loses_to_them_too = _beats_all_of(csr_array(wins.T)).T
    uncovered = np.ones(wins.shape[0], dtype=bool)
    uncovered[beats_them_too.multiply(loses_to_them_too).nonzero()[1]] = False
    return uncovered


def _beats_all_of(wins: csr_array) -> csr_array:
    """The wins of a row over a column all of whose wins are also wins of the row."""
    lacking, inside = np.zeros(wins.nnz), np.zeros(wins.shape[0], dtype=bool)
    for _, own, begin, at in two_steps(wins):
        inside[wins.indices[own]] = True
        lacking[own] = summed((~inside[wins.indices[at]]).astype(np.float64), begin)
        inside[wins.indices[own]] = False
    row = np.repeat(np.arange(wins.shape[0]), np.diff(wins.indptr))[lacking == 0]
    return csr_array((np.ones(len(row)), (row, wins.indices[lacking == 0])), shape=wins.shape)


# Bits of reached agents, 64 per word.
Words = NDArray[np.uint64]

TOGETHER = 4096  # edges looked up at a time, to skip those that join nothing new
BITS = 64  # bits per word


def sparse_soft_top_cycle(edges: SparseEdges, gamma: float) -> Floats:
    r"""Return the soft Top Cycle scores: as `soft_top_cycle` of max-min `reachability`, up to rounding.

    Parameters
    ----------
    edges : SparseEdges
        The edges.
    gamma : float
        Temperature, positive.

    Returns
    -------
    (n,) float
        In [0, 1]. A single agent has score 1.

    Examples
    --------
    The first reaches the third through the second; the third reaches nobody.

    >>> some = SparseEdges(("ada", "bob", "cyd"), np.array([0, 1]), np.array([1, 2]), np.array([0.9, 0.8]))
    >>> sparse_soft_top_cycle(some, 0.001).round(3)
    array([0.801, 0.001, 0.   ])

    Notes
    -----
    :math:`n^2 / 8` bytes: 145 MB for 34,000 agents. One lookup per edge, and work of at most :math:`n^2 / 64` words
    for each edge that lets someone reach someone new, of which there are a few per agent.
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
    """Which agents reach which by the edges so far, and the logarithm of each agent's sum over those it reaches.

    `words[i, a]` has a bit for each of 64 agents that *a* reaches, itself included. Agents that reach each other
    share the column of one of them, their `root`, and from then on what they gain: each group has a sum of its own,
    `log_sum[group]`, and an agent's sum is that of all groups it has been in, one `within` the next.
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
        """Return the sums of all agents after the last edge; unreached agents count as reached with strength 0."""
        roots = np.flatnonzero(self.is_root)
        unreached = self.n - ones(self.words).sum(axis=0, dtype=np.int64)[roots]
        roots, unreached = roots[unreached > 0], unreached[unreached > 0]
        total = self.log_sum[: self.n_groups].copy()
        total[self.group[roots]] = np.logaddexp(total[self.group[roots]], np.log(unreached))
        for group in range(self.n_groups - 1, -1, -1):  # later groups contain earlier ones
            if self.within[group] >= 0:
                total[group] = np.logaddexp(total[group], total[self.within[group]])
        return total[: self.n]

    def _reach(self, one: int, other: int) -> bool:
        """Whether one root reaches another."""
        return bool(self.words[other // BITS, one] & self.bit[other])

    def _unite(self, circle: list[int]) -> None:
        """Merge agents that reach each other."""
        root_of_largest = max(circle, key=lambda root: len(self.members[root]))
        for root in circle:
            self.within[self.group[root]] = self.n_groups
            if root != root_of_largest:
                gone = self.members.pop(root)
                self.root[gone] = root_of_largest
                self.members[root_of_largest] += gone
                self.is_root[root] = False
        self.group[root_of_largest] = self.n_groups
        self.n_groups += 1


def ones(words: Words) -> NDArray[np.uint8]:
    """Return the number of set bits of each word.

    >>> ones(np.array([[0, 7], [2**63, 2**64 - 1]], dtype=np.uint64))
    array([[ 0,  3],
           [ 1, 64]], dtype=uint8)
    """
    if hasattr(np, "bitwise_count"):  # numpy 2
        return np.bitwise_count(words)
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, 8), axis=-1)
    return bits.sum(axis=-1, dtype=np.uint8)


DENSE = 2_000  # most agents for which a dense table is built
FILLED = 0.1  # share of compared pairs above which a dense table costs less


@dataclass(frozen=True, slots=True, eq=False)
class SparseCore:
    """The top cycle and the uncovered set from the compared pairs.

    Attributes
    ----------
    agents : tuple of str
        Agent names.
    top_cycle, uncovered_set : (n,) bool
        Members by the majorities of all compared pairs, others counting as tied; pruning does not affect them.
    top_cycle_score, uncovered_set_score : (n,) float
        Soft scores: strengths of membership.
    n_edges : int
        Number of edges behind the scores.
    conventions : tuple of Convention
        How the edges were computed.
    """

    agents: tuple[str, ...]
    top_cycle: Bools
    uncovered_set: Bools
    top_cycle_score: Floats
    uncovered_set_score: Floats
    n_edges: int
    conventions: tuple[Convention, ...]


def sparse_core(
    settled: Pairs,
    *,
    edges: str = "posterior",
    tau: float = 0.05,
    gamma: float = 0.05,
    least: float = 0.0,
    strongest: int | None = None,
) -> SparseCore:
    """Return both sets and both soft scores from the compared pairs, without a dense table.

    Parameters
    ----------
    settled : Pairs
        With ties and both-bad settled, so that only wins and losses remain.
    edges : {"posterior", "empirical", "weighted"}
        As for `edges_from_pairs`. With posterior edges and no pruning the scores are those of `core`.
    tau, gamma : float
        Temperatures of edges and of soft minima and maxima, positive. Reachability is max-min.
    least, strongest
        Which edges to prune; see `pruned`. By default none.

    Returns
    -------
    SparseCore

    Examples
    --------
    Ada, Bob and Cyd form a cycle, and Cyd beats Dan, who has no other opponents. The weakest step to everyone is that
    to Dan, 3 wins to 1, whose edge is 0.679.

    >>> counts = [[9, 0, 0, 0], [9, 0, 0, 0], [0, 9, 0, 0], [3, 1, 0, 0]]
    >>> pairs = Pairs(("ada", "bob", "cyd", "dan"), [0, 1, 0, 2], [1, 2, 2, 3], counts)
    >>> result = sparse_core(pairs, gamma=1e-4)
    >>> result.top_cycle_score.round(2), result.uncovered_set_score.round(2)
    (array([0.68, 0.68, 0.68, 0.  ]), array([1.  , 1.  , 1.  , 0.32]))
    >>> result.top_cycle, result.uncovered_set
    (array([ True,  True,  True,  True]), array([ True,  True,  True,  True]))

    Notes
    -----
    Dan is in the sets by majority, since he counts as tied with Ada and Bob.

    See Also
    --------
    beatpath.methods.soft_core.sparse : Time and memory that it takes.
    """
    settled = two_way(settled)
    if not settled.agents:
        raise DataError("a core needs at least one agent; there are none. Give pairs with agents.")
    sparse = sparse_edges(settled, edges=edges, tau=tau)
    if least or strongest is not None:
        sparse = pruned(sparse, least=least, strongest=strongest)
    wins = majorities(settled)
    return SparseCore(
        settled.agents,
        sparse_top_cycle(wins),
        sparse_uncovered_set(wins),
        sparse_soft_top_cycle(sparse, gamma),
        sparse_soft_uncovered_set(sparse, gamma),
        len(sparse.strength),
        sparse.conventions,
    )


def majorities(settled: Pairs) -> csr_array:
    """Return who beats whom as a sparse matrix, independent of the kind of edge.

    >>> majorities(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [2, 2, 0, 0]])).nonzero()
    (array([0], dtype=int32), array([1], dtype=int32))
    """
    a, b, lead = settled.a, settled.b, net_wins(settled)
    ahead, behind = lead > 0, lead < 0
    winner, loser = np.concatenate([a[ahead], b[behind]]), np.concatenate([b[ahead], a[behind]])
    return csr_array((np.ones(len(winner)), (winner, loser)), shape=(len(settled.agents),) * 2)


def is_sparse(settled: Pairs) -> bool:
    """Return whether there are too many agents for a dense table, and few compared pairs.

    >>> is_sparse(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))
    False
    """
    n = len(settled.agents)
    return n > DENSE and len(settled) <= FILLED * n * (n - 1) / 2
