"""Rules that lock wins from the largest down: ranked pairs and river.

Ranked pairs (Tideman): the largest wins are locked first, and none that would close a circle.

River: wins are locked from the largest down, each loser once, and none that would close a circle.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence.ties import snapped
from beatpath.methods.graph.relation import agreed_levels, chains, dominance_blocks, strong_parts
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, outcome
from beatpath.methods.voting.pairwise import elected_in_turn

Pair = tuple[int, int]
BUDGET = 100_000  # wins looked at and sets copied in following the orders of equal wins
BROKEN = "equal wins form cycles, and the outcome depends on which of them is locked first"
TOO_MANY = "equal wins form cycles, in too many orders to try all; agents share a level unless every order agrees"


def ranked_pairs(profile: Profile) -> Outcome:
    r"""Rank agents by locking in majority wins from the largest down, skipping those that would close a circle.

    Where wins of equal margin contradict each other, every order of locking them is followed. If the answers differ,
    the status says so, an agent is above another only if it is in all of them (see `agreed_levels`), scores that differ
    are NaN, and details give the "possible winners". If there are too many orders, what all of them must agree on is
    found by bounds, and the details give "possible winners, at most".

    Returns
    -------
    Outcome
        Scores of VasE's appendix, "Ranked pairs" [1]_: the total margin of all locked wins that can be reached from an agent,
        each counted once. With :math:`D(a)` the agents below *a* in the locked order,

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
    Agents fall into blocks of which each beats all later ones (`dominance_blocks`): no win between blocks is ever refused, so
    each is settled by itself, and the ways of all multiply.

    VasE locks one direction of a pair with :math:`\delta = 0` as well, and takes sources out one by one in any order;
    here such a pair decides nothing, and all current sources are one level.

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
    """What the orders of equal wins lead to among agents that beat all of later blocks, whatever happens there.

    `level` has the levels of each way, `certain` the wins that all ways lock; `score` what every agent reaches in its block, and `total` what all of the block win, NaN where ways differ.
    """

    members: Ints
    exact: bool
    level: Ints
    certain: Bools
    score: Floats
    total: float


def _above(blocks: Sequence[Block], exact: bool) -> Bools:
    """Who is above whom for certain: all of a block above all of later ones, and within it what its ways agree on."""
    members = np.concatenate([block.members for block in blocks])
    number = np.empty(len(members), dtype=np.int64)
    number[members] = np.repeat(np.arange(len(blocks)), [len(block.members) for block in blocks])
    above: Bools = number[:, None] < number
    for block in blocks:
        if len(block.members) > 1:
            better = np.logical_and.reduce(block.level[:, :, None] < block.level[:, None, :], axis=0)  # on every way
            above[np.ix_(block.members, block.members)] = better if exact else block.certain
    return above


def _settled_block(members: Ints, margins: Floats, part: Ints, won: Floats) -> Block:
    """Follow the orders of equal wins within one block, whose agents win so much of all, each in its strong part."""
    if len(members) == 1:
        return Block(members, True, np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=bool), won, float(won[0]))
    orders, exact = locked_orders(margins, part)
    if not exact:
        return Block(members, False, np.zeros((1, len(members)), dtype=np.int64), orders[0], won * np.nan, np.nan)
    # A win is locked exactly if the locked order does not lead back from the loser to the winner.
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
    """Return who is above whom once all wins are locked or skipped, for every order of equal wins.

    Parameters
    ----------
    margins : (n, n) float
        Equal to minus its transpose; equal wins are exactly equal.
    part : (n,) int, optional
        The strongly connected part of every agent, where it is known.
    budget : int
        How many wins may be looked at, and sets copied, in following orders before bounds take over.

    Returns
    -------
    orders : (k, n, n) bool
        Transitive relations, one for each distinct outcome. If not `exact`, two: what holds in all outcomes for
        certain, and what may hold in some.
    exact : bool

    Examples
    --------
    Three equal wins in a circle: each of them may be the one that is skipped.

    >>> orders, exact = locked_orders(np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]]))
    >>> len(orders), exact
    (3, True)

    Notes
    -----
    A win can close a circle only with wins between agents that reach each other, so each strongly connected part of the
    majority relation is settled by itself. The outcomes of the orders of equal wins are the largest sets of them that close no circle with what is locked
    before; they are found by deciding one win of a circle after another. Tideman [1]_. Deciding whether an agent wins in
    some order is NP-hard [2]_, hence the budget.

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
    """Who is above whom, on each way, by wins between rings, which nothing refuses, and by the orders within them."""
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
    """The same for agents that all reach each other by wins: only such wins can be refused."""
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
    """Who reaches whom by locked wins; each agent's set is an integer, one bit an agent."""

    below: list[int]
    above: list[int]

    @classmethod
    def empty(cls, n: int) -> "Reach":
        """Nothing locked yet."""
        return cls([0] * n, [0] * n)

    def copy(self) -> "Reach":
        """Return a copy to go on from."""
        return Reach(self.below.copy(), self.above.copy())

    def lock(self, a: int, b: int) -> None:
        """Add a win of a over b and all that follows.

        Only agents above a that did not reach b, and agents below b that a did not reach, learn anything; each visit adds
        a pair to the relation, so all wins together cost at most :math:`O(n^2)` unions of sets.
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
        """Return the relation as a table."""
        n = len(self.below)
        width = -(-n // 8)
        packed = np.frombuffer(b"".join(row.to_bytes(width, "little") for row in self.below), dtype=np.uint8)
        return np.unpackbits(packed.reshape(n, width), axis=1, count=n, bitorder="little").astype(bool)


def _equal_wins(margins: Floats) -> Iterator[list[Pair]]:
    """Majority wins of equal margin, the largest first."""
    a, b = np.nonzero(margins > 0)
    size = margins[a, b]
    order = np.argsort(-size, kind="stable")
    pairs = list(zip(a[order].tolist(), b[order].tolist(), strict=True))
    ends = [*(np.flatnonzero(np.diff(size[order])) + 1).tolist(), len(pairs)]
    low = 0
    for high in ends:
        if high > low:
            yield pairs[low:high]
        low = high


def _locked_outcomes(state: Reach, group: list[Pair]) -> Iterator[tuple[Reach | None, int]]:
    """What the orders of a group of equal wins lead to; beside each step, the number of wins it looked at."""
    branch = state.copy()
    below, lock = branch.below, branch.lock
    for a, b in group:
        if below[a] >> b & 1:
            continue
        if not below[b] >> a & 1:
            lock(a, b)
        elif not state.below[b] >> a & 1:
            break  # refused for the sake of an equal win
    else:
        yield branch, len(group) + len(below)
        return
    stack: list[tuple[Reach, list[Pair], list[Pair]]] = [(state, group, [])]
    while stack:
        state, pairs, refused = stack.pop()
        yield None, len(pairs) + len(refused) + 3 * len(below)
        state, pairs, hopeful = _circles(state, pairs, refused)
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


def _circles(state: Reach, pairs: list[Pair], refused: list[Pair]) -> tuple[Reach, list[Pair], bool]:
    """Lock what no order refuses; keep the wins on circles; say whether all `refused` can still be refused."""
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
    """What holds whatever the order, and what may hold in some, when the remaining wins are locked."""
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


RIVER_BUDGET = 5_000  # states looked at in following the orders of equal wins, in one election

Roots = tuple[int, ...]


def river(profile: Profile) -> Outcome:
    r"""Rank agents by electing those from whom, as from a spring, all locked wins flow.

    Majority wins are gone through from the largest down. A win of *a* over *b* is locked unless *b* has lost a locked win already
    or the locked wins lead from *b* to *a*. What is locked is a tree, and its root is elected: Heitzig [1]_. Equal wins are locked in
    every order, and whoever is elected in some order is elected. The rule elects and does not rank: below, those elected come out and
    the others elect again, which is ours.

    Parameters
    ----------
    profile : Profile
        With margins.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN. Where equal wins have too many orders, those left are ranked as `split_cycle` does,
        whose first level holds all that River may elect [2]_, and the status says so.

    Examples
    --------
    A circle: A beats B by 5, B beats C by 3; C's win over A by 1 would close it.

    >>> from beatpath import Margins, rank
    >>> rank(Margins([[0, 5, -1], [-5, 0, 3], [1, -3, 0]], ("A", "B", "C")), "river")
    river: A > B > C

    Notes
    -----
    :math:`O(n^2 \log n)` an election without equal wins, counted within the Smith set, which wins from outside do not enter.
    Condorcet consistent, independent of clones; where ranked pairs keeps every win that closes no circle, River keeps one a loser.

    References
    ----------
    .. [1] J. Heitzig, "River method: a new tournament-like Condorcet method", Election-Methods mailing list (2004).
    .. [2] M. Döring, M. Brill and J. Heitzig, "The River method", AAMAS 2025, 634-642.
    """
    margins = snapped(profile.margins.matrix, profile.margins.allowed)
    return elected_in_turn(margins, profile.agents, river_winners)


def river_winners(margins: Floats, budget: int = RIVER_BUDGET) -> Bools | None:
    """Return who is elected in some order of equal wins; None where there are too many orders.

    >>> river_winners(np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]]))
    array([ True,  True,  True])
    """
    smith = dominance_blocks(margins)[0]
    states = {tuple(range(len(smith)))}  # to whom each agent's locked losses lead
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
    """What the orders of a group of equal wins lead to, and how many states branching was followed into; over budget it stops."""
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
    """Those wins, of roots over roots, that are locked in every order: the only one over a loser, and on no circle."""
    if len(wins) == 1:
        return list(wins)
    a, b = np.array(sorted(wins)).T
    _, part = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(n, n)), connection="strong")
    alone = (np.bincount(b, minlength=n)[b] == 1) & (part[a] != part[b])
    return list(zip(a[alone].tolist(), b[alone].tolist(), strict=True))


def _flows(roots: Roots, a: int, b: int) -> Roots:
    """Lock a win of a over b: what flowed from b flows from where a's losses lead."""
    return tuple(roots[a] if root == b else root for root in roots)
