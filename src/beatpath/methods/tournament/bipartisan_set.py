"""The bipartisan set: the agents that an unbeatable lottery draws from when only the direction of wins counts."""

import numpy as np

from beatpath._arrays import Bools
from beatpath.evidence import Margins
from beatpath.methods.graph.relation import beats
from beatpath.methods.voting.maximal_lottery import maximal_lottery_probabilities


def bipartisan_set(margins: Margins) -> Bools:
    r"""Return the agents with a chance in some maximal lottery of the signs of the margins.

    Two players name an agent each, and the one whose agent beats the other's wins a point. Without ties this game has
    one equilibrium, and the agents it uses are the bipartisan set [1]_. With ties it can have many, and the set is what
    Dutta and Laslier [2]_ call the essential set: every agent that some equilibrium uses,

    .. math::  \bigcup \{\operatorname{supp} p : p \in \Delta,\ p^\top \operatorname{sign}(M) \ge 0\}.

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
    Three agents in a circle share the lottery; Dan, who beats only one of them, has no part in it.

    >>> wins = [[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]]
    >>> bipartisan_set(Margins.from_wins(wins, ["ada", "bob", "cyd", "dan"]))
    array([ True,  True,  True, False])

    Two that tie are both essential, though a lottery may do with either.

    >>> bipartisan_set(Margins([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], ("ada", "bob", "cyd")))
    array([ True,  True, False])

    Notes
    -----
    The equilibrium of maximum entropy has the largest support of all, so one game is solved; see
    `maximal_lottery_probabilities`. Within the minimal covering set, with ties too [2]_. Probabilities below 1e-9 count
    as zero.

    References
    ----------
    .. [1] G. Laffond, J.-F. Laslier, M. Le Breton, "The bipartisan set of a tournament game", *Games and Economic
           Behavior* 5 (1993), 182-201.
    .. [2] B. Dutta, J.-F. Laslier, "Comparison functions and choice correspondences", *Social Choice and Welfare* 16
           (1999), 513-532.
    """
    return essential(beats(margins))


def essential(W: Bools) -> Bools:
    """Return the essential set of a relation in which the row beats the column.

    >>> essential(np.array([[False, True], [False, False]]))
    array([ True, False])
    """
    return maximal_lottery_probabilities(W.astype(np.float64) - W.T) > 0
