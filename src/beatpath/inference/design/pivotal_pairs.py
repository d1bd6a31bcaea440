r"""The pairs on which the core hangs: how many agents would enter or leave the top cycle if a pair went the other way.

Every pair is decided at random, by the probability that its first agent is the better. In a tournament with scores
(numbers of wins) :math:`s_1 \ge s_2 \ge \dots`, the top cycle is the first *k* agents for the smallest *k* whose deficit

.. math::  D_k = \tbinom k2 + k (n - k) - \sum_{i \le k} s_i

is zero [1]_: these *k* beat everyone else. When the winner of a pair becomes its loser, its place being the last of those with
its score and the loser's the first, deficits rise by one from the winner's place on and fall by one from the loser's: all pairs
of a tournament can be turned at once without finding any top cycle anew.

References
----------
.. [1] H. G. Landau, "On dominance relations and the structure of animal societies: III. The condition for a score
       structure", *Bulletin of Mathematical Biophysics* 15 (1953), 143-148.
"""

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.win_rates.estimate import Array

Codes = NDArray[np.int64]

DRAWS = 1000
CELLS = 2_000_000


def pivotal_pairs(better: Array, rng: np.random.Generator, *, draws: int = DRAWS) -> Array:
    """Return, for every pair ``a < b`` in sorted order, how many agents its turning moves into or out of the top cycle.

    Parameters
    ----------
    better : (n, n) float
        Probability that the row is better than the column; only the part above the diagonal is read.
    rng : Generator
    draws : int
        Tournaments drawn; the mean over them is returned.

    Examples
    --------
    Ada beats both others for sure; who of these is better moves nobody. Were Bob to beat Ada, he would be first or, half
    the time, in a cycle of three.

    >>> pivotal_pairs(np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]), np.random.default_rng(0)).round(1)
    array([2., 2., 0.])
    """
    n = len(better)
    a, b = np.triu_indices(n, 1)
    total = np.zeros(len(a))
    size = max(1, CELLS // max(len(a), 1))
    for start in range(0, draws, size):
        won = rng.random((min(size, draws - start), len(a))) < better[a, b]
        total += moved_by_turning(won, n).sum(axis=0)
    return total / draws


def moved_by_turning(won: NDArray[np.bool_], n: int) -> Codes:
    """Return how many agents each pair moves into or out of the top cycle when it alone is turned.

    Parameters
    ----------
    won : (m, n (n - 1) / 2) bool
        Tournaments: whether the first agent of each pair ``a < b``, in sorted order, won.

    Examples
    --------
    A cycle of three: whichever pair is turned, one agent beats both others and two leave.

    >>> moved_by_turning(np.array([[True, False, True]]), 3)
    array([[2, 2, 2]])
    """
    a, b = np.triu_indices(n, 1)
    score = _tournament_scores(won, n, a, b)
    k = np.arange(1, n + 1)
    deficit = k * (k - 1) // 2 + k * (n - k) - np.cumsum(-np.sort(-score, axis=1), axis=1)
    next_zero, next_one = _next(deficit == 0, k), _next(deficit == 1, k)
    size = next_zero[:, :1]
    at_least = np.stack(
        [(score >= x).sum(axis=1) for x in range(n + 1)], axis=1
    )  # of those with a score, the last place
    winner, loser = np.where(won, score[:, a], score[:, b]), np.where(won, score[:, b], score[:, a])
    last = np.take_along_axis(at_least, winner, axis=1)
    first = np.take_along_axis(at_least, loser + 1, axis=1) + 1
    grown = np.where((last <= size) & (size < first), np.take_along_axis(next_zero, first - 1, axis=1), size)
    one = np.take_along_axis(next_one, first - 1, axis=1)
    shrunk = np.where(one < last, np.minimum(size, one), size)
    moved = np.abs(np.where(winner > loser, grown, shrunk) - size)
    replaced = np.where((size == 1) & (winner == n - 1), 2, 0)  # the next best takes the place of the best
    return np.asarray(np.where(winner == loser + 1, replaced, moved))


def _tournament_scores(won: NDArray[np.bool_], n: int, a: Codes, b: Codes) -> Codes:
    """How many each agent beats."""
    beats = np.zeros((len(won), n, n), dtype=bool)
    beats[:, a, b], beats[:, b, a] = won, ~won
    return beats.sum(axis=2)


def _next(true: NDArray[np.bool_], k: Codes) -> Codes:
    """For every place the first one from there on that is true; one beyond the last where none is."""
    place = np.where(true, k, len(k) + 1)
    return np.asarray(np.minimum.accumulate(place[:, ::-1], axis=1)[:, ::-1])
