r"""The top cycle and the uncovered set of a sparse majority relation, by majorities alone.

Pairs without a majority, tied or never met, count as tied, as in `top_cycle` and `uncovered_set`.
"""

import numpy as np
from scipy.sparse import csr_array

from beatpath._arrays import Bools, Ints
from beatpath.methods.soft_core.sparse_cover import summed, two_steps


def sparse_top_cycle(wins: csr_array) -> Bools:
    """Return the smallest non-empty set whose members all beat everyone outside it.

    Parameters
    ----------
    wins : (n, n) sparse
        An entry where the row beats the column.

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
    A member of such a set wins more pairs, less those it loses, than any outsider, so the set is the first *k* agents by that
    difference, for the smallest *k* whose first *k* have :math:`k (n - k)` wins over the rest.
    """
    n = wins.shape[0]
    winner, loser = wins.nonzero()
    place = np.empty(n, dtype=np.int64)
    place[_by_net_wins(winner, loser, n)] = np.arange(n)
    down = place[winner] < place[loser]
    opened = np.bincount(place[winner[down]] + 1, minlength=n + 1)
    closed = np.bincount(place[loser[down]] + 1, minlength=n + 1)
    across, k = np.cumsum(opened - closed), np.arange(n + 1)
    inside: Bools = place < np.flatnonzero(across[1:] == (k * (n - k))[1:])[0] + 1
    return inside


def sparse_uncovered_set(wins: csr_array) -> Bools:
    """Return the agents that no other covers in McKelvey's sense: beats, and does at least as well against everyone.

    Parameters
    ----------
    wins : (n, n) sparse
        An entry where the row beats the column.

    Returns
    -------
    (n,) bool

    Examples
    --------
    Ada, Bob and Cyd run in a circle; Dan beats Cyd alone, and Bob beats both Cyd and Dan.

    >>> sparse_uncovered_set(csr_array(np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0]])))
    array([ True,  True,  True, False])
    """
    beats_them_too = _beats_all_of(wins)
    loses_to_them_too = _beats_all_of(csr_array(wins.T)).T
    uncovered = np.ones(wins.shape[0], dtype=bool)
    uncovered[beats_them_too.multiply(loses_to_them_too).nonzero()[1]] = False
    return uncovered


def _by_net_wins(winner: Ints, loser: Ints, n: int) -> Ints:
    net = np.bincount(winner, minlength=n) - np.bincount(loser, minlength=n)
    return np.argsort(-net, kind="stable")


def _beats_all_of(wins: csr_array) -> csr_array:
    """The wins of a row over a column all of whose wins are also wins of the row."""
    lacking, inside = np.zeros(wins.nnz), np.zeros(wins.shape[0], dtype=bool)
    for _, own, begin, at in two_steps(wins):
        inside[wins.indices[own]] = True
        lacking[own] = summed((~inside[wins.indices[at]]).astype(np.float64), begin)
        inside[wins.indices[own]] = False
    row = np.repeat(np.arange(wins.shape[0]), np.diff(wins.indptr))[lacking == 0]
    return csr_array((np.ones(len(row)), (row, wins.indices[lacking == 0])), shape=wins.shape)
