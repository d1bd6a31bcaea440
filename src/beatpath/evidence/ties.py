r"""When two totals tie: one rule for every method, every core and every search.

Methods compare totals: the wins and losses of a pair, the points of two agents, two margins. Integers and halves
(from split ties) add up exactly to :math:`2^{53}` and are compared exactly. Sums of real weights are not exact: *n*
terms with total *t* have a rounding error of up to :math:`n \epsilon t`, with :math:`\epsilon = 2^{-52}` [1]_. So two
totals *x*, *y* of real weights are equal if

.. math::  |x - y| \le 2^{-34} t,

with *t* the sum of the terms (:math:`x + y` for wins and losses, otherwise the largest total compared). The bound
covers the worst-case rounding of a quarter of a million terms, and the typical rounding of many millions. It is
relative: multiplying all weights by one number changes no answer.

References
----------
.. [1] N. J. Higham, "The accuracy of floating point summation", *SIAM Journal on Scientific Computing* 14 (1993), 783-799.
"""

import numpy as np

from beatpath._arrays import Bools, Floats, Ints

ROUNDING = 2.0**-34  # relative rounding allowance; see the module's docstring
EXACT_TO = 2.0**53  # floats represent every integer up to here


def are_whole(values: Floats) -> Bools:
    """Flag numbers that are integers or halves, and small enough that their sums are exact.

    >>> are_whole(np.array([3.0, 2.5, 0.1, 1e17]))
    array([ True,  True, False, False])
    """
    twice = 2 * values
    return (twice == np.rint(twice)) & (np.abs(values) <= EXACT_TO)


def _all_whole(values: Floats) -> bool:
    """Whether `are_whole` holds for all values."""
    twice = 2 * values
    return bool((twice == np.rint(twice)).all()) and float(np.abs(values).max(initial=0.0)) <= EXACT_TO


def slack(totals: Floats, added: float | None = None) -> float:
    """Return the largest difference between totals that still counts as equal; 0 for integers and halves.

    Parameters
    ----------
    totals : array of float
        All totals that are compared.
    added : float, optional
        Sum of the terms; by default the largest total.

    Examples
    --------
    >>> slack(np.array([3.0, 2.5])), slack(np.array([0.3, 0.1])) == 0.3 * ROUNDING
    (0.0, True)
    """
    if _all_whole(totals):
        return 0.0
    return ROUNDING * (float(np.abs(totals).max(initial=0.0)) if added is None else added)


def pair_slack(won: Floats, lost: Floats) -> Floats:
    """Return, per pair, the largest difference of wins and losses that still counts as equal; 0 if both are exact.

    >>> (pair_slack(np.array([3.0, 0.3]), np.array([1.0, 0.2])) / ROUNDING).round(9)
    array([0. , 0.5])
    """
    return np.where(are_whole(won) & are_whole(lost), 0.0, ROUNDING * (won + lost))


def net(won: Floats, lost: Floats) -> Floats:
    """Return wins minus losses of each pair, exactly zero if the two are equal.

    >>> net(np.array([0.1 + 0.2, 10**15 + 1, 0.5]), np.array([0.3, 10**15, 0.25]))
    array([0.  , 1.  , 0.25])
    """
    margin = won - lost
    if not (_all_whole(won) and _all_whole(lost)):
        margin[np.abs(margin) <= pair_slack(won, lost)] = 0.0
    return margin


def net_table(wins: Floats) -> tuple[Floats, float]:
    """Return wins minus losses of all pairs of a square table, zero if equal, and the largest rounding error.

    >>> net_table(np.array([[0.0, 2.5], [1, 0]]))
    (array([[ 0. ,  1.5],
           [-1.5,  0. ]]), 0.0)
    """
    if _all_whole(wins):
        return wins - wins.T, 0.0
    return net(wins, wins.T), float(pair_slack(wins, wins.T).max(initial=0.0))


def snapped(matrix: Floats, allowed: float | None = None) -> Floats:
    """Make values equal whose sizes differ only by rounding, so that exact comparison is safe; nonzero stays nonzero.

    Sizes are grouped from the smallest up. One within `allowed` of the first of its group becomes that one.

    Parameters
    ----------
    matrix : array of float
        Totals, or margins with ties at zero.
    allowed : float, optional
        Largest difference that counts as equal; by default the `slack` of the totals.

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
    """Return the level of each total, sorted descending.

    A total more than `allowed` below the first of a level opens the next.

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


def equal_means(mean: Floats, absolute: Floats, column: Ints) -> Floats:
    """Return means, of each column those equal that differ only by rounding.

    Parameters
    ----------
    mean, absolute : (m,) float
        The means, and those of the absolute values of their terms: 0 for the mean of one term, which is exact.
    column : (m,) int
        What each is a mean of, such as the task. Only means of one column are compared.

    Examples
    --------
    >>> equal_means(np.array([0.2, (0.1 + 0.2 + 0.3) / 3]), np.array([0.0, 0.2]), np.array([0, 0]))
    array([0.2, 0.2])
    """
    order = np.lexsort((mean, column))
    rising, allowed = mean[order], ROUNDING * absolute[order]
    new = np.diff(column[order], prepend=-1) != 0
    new[1:] |= np.diff(rising) > allowed[1:] + allowed[:-1]
    equal = np.empty_like(mean)
    equal[order] = rising[new][np.cumsum(new) - 1]
    return equal


def levels_of(score: Floats, allowed: float | None = None) -> Ints:
    """Return the level of every agent by descending total, 0 the best.

    Agents that tie with the best of a level share it.

    >>> levels_of(np.array([1.0, 0.1 + 0.2, 0.3, 0.0]))
    array([0, 1, 1, 2])
    """
    order = np.argsort(-score, kind="stable")
    level = np.empty(len(score), dtype=np.int64)
    level[order] = anchored_levels(score[order], slack(score) if allowed is None else allowed)
    return level
