r"""Differences of scores: which have a usable variance, and their statistics on the Gaussian scale.

The difference of agents *a* and *c* has the statistic :math:`t_{ac} = (S_a - S_c) / s_{ac}` with :math:`s_{ac}^2 =
V_{aa} + V_{cc} - 2 V_{ac}` and its own degrees of freedom :math:`\nu_{ac}`. To compare all of them with one critical
value, they are mapped to the Gaussian statistic with the same tail probability,

.. math::  z_{ac} = \Phi^{-1}(T_{\nu_{ac}}(t_{ac})), \qquad
           z_{ac} > c \iff t_{ac} > T_{\nu_{ac}}^{-1}(\Phi(c)),

so a difference with few degrees of freedom needs a larger :math:`t`. With infinitely many nothing changes.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from beatpath.inference.leaderboard import Leaderboard, variances_of_differences

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

ROUNDING = 1e-12  # relative variance below which a difference is rounding error: a few thousand times double precision


def estimable(board: Leaderboard) -> Mask:
    r"""Return which differences of scores have a usable variance: positive beyond rounding.

    A difference is used where both scores are finite, its degrees of freedom are positive, and its variance exceeds
    both ``1e-12`` of the terms it is made of, :math:`|V_{aa}| + |V_{cc}| + 2 |V_{ac}|`, and the rounding of the
    scores, :math:`(10^{-12} \max(|S_a|, |S_c|))^2`. Two-way clustering can give a negative variance; it is never set
    to zero, which would make the difference look certain.

    Parameters
    ----------
    board : Leaderboard
        Scores and their covariance.

    Returns
    -------
    (n, n) bool
        Symmetric, False on the diagonal.

    Examples
    --------
    The first two agents have identical errors, so their difference has no variance.

    >>> V = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> board = Leaderboard(("a", "b", "c"), np.array([0.3, 0.2, 0.1]), V, np.full((3, 3), np.inf), "mean")
    >>> estimable(board).astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])
    """
    return estimable_differences(board.score, board.covariance, board.df)


def estimable_differences(score: Array, covariance: Array, df: ArrayLike) -> Mask:
    """Return which differences of scores, (..., n), with a covariance, (..., n, n), are usable; see `estimable`."""
    own = np.abs(np.diagonal(covariance, axis1=-2, axis2=-1))
    size = np.abs(score)
    with np.errstate(invalid="ignore"):  # scores may be NaN
        variance = variances_of_differences(covariance)
        terms = own[..., :, None] + own[..., None, :] + 2 * np.abs(covariance)
        rounding = ROUNDING * np.maximum(size[..., :, None], size[..., None, :])
        mask = (variance > ROUNDING * terms) & (variance > rounding**2) & (np.asarray(df) > 0)
        mask &= np.isfinite(variance) & np.isfinite(score[..., :, None] - score[..., None, :])
    mask &= ~np.eye(mask.shape[-1], dtype=bool)
    return np.asarray(mask & mask.swapaxes(-1, -2))


def z_scores(board: Leaderboard, used: Mask) -> Array:
    """Return every difference as a Gaussian statistic with the same tail probability, (n, n); NaN where unused."""
    z = np.full(used.shape, np.nan)
    a, c = np.nonzero(np.triu(used))
    t = (board.score[a] - board.score[c]) / np.sqrt(board.variance_if_equal[a, c])
    z[a, c] = gaussian_equivalent(t, board.df[a, c])
    z[c, a] = -z[a, c]
    return z


def gaussian_equivalent(t: ArrayLike, df: ArrayLike) -> Array:
    r"""Return :math:`\Phi^{-1}(T_\nu(t))`: the Gaussian statistic with the same p-value as Student's.

    >>> gaussian_equivalent([2.5758, 12.7062, -63.6567], [np.inf, 1, 1]).round(3)
    array([ 2.576,  1.96 , -2.576])
    """
    t, df = np.broadcast_arrays(np.asarray(t, dtype=np.float64), np.asarray(df, dtype=np.float64))
    z = t.copy()
    thin = np.isfinite(df) & np.isfinite(t)
    z[thin] = np.sign(t[thin]) * -ndtri(stdtr(df[thin], -np.abs(t[thin])))
    return z


def t_critical(c: ArrayLike, df: ArrayLike) -> Array:
    r"""Return :math:`T_\nu^{-1}(\Phi(c))`: Student's critical value where the Gaussian one is *c*.

    >>> t_critical(1.959964, [np.inf, 10, 1]).round(3)
    array([ 1.96 ,  2.228, 12.706])
    """
    c, df = np.broadcast_arrays(np.asarray(c, dtype=np.float64), np.asarray(df, dtype=np.float64))
    t = c.copy()
    thin = np.isfinite(df) & np.isfinite(c)
    t[thin] = -stdtrit(df[thin], ndtr(-c[thin]))
    return t
