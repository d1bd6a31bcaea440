r"""Soft covering and Uncovered Set scores on tensors."""

from math import log

import torch
from torch import Tensor

from beatpath.methods.differentiable.exp_products import log_sum_exp_products
from beatpath.methods.differentiable.operators import hollow, others, softmax
from beatpath.methods.soft_core.soft_cover import ACCURACY
from beatpath.methods.soft_core.soft_extremum import require_temperature


def soft_violation(D: Tensor, gamma: float) -> Tensor:
    r"""Return how surely some agent speaks against "the row covers the column": beaten by the column, not by the row.

    .. math::  v_\tau(c, a) = \operatorname{smax}_{\gamma} \{ D_\tau(a, b) (1 - D_\tau(c, b)) : b \ne a, c \},

    eq. (12) of Soft Tournament Equilibrium; 0 when there is no other agent.

    Parameters
    ----------
    D : (..., n, n) float
        Strength of the edge from row to column, in [0, 1], with a diagonal of zeros.
    gamma : float
        Temperature, above zero.

    Returns
    -------
    (..., n, n) float
        Row c, column a, with a diagonal of zeros.

    Examples
    --------
    >>> D = torch.tensor([[0.0, 0.2, 0.9], [0.8, 0.0, 0.1], [0.1, 0.9, 0.0]])
    >>> soft_violation(D, 0.05)
    tensor([[0.0000, 0.0100, 0.7200],
            [0.8100, 0.0000, 0.0200],
            [0.0200, 0.7200, 0.0000]])

    Notes
    -----
    With the diagonals of both factors at zero, the agents *a* and *c* themselves add a term of :math:`e^0 = 1` each, which
    is taken off the sum again.
    """
    require_temperature("gamma", gamma)
    n = D.shape[-1]
    if n < 3:
        return torch.zeros_like(D)
    log_sum = log_sum_exp_products(D, hollow(1 - D), gamma, error=ACCURACY / (3 * gamma)).transpose(-1, -2)
    log_sum = torch.clamp(log_sum, min=log(n))  # every term is at least one, whatever rounding says
    return hollow(gamma * (log_sum + torch.log1p(-2 * torch.exp(-log_sum)) - log(n - 2)))


def soft_cover(D: Tensor, gamma: float) -> Tensor:
    r"""Return how surely the row covers the column.

    .. math::  \mathrm{cover}_\tau(c, a) = D_\tau(c, a) (1 - v_\tau(c, a)), \qquad \mathrm{cover}_\tau(a, a) = 0,

    eq. (13) of Soft Tournament Equilibrium.

    >>> soft_cover(torch.tensor([[0.0, 0.9], [0.1, 0.0]]), 0.05)
    tensor([[0.0000, 0.9000],
            [0.1000, 0.0000]])
    """
    return hollow(D * (1 - soft_violation(D, gamma)))


def soft_uncovered_set(D: Tensor, gamma: float) -> Tensor:
    r"""Return how surely no agent covers each one.

    .. math::  u_\tau(a) = 1 - \operatorname{smax}_\gamma \{ \mathrm{cover}_\tau(c, a) : c \ne a \},

    eqs. (14) and (15) of Soft Tournament Equilibrium.

    Parameters
    ----------
    D : (..., n, n) float
        Strength of the edge from row to column, in [0, 1], with a diagonal of zeros.
    gamma : float
        Temperature of both soft maxima, above zero.

    Returns
    -------
    (..., n) float
        In [0, 1]; near one for members of the Uncovered Set. One agent alone is the core: 1.

    Examples
    --------
    In a circle of three nobody covers anybody.

    >>> D = torch.tensor([[0.0, 0.99, 0.01], [0.01, 0.0, 0.99], [0.99, 0.01, 0.0]])
    >>> soft_uncovered_set(D, 0.01)
    tensor([0.9840, 0.9840, 0.9840])
    """
    if D.shape[-1] == 1:
        return torch.ones_like(D[..., 0])
    return 1 - softmax(others(soft_cover(D, gamma).transpose(-1, -2)), gamma)
