r"""Letters: the sets of agents within which nobody is certainly above anybody, so few that each unresolved pair is in one.

A compact letter display gives every agent some letters such that two agents share one exactly where their order is not
certain. A letter is thus a clique of the graph *G* whose edges are the unresolved pairs, and a display is a set of
cliques that covers all edges and all agents. Piepho [1]_ finds one by inserting and absorbing columns, which can pass
through exponentially many; Gramm et al. [2]_ show that the fewest letters are hard to find and grow cliques instead.
Here, too, cliques grow: agents are taken as on the board, and while one has an unresolved pair that no letter covers, a
clique starts from it and takes in, from the top of the board on, first those whose pairs with that agent are uncovered,
then all that fit. Each clique is then as large as can be, and in the end those go without which every pair is covered
still. So no letter may be left out of a display, and none may be given to one more agent. Where the unresolved pairs are
those of overlapping stretches of the board, as they are where all differences have one standard error, the letters are
these stretches and there are no fewer.

References
----------
.. [1] H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", *Journal of
       Computational and Graphical Statistics* 13 (2004), 456-466.
.. [2] J. Gramm, J. Guo, F. Hueffner, R. Niedermeier, H.-P. Piepho, R. Schmid, "Algorithms for compact letter displays:
       comparison and evaluation", *Computational Statistics & Data Analysis* 52 (2007), 725-736.
"""

from collections.abc import Sequence
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.ranks.differences import Mask

Int = NDArray[np.int64]


def unresolved_cliques(above: Mask, order: Int) -> tuple[Int, ...]:
    r"""Return largest sets of agents without a certain order among them that cover every unresolved pair and every agent.

    Parameters
    ----------
    above : (n, n) bool
        Which agents are certainly above which.
    order : (k,) int
        Agents, best first.

    Returns
    -------
    tuple of int arrays
        Each in the order of the board, those that begin higher first.

    Examples
    --------
    Only the first is certainly above the last.

    >>> above = np.zeros((3, 3), dtype=bool)
    >>> above[0, 2] = True
    >>> unresolved_cliques(above, np.arange(3))
    (array([0, 1]), array([1, 2]))

    Notes
    -----
    There are at most as many cliques as unresolved pairs, or agents, and each takes :math:`O(k)` operations on words of
    *k* bits. The names of agents play no part but through the order of those with equal scores.
    """
    certain = above[np.ix_(order, order)]
    free = ~(certain | certain.T)
    np.fill_diagonal(free, False)
    found = _without_needless(_grown([_bits(row) for row in free]), len(order))
    return tuple(order[members] for members in sorted(found, key=lambda members: members.tolist()))


def _grown(near: Sequence[int]) -> list[int]:
    """Cliques as words of bits, until each edge and each vertex is in one; `near` are the neighbours of every vertex."""
    uncovered, seen, found = list(near), 0, []
    for i in range(len(near)):
        while uncovered[i] or not seen >> i & 1:
            clique = _grown_from(i, near, uncovered[i])
            for member in _members(clique):
                uncovered[member] &= ~clique
            seen |= clique
            found.append(clique)
    return found


def _grown_from(i: int, near: Sequence[int], wanted: int) -> int:
    """A largest clique around a vertex: from the top on, first those that are wanted, then all that fit."""
    clique, fits = 1 << i, near[i]
    while fits:
        first = fits & wanted or fits
        lowest = first & -first
        clique |= lowest
        fits &= near[lowest.bit_length() - 1]
    return clique


def _without_needless(cliques: Sequence[int], k: int) -> list[Int]:
    """The cliques less those whose edges others cover, the smallest tried first, then the lowest on the board."""
    members = [np.array(_members(clique), dtype=np.int64) for clique in cliques]
    times = np.zeros((k, k), dtype=np.int64)
    for some in members:
        times[np.ix_(some, some)] += 1
    kept = []
    for some in sorted(members, key=lambda some: (len(some), *(-some).tolist())):
        block = np.ix_(some, some)
        if (times[block] > 1).all():
            times[block] -= 1
        else:
            kept.append(some)
    return kept


def _bits(row: Mask) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _members(word: int) -> list[int]:
    """The places of the bits that are set.

    >>> _members(0b1101)
    [0, 2, 3]
    """
    found = []
    while word:
        lowest = word & -word
        found.append(lowest.bit_length() - 1)
        word ^= lowest
    return found


def letter(k: int) -> str:
    """Return the letter number `k`, from 0: a to z, A to Z, then with a number behind, so that letters can run together.

    >>> [letter(k) for k in (0, 25, 26, 51, 52, 104)]
    ['a', 'z', 'A', 'Z', 'a1', 'a2']
    """
    turn, place = divmod(k, len(ascii_letters))
    return f"{ascii_letters[place]}{turn or ''}"
