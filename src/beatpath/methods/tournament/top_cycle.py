"""The top cycle, and its two readings when there are ties: the sets of Smith and of Schwartz."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools
from beatpath.evidence import Margins
from beatpath.methods.graph.relation import beats, dominance_blocks


def top_cycle(margins: Margins) -> Bools:
    r"""Return the smallest non-empty set whose members all beat everyone outside it.

    With ties this is the Smith set [1]_, also called GETCHA [2]_. With :math:`a \succeq b` for :math:`M_{ab} \ge 0`, it
    equals

    .. math::  \{\, a : a \succeq^* b \ \text{for every } b \,\},

    the agents from which chains of wins or ties lead to all others: Definition 3.4 of STE [3]_, which has no ties.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair that never met counts as tied.

    Returns
    -------
    (n,) bool
        True for members.

    Examples
    --------
    Rock, paper and scissors form a cycle above a stone that loses to all.

    >>> wins = [[0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]]
    >>> top_cycle(Margins.from_wins(wins, ["rock", "paper", "scissors", "stone"]))
    array([ True,  True,  True, False])

    Notes
    -----
    :math:`O(n^2)`; see `dominance_blocks`.

    References
    ----------
    .. [1] J. H. Smith, "Aggregation of preferences with variable electorate", *Econometrica* 41 (1973), 1027-1041.
    .. [2] T. Schwartz, *The Logic of Collective Choice*, Columbia University Press, 1986.
    .. [3] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328.
    """
    W = beats(margins)
    inside = np.zeros(len(W), dtype=bool)
    inside[dominance_blocks(W.astype(np.float64) - W.T)[0]] = True
    return inside


def schwartz_set(margins: Margins) -> Bools:
    r"""Return the union of the smallest sets that nobody outside beats a member of.

    Called GOCHA by Schwartz [1]_: the agents that reach, by a chain of wins, everyone who reaches them,

    .. math::  \{\, a : b \succ^* a \Rightarrow a \succ^* b \ \text{for every } b \,\}.

    It lies within the Smith set, and equals it when there are no ties: both are then the top cycle.

    Parameters
    ----------
    margins : Margins
        Margins between ``n`` agents. A pair that never met counts as tied.

    Returns
    -------
    (n,) bool
        True for members.

    Examples
    --------
    Ada beats Bob and ties with Cyd, who ties with Bob: the Smith set has all three, the Schwartz set not Bob.

    >>> m = Margins([[0, 1, 0], [-1, 0, 0], [0, 0, 0]], ("ada", "bob", "cyd"))
    >>> top_cycle(m), schwartz_set(m)
    (array([ True,  True,  True]), array([ True, False,  True]))

    Notes
    -----
    The strongly connected components of the wins that no win enters, :math:`O(n^2)`.

    References
    ----------
    .. [1] T. Schwartz, *The Logic of Collective Choice*, Columbia University Press, 1986.
    """
    W = beats(margins)
    n_parts, part = connected_components(csr_array(W), connection="strong")
    _, loser = np.nonzero(W & (part[:, None] != part))
    entered = np.zeros(n_parts, dtype=bool)
    entered[part[loser]] = True
    return ~entered[part]
