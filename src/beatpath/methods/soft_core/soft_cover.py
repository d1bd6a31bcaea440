r"""Soft covering: how surely one agent beats another and everyone that the other beats; the soft Uncovered Set score."""

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats
from beatpath.methods.soft_core.exp_products import log_sum_exp_products
from beatpath.methods.soft_core.soft_extremum import require_temperature, softmax

ACCURACY = 1e-8  # of the soft violation, and so of all scores


def soft_violation(D: ArrayLike, gamma: float) -> Floats:
    r"""Return how surely some agent speaks against "the row covers the column": beaten by the column, not by the row.

    .. math::  v_\tau(c, a) = \operatorname{smax}_{\gamma} \{ D_\tau(a, b) (1 - D_\tau(c, b)) : b \ne a, c \},

    eq. (12) of Soft Tournament Equilibrium [1]_; 0 when there is no other agent.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, in [0, 1], with a diagonal of zeros.
    gamma : float
        Temperature, above zero.

    Returns
    -------
    (n, n) float
        Row c, column a, with a diagonal of zeros; exact to 1e-8.

    Examples
    --------
    Among three agents one is left to speak. The third, beaten by the first (0.9) and hardly by the second (0.1), says by
    0.9 x 0.9 that the second does not cover the first.

    >>> D = np.array([[0.0, 0.2, 0.9], [0.8, 0.0, 0.1], [0.1, 0.9, 0.0]])
    >>> soft_violation(D, 0.05).round(2)
    array([[0.  , 0.01, 0.72],
           [0.81, 0.  , 0.02],
           [0.02, 0.72, 0.  ]])

    Notes
    -----
    With the diagonals of both factors at zero, the agents *a* and *c* themselves add a term of :math:`e^0 = 1` each, which
    is taken off the sum again. The sums are those of `exp_products`: matrix products instead of :math:`n^3` exponentials.

    References
    ----------
    .. [1] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328, section 4.4.1.
    """
    require_temperature("gamma", gamma)
    D = np.asarray(D, dtype=np.float64)
    n = len(D)
    if n < 3:
        return np.zeros((n, n))
    missing = 1 - D
    np.fill_diagonal(missing, 0.0)
    log_sum = log_sum_exp_products(D, missing, gamma, error=ACCURACY / (3 * gamma)).T
    violation = gamma * (log_sum + np.log1p(-2 * np.exp(-log_sum)) - np.log(n - 2))
    np.clip(violation, 0.0, 1.0, out=violation)
    np.fill_diagonal(violation, 0.0)
    return violation


def soft_cover(D: ArrayLike, gamma: float) -> Floats:
    r"""Return how surely the row covers the column.

    .. math::  \mathrm{cover}_\tau(c, a) = D_\tau(c, a) (1 - v_\tau(c, a)), \qquad \mathrm{cover}_\tau(a, a) = 0,

    eq. (13) of Soft Tournament Equilibrium.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, in [0, 1], with a diagonal of zeros.
    gamma : float
        Temperature, above zero.

    Examples
    --------
    Two agents: who wins covers.

    >>> soft_cover([[0.0, 0.9], [0.1, 0.0]], 0.05)
    array([[0. , 0.9],
           [0.1, 0. ]])
    """
    cover: Floats = np.asarray(D, dtype=np.float64) * (1 - soft_violation(D, gamma))
    np.fill_diagonal(cover, 0.0)
    return cover


def soft_uncovered_set(D: ArrayLike, gamma: float) -> Floats:
    r"""Return how surely no agent covers each one.

    .. math::  u_\tau(a) = 1 - \operatorname{smax}_\gamma \{ \mathrm{cover}_\tau(c, a) : c \ne a \},

    eqs. (14) and (15) of Soft Tournament Equilibrium.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, in [0, 1], with a diagonal of zeros.
    gamma : float
        Temperature of both soft maxima, above zero.

    Returns
    -------
    (n,) float
        In [0, 1]; near one for members of the Uncovered Set. One agent alone is the core: 1.

    Examples
    --------
    In a circle of three nobody covers anybody.

    >>> D = np.array([[0.0, 0.99, 0.01], [0.01, 0.0, 0.99], [0.99, 0.01, 0.0]])
    >>> soft_uncovered_set(D, 0.01).round(2)
    array([0.98, 0.98, 0.98])
    """
    cover = soft_cover(D, gamma)
    n = len(cover)
    if n == 1:
        return np.ones(1)
    others = cover.T[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    uncovered: Floats = 1 - softmax(others, gamma)
    return uncovered
