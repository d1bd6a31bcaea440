"""Rules that lock majority wins from the largest down: ranked pairs and River.

Ranked pairs (Tideman) locks every win that does not close a cycle. River (Heitzig) also locks at most one win over
each loser.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import prod
from operator import itemgetter

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence.ties import snapped
from beatpath.methods.graph.relation import agreed_levels, chains, dominance_blocks, strong_parts
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, outcome
from beatpath.methods.voting.pairwise import elected_in_turn

Pair = tuple[int, int]  # winner and loser of a majority win
BUDGET = 100_000  # limit on wins visited and sets copied while all orders of equal wins are followed
# Statuses: the outcome depends on the order of equal wins; there are too many orders to follow.
BROKEN = "equal wins form cycles, and the outcome depends on which of them is locked first"
TOO_MANY = "equal wins form cycles, in too many orders to try all; agents share a level unless every order agrees"


def ranked_pairs(profile: Profile) -> Outcome:
    r"""Rank agents by locking majority wins from the largest down, skipping those that would close a cycle.

    If wins of equal margin conflict, every order of locking them is followed. If the results differ, the status says
    so: an agent is above another only if it is in all of them (see `agreed_levels`), scores that differ are NaN, and
    the details list the "possible winners". If there are too many orders, bounds give what all of them agree on, and
    the details list "possible winners, at most".

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        Scores of VasE's appendix, "Ranked pairs" [1]_: the total margin of all locked wins that can be reached from
        an agent, each counted once. With :math:`D(a)` the agents below *a* in the locked order, the score is

        .. math::  \sum_{c \in \{a\} \cup D(a)} \ \sum_{d : c \to d \text{ locked}} \delta(c, d).

    Examples
    --------
    VasE's pentathlon: A beats B by 3, C beats both by 1.

    >>> from beatpath import Margins
    >>> from beatpath.methods.profile import profile_of
    >>> ranked_pairs(profile_of(Margins([[0.0, 3, -1], [-3, 0, -1], [1, 1, 0]], ("A", "B", "C")))).score
    array([3., 0., 5.])

    Notes
    -----
    Agents fall into blocks such that each beats all later ones (`dominance_blocks`). No win between blocks is ever
    skipped, so each block is settled independently, and the numbers of orders multiply.

    VasE also locks one direction of a pair with :math:`\delta = 0`, and removes sources one by one in arbitrary
    order. Here such a pair has no effect, and all current sources form one level.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    margins = snapped(profile.margins.matrix, profile.margins.allowed)
    part, won = strong_parts(margins > 0), np.maximum(margins, 0.0).sum(axis=1)
    blocks = [
        _settled_block(block, margins[np.ix_(block, block)], part[block], won[block])
        for block in dominance_blocks(margins)
    ]
    exact, top = all(block.exact for block in blocks), blocks[0]
    level = agreed_levels(_above(blocks, exact))
    score, below = np.empty(len(margins)), 0.0
    for block in reversed(blocks):
        score[block.members] = block.score + below
        below += block.total
    may_win = (top.level == 0).any(axis=0) if exact else ~top.certain.any(axis=0)
    first = sorted(profile.agents[i] for i in top.members[may_win])
    if not exact:
        return outcome(level, np.full(len(margins), np.nan), TOO_MANY, {"possible winners, at most": first})
    n_ways = prod(len(block.level) for block in blocks)
    if n_ways == 1:
        return outcome(level, score)
    status = EXACT if all((block.level == block.level[0]).all() for block in blocks) else BROKEN
    return outcome(level, score, status, {"orders": n_ways, "possible winners": first})


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Results of all orders of equal wins within a block of agents that beats all later blocks.

    `level` has the levels of each order, `certain` the wins that all orders lock, `score` what every agent reaches
    within the block, and `total` the sum over the block; NaN where orders differ.
    """

    members: Ints
    exact: bool
    level: Ints
    certain: Bools
    score: Floats
    total: float


def _above(blocks: Sequence[Block], exact: bool) -> Bools:
    """Which agents are certainly above which: a block above all later ones, and within it what its orders agree on."""
    members = np.concatenate([block.members for block in blocks])
    number = np.empty(len(members), dtype=np.int64)
    number[members] = np.repeat(np.arange(len(blocks)), [len(block.members) for block in blocks])
    above: Bools = number[:, None] < number
    for block in blocks:
        if len(block.members) > 1:
            better = np.logical_and.reduce(block.level[:, :, None] < block.level[:, None, :], axis=0)  # in every order
            above[np.ix_(block.members, block.members)] = better if exact else block.certain
    return above


def _settled_block(members: Ints, margins: Floats, part: Ints, won: Floats) -> Block:
    """Follow all orders of equal wins within one block, given each agent's strong component and total of wins."""
    if len(members) == 1:
        return Block(members, True, np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=bool), won, float(won[0]))
    orders, exact = locked_orders(margins, part)
    if not exact:
        return Block(members, False, np.zeros((1, len(members)), dtype=np.int64), orders[0], won * np.nan, np.nan)
    # A win is locked if and only if the locked order has no path from the loser to the winner.
    won = won - (orders * np.maximum(margins, 0.0).T).sum(axis=-2)
    score, total = won + (orders.astype(np.float64) @ won[..., None])[..., 0], won.sum(axis=1)
    return Block(
        members,
        True,
        chains(orders),
        np.logical_and.reduce(orders),
        np.where((score == score[0]).all(axis=0), score[0], np.nan),
        float(total[0]) if (total == total[0]).all() else np.nan,
    )


def locked_orders(margins: Floats, part: Ints | None = None, budget: int = BUDGET) -> tuple[Bools, bool]:
    """Return the order that locking produces, for every order of equal wins.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins; equal wins must be exactly equal.
    part : (n,) int, optional
        The strongly connected component of every agent, if known.
    budget : int
        Limit on wins visited and sets copied before bounds take over.

    Returns
    -------
    orders : (k, n, n) bool
        Transitive relations, one for each distinct result. If not `exact`, two: what holds in all results, and what
        may hold in some.
    exact : bool
        Whether all orders were followed.

    Examples
    --------
    Three equal wins in a cycle: any of them may be the one that is skipped.

    >>> orders, exact = locked_orders(np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]]))
    >>> len(orders), exact
    (3, True)

    Notes
    -----
    A win can close a cycle only with wins between agents that reach each other, so each strongly connected component
    of the majority relation is settled independently. The results of the orders of equal wins are the maximal sets of
    them that close no cycle with the wins locked before [1]_; a search decides one win of a cycle after another.
    Deciding whether an agent wins in some order is NP-hard [2]_, hence the budget.

    References
    ----------
    .. [1] T. N. Tideman, "Independence of clones as a criterion for voting rules", *Social Choice and Welfare* 4
           (1987), 185-206.
    .. [2] M. Brill and F. Fischer, "The price of neutrality for the ranked pairs method", AAAI 2012, 1299-1305.
    """
    part = strong_parts(margins > 0) if part is None else part
    rings = [np.flatnonzero(part == p) for p in np.flatnonzero(np.bincount(part) > 1)]
    by_ring = [_ring_orders(margins[np.ix_(ring, ring)], budget) for ring in rings]
    between = (margins > 0) & (part[:, None] != part)
    n_ways = prod(len(orders) for orders, _ in by_ring)
    if all(exact for _, exact in by_ring) and n_ways * len(margins) <= budget:
        return _joined_orders(between, rings, list(product(*(orders for orders, _ in by_ring)))), True
    certain = [np.logical_and.reduce(orders) if exact else orders[0] for orders, exact in by_ring]
    possible = [np.logical_or.reduce(orders) if exact else orders[1] for orders, exact in by_ring]
    return _joined_orders(between, rings, [certain, possible]), False


def _joined_orders(between: Bools, rings: Sequence[Ints], ways: Sequence[Sequence[Bools]]) -> Bools:
    """Combine wins between components, which are never skipped, with the orders within them."""
    above = np.repeat(between[None], len(ways), axis=0)
    for i, ring in enumerate(rings):
        above[:, ring[:, None], ring] = [way[i] for way in ways]
    decided = above.any(axis=0)
    undecided = np.logical_not(decided | decided.T)
    np.fill_diagonal(undecided, False)
    rows, columns = np.flatnonzero(undecided.any(axis=1)), np.flatnonzero(undecided.any(axis=0))
    while rows.size:  # only these pairs can follow from others
        steps = above[:, rows].astype(np.float32) @ above[:, :, columns].astype(np.float32) > 0
        if not (steps & ~above[:, rows[:, None], columns]).any():
            break
        above[:, rows[:, None], columns] |= steps
    return above


def _ring_orders(margins: Floats, budget: int) -> tuple[list[Bools], bool]:
    """Like `locked_orders`, for agents that all reach each other by wins: only such wins can be skipped."""
    states = [Reach.empty(len(margins))]
    groups = list(_equal_wins(margins))
    for at, group in enumerate(groups):
        after: list[Reach] = []
        for state in states:
            below, budget = state.below, budget - (len(group) if len(states) > 1 else 0)
            undecided = [(a, b) for a, b in group if not (below[a] >> b & 1 or below[b] >> a & 1)]
            if len(undecided) < 2:
                for a, b in undecided:
                    state.lock(a, b)
                after.append(state)
            else:
                for branch, cost in _locked_outcomes(state, undecided):
                    budget -= cost if branch is None or len(states) > 1 else 0
                    if branch is not None:
                        after.append(branch)
                    if budget < 0:
                        break
            if budget < 0:
                return _bounds(states, groups[at:]), False
        states = after
    return [state.matrix() for state in states], True


@dataclass(slots=True)
class Reach:
    """Which agents reach which by locked wins; each agent's set is an integer with one bit per agent."""

    below: list[int]
    above: list[int]

    @classmethod
    def empty(cls, n: int) -> "Reach":
        """Return the relation with no wins locked."""
        return cls([0] * n, [0] * n)

    def copy(self) -> "Reach":
        """Return an independent copy."""
        return Reach(self.below.copy(), self.above.copy())

    def lock(self, a: int, b: int) -> None:
        """Lock a win of *a* over *b*, and all that follows by transitivity.

        Only agents above *a* that did not reach *b*, and agents below *b* that *a* did not reach, change. Each visit
        adds a pair to the relation, so all wins together cost at most :math:`O(n^2)` unions of sets.
        """
        below, above = self.below, self.above
        down, up = below[b] | 1 << b, above[a] | 1 << a
        upper, lower = up & ~above[b], down & ~below[a]
        while upper:
            bit = upper & -upper
            below[bit.bit_length() - 1] |= down
            upper ^= bit
        while lower:
            bit = lower & -lower
            above[bit.bit_length() - 1] |= up
            lower ^= bit

    def matrix(self) -> Bools:
        """Return the relation as a boolean matrix."""
        n = len(self.below)
        width = -(-n // 8)
        packed = np.frombuffer(b"".join(row.to_bytes(width, "little") for row in self.below), dtype=np.uint8)
        return np.unpackbits(packed.reshape(n, width), axis=1, count=n, bitorder="little").astype(bool)


def _equal_wins(margins: Floats) -> Iterator[list[Pair]]:
    """Yield groups of majority wins of equal margin, largest first."""
    a, b = np.nonzero(margins > 0)
    size = margins[a, b]
    order = np.argsort(-size, kind="stable")
    wins = zip(size[order].tolist(), a[order].tolist(), b[order].tolist(), strict=True)
    for _, equal in groupby(wins, key=itemgetter(0)):
        yield [(winner, loser) for _, winner, loser in equal]


def _locked_outcomes(state: Reach, group: list[Pair]) -> Iterator[tuple[Reach | None, int]]:
    """Yield the results of all orders of a group of equal wins; each step comes with the number of wins it visited."""
    branch = state.copy()
    below, lock = branch.below, branch.lock
    for a, b in group:
        if below[a] >> b & 1:
            continue
        if not below[b] >> a & 1:
            lock(a, b)
        elif not state.below[b] >> a & 1:
            break  # skipped because of an equal win
    else:
        yield branch, len(group) + len(below)
        return
    stack: list[tuple[Reach, list[Pair], list[Pair]]] = [(state, group, [])]
    while stack:
        state, pairs, refused = stack.pop()
        yield None, len(pairs) + len(refused) + 3 * len(below)
        state, pairs, hopeful = _on_cycles(state, pairs, refused)
        if not hopeful:
            continue
        if not pairs:
            yield state, 0
            continue
        first, rest = pairs[0], pairs[1:]
        stack.append((state, rest, [*refused, first]))
        taken = state.copy()
        taken.lock(*first)
        stack.append((taken, rest, refused))


def _on_cycles(state: Reach, pairs: list[Pair], refused: list[Pair]) -> tuple[Reach, list[Pair], bool]:
    """Lock the wins that no order skips, keep those on cycles, and say whether all `refused` can still be skipped."""
    most, state = state.copy(), state.copy()
    for a, b in pairs:
        if not (state.below[b] >> a & 1 or most.below[a] >> b & 1):
            most.lock(a, b)
    open_pairs = []
    for a, b in pairs:
        if most.below[a] >> b & 1 and not most.below[b] >> a & 1:
            if not state.below[a] >> b & 1:
                state.lock(a, b)
        elif not state.below[b] >> a & 1:
            open_pairs.append((a, b))
    open_pairs = [(a, b) for a, b in open_pairs if not (state.below[a] >> b & 1 or state.below[b] >> a & 1)]
    reach = most if open_pairs else state
    hopeful = all(reach.below[b] >> a & 1 and not state.below[a] >> b & 1 for a, b in refused)
    return state, open_pairs, hopeful


def _bounds(states: list[Reach], groups: list[list[Pair]]) -> list[Bools]:
    """Bounds on the result of locking the remaining wins: what holds in every order, and what may hold in some."""
    certain, possible = states[0].copy(), Reach.empty(len(states[0].below))
    for state in states[1:]:
        certain.below = [x & y for x, y in zip(certain.below, state.below, strict=True)]
        certain.above = [x & y for x, y in zip(certain.above, state.above, strict=True)]
    some = np.logical_or.reduce([state.matrix() for state in states])
    for a, b in np.argwhere(some).tolist():
        if not possible.below[a] >> b & 1:
            possible.lock(a, b)
    for group in groups:
        group = [(a, b) for a, b in group if not certain.below[b] >> a & 1]
        for a, b in group:
            if not possible.below[a] >> b & 1:
                possible.lock(a, b)
        for a, b in group:
            if not possible.below[b] >> a & 1 and not certain.below[a] >> b & 1:
                certain.lock(a, b)
    return [certain.matrix(), possible.matrix()]


RIVER_BUDGET = 5_000  # limit on states visited while the orders of equal wins are followed, per election

Roots = tuple[int, ...]  # for each agent, the root of its tree of locked wins


def river(profile: Profile) -> Outcome:
    r"""Rank agents by River: lock majority wins from the largest down, at most one over each loser, and elect the root.

    A win of *a* over *b* is locked unless *b* has already lost a locked win, or the locked wins lead from *b* to *a*.
    The locked wins form a tree, and its root is elected (Heitzig [1]_). Equal wins are locked in every order; an
    agent elected in some order is elected. River elects but does not rank: below the winners, the remaining agents
    elect again, which is our extension.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        River has no score: all are NaN. If equal wins have too many orders, the remaining agents are ranked by
        `split_cycle`, whose first level contains all agents that River may elect [2]_, and the status says so.

    Examples
    --------
    A cycle: A beats B by 5, B beats C by 3; C's win over A by 1 would close it.

    >>> from beatpath import Margins, rank
    >>> rank(Margins([[0, 5, -1], [-5, 0, 3], [1, -3, 0]], ("A", "B", "C")), "river")
    river: A > B > C

    Notes
    -----
    Without equal wins an election costs :math:`O(n^2 \log n)` within the Smith set, which no win from outside enters.
    River satisfies the Condorcet criterion and independence of clones. Ranked pairs keeps every win that closes no
    cycle; River keeps at most one per loser.

    References
    ----------
    .. [1] J. Heitzig, "River method: a new tournament-like Condorcet method", Election-Methods mailing list (2004).
    .. [2] M. Döring, M. Brill and J. Heitzig, "The River method", AAMAS 2025, 634-642.
    """
    margins = snapped(profile.margins.matrix, profile.margins.allowed)
    return elected_in_turn(margins, profile.agents, river_winners)


def river_winners(margins: Floats, budget: int = RIVER_BUDGET) -> Bools | None:
    """Return the agents elected in some order of equal wins, or ``None`` if there are too many orders.

    >>> river_winners(np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]]))
    array([ True,  True,  True])
    """
    smith = dominance_blocks(margins)[0]
    states = {tuple(range(len(smith)))}  # the root of each agent's tree of locked losses
    for group in _equal_wins(margins[np.ix_(smith, smith)]):
        after: set[Roots] = set()
        for roots in states:
            ended, looked_at = _locked(roots, group, budget)
            budget -= looked_at
            if budget < 0:
                return None
            after |= ended
        if after != states and all(len(set(roots)) == 1 for roots in after):
            states = after
            break
        states = after
    chosen = np.zeros(len(margins), dtype=bool)
    chosen[smith[sorted(set().union(*states))]] = True
    return chosen


def _locked(roots: Roots, group: list[Pair], budget: int) -> tuple[set[Roots], int]:
    """Return the results of all orders of a group of equal wins, and the number of states visited.

    The search stops at the budget.
    """
    ended: set[Roots] = set()
    seen, waiting, looked_at = {roots}, [roots], 0
    while waiting and looked_at <= budget:
        here = waiting.pop()
        open_ = {(here[a], b) for a, b in group if here[b] == b != here[a]}
        if not open_:
            ended.add(here)
            continue
        safe = _safe(open_, len(here))
        for r, b in safe:
            here = _flows(here, r, b)
        after = {here} if safe else {_flows(here, r, b) for r, b in open_}
        looked_at += 0 if safe else len(after - seen)
        waiting += after - seen
        seen |= after
    return ended, looked_at


def _safe(wins: set[Pair], n: int) -> list[Pair]:
    """Wins of roots over roots that are locked in every order: the only one over its loser, and on no cycle."""
    if len(wins) == 1:
        return list(wins)
    a, b = np.array(sorted(wins)).T
    _, part = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)), connection="strong")
    alone = (np.bincount(b, minlength=n)[b] == 1) & (part[a] != part[b])
    return list(zip(a[alone].tolist(), b[alone].tolist(), strict=True))


def _flows(roots: Roots, a: int, b: int) -> Roots:
    """Lock a win of *a* over *b*: the tree of *b* joins the tree of *a*."""
    return tuple(roots[a] if root == b else root for root in roots)
