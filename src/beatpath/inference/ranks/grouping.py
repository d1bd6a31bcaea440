"""Groups of a board: tiers from the top, cuts between certain groups, and a compact letter display.

*Cuts*: the board is cut between two places exactly where everyone above the cut is certainly above everyone below.
*Tiers*: see `tiers`. *Letters*: sets of agents without any certain order among them that cover each unresolved pair.

A compact letter display gives every agent some letters such that two agents share one exactly where their order is not
certain. A letter is thus a clique of the graph *G* whose edges are the unresolved pairs, and a display is a set of
cliques that covers all edges and all agents. Piepho [1]_ finds one by inserting and absorbing columns, which can take
exponentially many; Gramm et al. [2]_ show that finding the fewest letters is hard, and grow cliques instead.

This implementation also grows cliques: it visits agents in board order, and while one has an unresolved pair that no
letter covers, it starts a clique there and adds, from the top of the board, first the agents whose pairs with that
agent are uncovered, then all that fit. Each clique is maximal, and redundant ones are removed at the end. So no letter
can be dropped, and none can be given to one more agent. Where unresolved pairs are those of overlapping runs of the
board, as with equal standard errors of all differences, the letters are these runs and their number is minimal.

References
----------
.. [1] H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", *Journal of
       Computational and Graphical Statistics* 13 (2004), 456-466.
.. [2] J. Gramm, J. Guo, F. Hueffner, R. Niedermeier, H.-P. Piepho, R. Schmid, "Algorithms for compact letter displays:
       comparison and evaluation", *Computational Statistics & Data Analysis* 52 (2007), 725-736.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_letters

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.inference.ranks.differences import ROUNDING


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The groups of a board, by connected component.

    Attributes
    ----------
    tier, cut : (n,) int
        Tier from the top and group between cuts of every agent within its component; 1 is first, 0 without a score.
        Tiers never fall as scores fall.
    best_tier : (n,) int
        The first tier whose leaders are not certainly above the agent; before `tier` where its interval spans tiers.
    cliques : tuple of int arrays
        The agents of each letter, best first: maximal sets without a certain order that cover every unresolved pair.
    """

    tier: Ints
    cut: Ints
    cliques: tuple[Ints, ...]
    best_tier: Ints


def groups_of(above: Bools, rank: Ints, orders: Sequence[Ints]) -> Groups:
    """Return the groups of a board; `orders` are the scored agents of each component, best first."""
    tier, best_tier, cut = np.zeros_like(rank), np.zeros_like(rank), np.zeros_like(rank)
    cliques: list[Ints] = []
    for order in orders:
        first = from_the_top(above, rank, order)
        best_tier += first
        tier[order] = by_score(first[order], rank[order])
        cut += tie_groups(above, order)
        cliques += unresolved_cliques(above, order)
    return Groups(tier, cut, tuple(cliques), best_tier)


def point_ranks(score: Floats, part: Ints | None = None) -> Ints:
    """Return 1 plus the number of agents of the same component with a higher score; 0 without a score.

    Scores that differ by rounding only are equal.

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


def best_first(rank: Ints, best: Ints, worst: Ints, agents: Sequence[str], part: Ints) -> Ints:
    """Return the scored agents by component, best first: by rank, then by rank set, then by name."""
    scored = [i for i in range(len(agents)) if rank[i] > 0]
    return np.array(sorted(scored, key=lambda i: (part[i], rank[i], best[i], worst[i], agents[i])), dtype=np.int64)


def tie_groups(above: Bools, order: Ints) -> Ints:
    """Return the group of every agent, from 1; 0 for those not in the order.

    The board is cut between two places exactly where all agents above the cut are certainly above all below it. So the
    order of two groups is certain, and within a group it is not, or not entirely.

    Parameters
    ----------
    above : (n, n) bool
        Which agents are certainly above which.
    order : (k,) int
        Agents, best first.

    Examples
    --------
    The first two are above the last two. The order of the first two is not certain, so they form a group.

    >>> above = np.zeros((4, 4), dtype=bool)
    >>> above[:2, 2:] = above[2, 3] = True
    >>> tie_groups(above, np.arange(4))
    array([1, 1, 2, 3])
    """
    k = len(order)
    place = np.arange(k)
    unresolved = np.triu(~above[np.ix_(order, order)])  # including the diagonal
    reach = np.maximum.accumulate(np.where(unresolved, place, 0).max(axis=1, initial=0))
    starts = np.ones(k, dtype=np.int64)
    starts[1:] = reach[:-1] < place[1:]
    group = np.zeros(len(above), dtype=np.int64)
    group[order] = np.cumsum(starts)
    return group


def unresolved_runs(above: Bools, order: Ints) -> tuple[Ints, ...]:
    """Return the longest runs of the board within which no order is certain.

    Runs may overlap, as letters of a compact letter display do. Two agents of one run are never resolved; two agents
    without a common run may be unresolved too, where an agent between them has a smaller standard error.

    Parameters
    ----------
    above : (n, n) bool
        Which agents are certainly above which.
    order : (k,) int
        Agents, best first.

    Examples
    --------
    Neighbors are unresolved, agents two places apart are not.

    >>> unresolved_runs(np.triu(np.ones((4, 4), dtype=bool), 2), np.arange(4))
    (array([0, 1]), array([1, 2]), array([2, 3]))
    """
    k = len(order)
    resolved = above[np.ix_(order, order)]
    resolved = np.triu(resolved | resolved.T, 1)
    first = np.where(resolved, np.arange(k), k).min(axis=1, initial=k)
    end = np.minimum.accumulate(first[::-1])[::-1]
    return tuple(order[i : end[i]] for i in range(k) if i == 0 or end[i] > end[i - 1])


def from_the_top(above: Bools, rank: Ints, order: Ints) -> Ints:
    """Return the tier from the top of every agent, from 1; 0 for those not in the order.

    Parameters
    ----------
    above : (n, n) bool
        Which agents are certainly above which.
    rank : (n,) int
        Rank by score; equal scores have equal ranks.
    order : (k,) int
        Agents, best first.

    Examples
    --------
    Agents two places apart are resolved, neighbors are not.

    >>> from_the_top(np.triu(np.ones((4, 4), dtype=bool), 2), np.arange(1, 5), np.arange(4))
    array([1, 1, 2, 2])
    """
    tier = np.zeros(len(above), dtype=np.int64)
    left = order
    while len(left):
        leaders = left[rank[left] == rank[left[0]]]
        below, before = above[np.ix_(leaders, left)].any(axis=0), 0
        # also agents below one of these that are not compared with the leaders
        while before < (before := int(below.sum())):
            below |= above[np.ix_(left[below], left)].any(axis=0)
        tier[left[~below]] = tier.max() + 1
        left = left[below]
    return tier


def by_score(tier: Ints, rank: Ints) -> Ints:
    """Return the largest tier of the agents with a score at least as good, for agents sorted by score.

    The fourth agent is little known: it is not certainly below the leader of the first tier, and stands among the second.

    >>> by_score(np.array([1, 1, 2, 1, 2, 3]), np.arange(1, 7))
    array([1, 1, 2, 2, 2, 3])
    >>> by_score(np.array([1, 1, 2]), np.array([1, 2, 2]))  # equal scores, one tier
    array([1, 2, 2])
    """
    return np.asarray(np.maximum.accumulate(tier)[np.searchsorted(rank, rank, side="right") - 1])


def lettered(sets: Sequence[Ints], n: int) -> tuple[str, ...]:
    """Return the letters of every agent as one string; empty for one in no set.

    >>> lettered([np.array([0, 1]), np.array([1, 2])], 4)
    ('a', 'ab', 'b', '')
    """
    letters = [""] * n
    for k, some in enumerate(sets):
        one = letter(k)
        for i in some.tolist():
            letters[i] += one
    return tuple(letters)


def unresolved_cliques(above: Bools, order: Ints) -> tuple[Ints, ...]:
    """Return maximal sets of agents without a certain order that cover every unresolved pair and every agent.

    Parameters
    ----------
    above : (n, n) bool
        Which agents are certainly above which.
    order : (k,) int
        Agents, best first.

    Returns
    -------
    tuple of int arrays
        Each in board order, those that begin higher first.

    Examples
    --------
    Only the first is certainly above the last.

    >>> above = np.zeros((3, 3), dtype=bool)
    >>> above[0, 2] = True
    >>> unresolved_cliques(above, np.arange(3))
    (array([0, 1]), array([1, 2]))

    Notes
    -----
    There are at most as many cliques as unresolved pairs, or agents, and each takes :math:`O(k)` operations on words
    of *k* bits. Names matter only through the order of agents with equal scores.
    """
    certain = above[np.ix_(order, order)]
    free = ~(certain | certain.T)
    np.fill_diagonal(free, False)
    cliques = _without_redundant(_covering_cliques([_bits(row) for row in free]), len(order))
    return tuple(order[members] for members in sorted(cliques, key=lambda members: members.tolist()))


def _covering_cliques(near: Sequence[int]) -> list[int]:
    """Return cliques as bit sets that cover each edge and each vertex; `near` are the neighbors of every vertex."""
    uncovered, covered, cliques = list(near), 0, []
    for i in range(len(near)):
        while uncovered[i] or not covered >> i & 1:
            clique = _maximal_clique(i, near, uncovered[i])
            for member in _members(clique).tolist():
                uncovered[member] &= ~clique
            covered |= clique
            cliques.append(clique)
    return cliques


def _maximal_clique(i: int, near: Sequence[int], target: int) -> int:
    """Return a maximal clique around a vertex: from the top, first the targets, then all that fit."""
    clique, fits = 1 << i, near[i]
    while fits:
        first = fits & target or fits
        lowest = first & -first
        clique |= lowest
        fits &= near[lowest.bit_length() - 1]
    return clique


def _without_redundant(cliques: Sequence[int], k: int) -> list[Ints]:
    """Drop cliques whose edges others cover, trying the smallest first, then the lowest on the board."""
    members = [_members(clique) for clique in cliques]
    inside = np.zeros((len(cliques), k), dtype=np.float32)
    for row, some in zip(inside, members, strict=True):
        row[some] = 1
    times, needed = inside.T @ inside, []
    for some in sorted(members, key=lambda some: (len(some), *(-some).tolist())):
        if any((times[i, some] == 1).any() for i in some):
            needed.append(some)
        else:
            times[np.ix_(some, some)] -= 1
    return needed


def _bits(row: Bools) -> int:
    """Pack a boolean row into an integer."""
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _members(word: int) -> Ints:
    """Return the positions of the set bits.

    >>> _members(0b1101)
    array([0, 2, 3])
    """
    of_bytes = np.frombuffer(word.to_bytes(word.bit_length() // 8 + 1, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(of_bytes, bitorder="little"))


def letter(k: int) -> str:
    """Return letter number `k`, from 0: a to z, A to Z, then with a number, so that strings of letters can be split.

    >>> [letter(k) for k in (0, 25, 26, 51, 52, 104)]
    ['a', 'z', 'A', 'Z', 'a1', 'a2']
    """
    turn, place = divmod(k, len(ascii_letters))
    return f"{ascii_letters[place]}{turn or ''}"
