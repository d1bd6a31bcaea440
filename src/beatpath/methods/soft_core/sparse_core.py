r"""Cores of tens of thousands of agents, from the pairs that met: section 4.6.2 of Soft Tournament Equilibrium.

The scores are those of the dense operators on the same edges, up to rounding. What differs from the dense core is only which edges
there are, and that is a convention that the result carries: none for pairs that never met, and none that were pruned.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath.evidence import Convention, Pairs
from beatpath.evidence.pairs import net_wins
from beatpath.methods.soft_core.edges import two_way
from beatpath.methods.soft_core.sparse_cover import sparse_soft_uncovered_set
from beatpath.methods.soft_core.sparse_edges import pruned, sparse_edges
from beatpath.methods.soft_core.sparse_sets import sparse_top_cycle, sparse_uncovered_set
from beatpath.methods.soft_core.sparse_top_cycle import sparse_soft_top_cycle

DENSE = 2_000  # agents up to which a table of all pairs is made
FILLED = 0.1  # share of pairs that met, above which such a table costs less


@dataclass(frozen=True, slots=True, eq=False)
class SparseCore:
    """The top cycle and the uncovered set from the pairs that met.

    Attributes
    ----------
    agents : tuple of str
    top_cycle, uncovered_set : (n,) bool
        Members by the majorities of all pairs that met, others counting as tied; pruning does not touch them.
    top_cycle_score, uncovered_set_score : (n,) float
        Soft scores, as strengths of membership.
    n_edges : int
        Edges behind the scores.
    conventions : tuple of Convention
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
    """Return both sets and both soft scores from the pairs that met, without a table of all pairs.

    Parameters
    ----------
    settled : Pairs
        With ties and both-bad settled, so that wins and losses say everything.
    edges : {"posterior", "empirical", "weighted"}
        As for `edges_from_pairs`. With posterior edges and no pruning the scores are those of `core`.
    tau, gamma : float
        Temperatures of edges and of soft minima and maxima, above zero. Reachability is max-min.
    least, strongest
        Which edges to prune; see `pruned`. By default none are.

    Returns
    -------
    SparseCore

    Examples
    --------
    Ada, Bob and Cyd beat one another in a circle, and Cyd beats Dan, whom nobody else met. The weakest step to everyone
    is that to Dan, 3 wins to 1, whose edge is 0.679.

    >>> counts = [[9, 0, 0, 0], [9, 0, 0, 0], [0, 9, 0, 0], [3, 1, 0, 0]]
    >>> pairs = Pairs(("ada", "bob", "cyd", "dan"), [0, 1, 0, 2], [1, 2, 2, 3], counts)
    >>> found = sparse_core(pairs, gamma=1e-4)
    >>> found.top_cycle_score.round(2), found.uncovered_set_score.round(2)
    (array([0.68, 0.68, 0.68, 0.  ]), array([1.  , 1.  , 1.  , 0.32]))
    >>> found.top_cycle, found.uncovered_set
    (array([ True,  True,  True,  True]), array([ True,  True,  True,  True]))

    Notes
    -----
    Dan is in the sets by majority, having met neither Ada nor Bob, with whom he counts as tied.

    See Also
    --------
    beatpath.methods.soft_core.sparse_top_cycle : what time and memory it takes
    """
    settled = two_way(settled)
    if not settled.agents:
        raise DataError("a core needs at least one agent; there are none. Give pairs with agents.")
    made = sparse_edges(settled, edges=edges, tau=tau)
    if least or strongest is not None:
        made = pruned(made, least=least, strongest=strongest)
    wins = majorities(settled)
    return SparseCore(
        settled.agents,
        sparse_top_cycle(wins),
        sparse_uncovered_set(wins),
        sparse_soft_top_cycle(made, gamma),
        sparse_soft_uncovered_set(made, gamma),
        len(made.strength),
        made.conventions,
    )


def majorities(settled: Pairs) -> csr_array:
    """Return who beats whom, whatever the kind of edge, as a sparse matrix.

    >>> majorities(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [2, 2, 0, 0]])).nonzero()
    (array([0], dtype=int32), array([1], dtype=int32))
    """
    a, b, lead = settled.a, settled.b, net_wins(settled)
    ahead, behind = lead > 0, lead < 0
    winner, loser = np.concatenate([a[ahead], b[behind]]), np.concatenate([b[ahead], a[behind]])
    return csr_array((np.ones(len(winner)), (winner, loser)), shape=(len(settled.agents),) * 2)


def is_sparse(settled: Pairs) -> bool:
    """Return whether there are more agents than a table of all pairs is made for, and few of the pairs met.

    >>> is_sparse(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))
    False
    """
    n = len(settled.agents)
    return n > DENSE and len(settled) <= FILLED * n * (n - 1) / 2
