r"""When two agents tie: one rule for every method, every core and every search.

What methods compare are totals: the wins of a pair and its losses, the points of two agents, two margins. Whole numbers,
and the halves into which ties are split, add up exactly to :math:`2^{53}`, and are compared exactly. Sums of real weights
are not exact: *n* terms with total *t* may come out wrong by :math:`n \epsilon t`, :math:`\epsilon = 2^{-52}` [1]_. So two
totals *x*, *y* of real weights are equal when

.. math::  |x - y| \le 2^{-34} t,

with *t* what was added up (:math:`x + y` for wins and losses, else the largest total compared): more than rounding leaves of a
quarter of a million terms at worst, and of many millions as rounding usually goes. Nothing here is absolute: weights that are all
multiplied by one number give the same answer.

References
----------
.. [1] N. J. Higham, "The accuracy of floating point summation", *SIAM Journal on Scientific Computing* 14 (1993), 783-799.
"""

import numpy as np

from beatpath._arrays import Bools, Floats, Ints

ROUNDING = 2.0**-34
EXACT_TO = 2.0**53


def are_whole(values: Floats) -> Bools:
    """Return which numbers are whole or half, and small enough that sums of such numbers are exact.

    >>> are_whole(np.array([3.0, 2.5, 0.1, 1e17]))
    array([ True,  True, False, False])
    """
    twice = 2 * values
    whole: Bools = (twice == np.rint(twice)) & (np.abs(values) <= EXACT_TO)
    return whole


def _all_whole(values: Floats) -> bool:
    """Whether all are; see `are_whole`."""
    twice = 2 * values
    return bool((twice == np.rint(twice)).all()) and float(np.abs(values).max(initial=0.0)) <= EXACT_TO


def slack(totals: Floats, added: float | None = None) -> float:
    """Return by how much totals may differ and still be equal, 0 for whole ones.

    Parameters
    ----------
    totals : float
        All that are compared.
    added : float, optional
        What was added up; by default the largest of them.

    Examples
    --------
    >>> slack(np.array([3.0, 2.5])), slack(np.array([0.3, 0.1])) == 0.3 * ROUNDING
    (0.0, True)
    """
    if _all_whole(totals):
        return 0.0
    return ROUNDING * (float(np.abs(totals).max(initial=0.0)) if added is None else added)


def pair_slack(won: Floats, lost: Floats) -> Floats:
    """Return by how much the wins and the losses of each pair may differ and still be equal, 0 where both are whole.

    >>> (pair_slack(np.array([3.0, 0.3]), np.array([1.0, 0.2])) / ROUNDING).round(9)
    array([0. , 0.5])
    """
    allowed: Floats = np.where(are_whole(won) & are_whole(lost), 0.0, ROUNDING * (won + lost))
    return allowed


def net(won: Floats, lost: Floats) -> Floats:
    """Return wins minus losses of each pair, exactly zero where the two are equal.

    >>> net(np.array([0.1 + 0.2, 10**15 + 1, 0.5]), np.array([0.3, 10**15, 0.25]))
    array([0.  , 1.  , 0.25])
    """
    margin = won - lost
    if not (_all_whole(won) and _all_whole(lost)):
        margin[np.abs(margin) <= pair_slack(won, lost)] = 0.0
    return margin


def net_table(wins: Floats) -> tuple[Floats, float]:
    """Return wins minus losses of every pair of a square table, zero where equal, and by how much any may be wrong.

    >>> net_table(np.array([[0.0, 2.5], [1, 0]]))
    (array([[ 0. ,  1.5],
           [-1.5,  0. ]]), 0.0)
    """
    if _all_whole(wins):
        return wins - wins.T, 0.0
    return net(wins, wins.T), float(pair_slack(wins, wins.T).max(initial=0.0))


def snapped(matrix: Floats, allowed: float | None = None) -> Floats:
    """Make sizes equal that differ by rounding alone, so that exact comparison is safe; what is not zero stays so.

    Sizes are grouped from the smallest up; one within `allowed` of the first of its group becomes that one.

    Parameters
    ----------
    matrix : float
        Totals, or margins with ties at zero.
    allowed : float, optional
        By default the `slack` of the totals.

    Examples
    --------
    >>> snapped(np.array([0.1 + 0.2, -0.3, 0.0]))
    array([ 0.3, -0.3,  0. ])
    """
    allowed = slack(matrix) if allowed is None else allowed
    if not allowed:
        return matrix
    values, place = np.unique(np.append(0.0, np.abs(matrix)), return_inverse=True)
    sizes = values[1:]  # zero is a group of its own
    if (np.diff(sizes) > allowed).all():
        return matrix
    group = anchored_levels(-sizes, allowed)
    anchors = np.append(0.0, sizes[np.flatnonzero(np.diff(group, prepend=-1))][group])
    return np.copysign(anchors[place[1:]].reshape(matrix.shape), matrix) + 0.0


def anchored_levels(falling: Floats, allowed: float) -> Ints:
    """Return the level of each of some falling totals: one that is more than `allowed` below the first of a level opens another.

    >>> anchored_levels(np.array([3.0, 2.9, 2.8, 1.0]), 0.15)
    array([0, 0, 1, 2])
    """
    if (falling[1:] < falling[:-1] - allowed).all():
        return np.arange(len(falling))
    level = np.zeros(len(falling), dtype=np.int64)
    anchor, current = np.inf, -1
    for i, value in enumerate(falling.tolist()):
        if current < 0 or value < anchor - allowed:
            anchor, current = value, current + 1
        level[i] = current
    return level


def levels_of(score: Floats, allowed: float | None = None) -> Ints:
    """Return the level of every agent by falling total, 0 the best; agents that tie with the best of a level share it.

    >>> levels_of(np.array([1.0, 0.1 + 0.2, 0.3, 0.0]))
    array([0, 1, 1, 2])
    """
    order = np.argsort(-score, kind="stable")
    level = np.empty(len(score), dtype=np.int64)
    level[order] = anchored_levels(score[order], slack(score) if allowed is None else allowed)
    return level
