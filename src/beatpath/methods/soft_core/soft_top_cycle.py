r"""The soft Top Cycle score: how surely an agent reaches everyone else."""

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats
from beatpath.methods.soft_core.soft_extremum import softmin


def soft_top_cycle(R: ArrayLike, gamma: float) -> Floats:
    r"""Return the soft minimum of each agent's reachability of all others.

    .. math::  t_\tau(a) = \operatorname{smin}_\gamma \{ R_\tau(a, b) : b \ne a \},

    eq. (11) of Soft Tournament Equilibrium [1]_.

    Parameters
    ----------
    R : (n, n) float
        Reachability, in [0, 1]; the diagonal is not looked at.
    gamma : float
        Temperature, above zero; for its limit at zero see `widest_reach`.

    Returns
    -------
    (n,) float
        In [0, 1]; near one for members of the Top Cycle. One agent alone is the core: 1.

    Examples
    --------
    >>> soft_top_cycle([[0.0, 0.98], [0.02, 0.0]], 0.05)
    array([0.98, 0.02])

    References
    ----------
    .. [1] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328, section 4.3.2.
    """
    R = np.asarray(R, dtype=np.float64)
    n = len(R)
    if n == 1:
        return np.ones(1)
    others = R[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    return softmin(others, gamma)
