r"""Soft majority edges, soft extrema and Top Cycle scores on tensors.

The same operators as those of `beatpath.methods.tournament`, for tensors of shape ``(..., n, n)`` with any leading
dimensions, on any device, with gradients.
"""

from collections.abc import Callable
from math import log
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from beatpath.methods.soft_core.soft_extremum import require_temperature

Product = Callable[[Tensor, Tensor], Tensor]
TOGETHER = 1 << 24  # triples held in memory at a time


def soft_majority_edge(P: Tensor, tau: float, *, weight: Tensor | None = None, present: Tensor | None = None) -> Tensor:
    r"""Return how strongly each agent has a majority over each other.

    .. math::  D_\tau(a, b) = \sigma \Bigl( \frac{W_{ab} (P_{ab} - 1/2)}{\tau} \Bigr), \quad a \ne b; \qquad D_\tau(a, a) = 0,

    eq. (4) of Soft Tournament Equilibrium [1]_; the weights :math:`W` are those of its section F.3.

    Parameters
    ----------
    P : (..., n, n) float
        Probability that the row beats the column. The diagonal is not looked at.
    tau : float
        Edge temperature, above zero.
    weight : (..., n, n) float, optional
        How much each comparison counts; one by default.
    present : (..., n, n) bool, optional
        False for pairs to leave without an edge; all are present by default.

    Returns
    -------
    (..., n, n) float
        In [0, 1], with a diagonal of zeros.

    Examples
    --------
    >>> soft_majority_edge(torch.tensor([[0.5, 0.7], [0.3, 0.5]]), 0.05)
    tensor([[0.0000, 0.9820],
            [0.0180, 0.0000]])

    References
    ----------
    .. [1] "Soft Tournament Equilibrium", sections 4.2 and F.3.
    """
    require_temperature("tau", tau)
    margin = P - 0.5 if weight is None else weight * (P - 0.5)
    D = hollow(torch.sigmoid(margin / tau))
    return D if present is None else D.masked_fill(~present, 0.0)


def softmin(values: Tensor, gamma: float, *, dim: int = -1) -> Tensor:
    r"""Return the normalised soft minimum along a dimension, eq. (5) of Soft Tournament Equilibrium.

    .. math::  \operatorname{smin}_\gamma(z_1, \dots, z_m) = -\gamma \log \Bigl( \frac1m \sum_i e^{-z_i / \gamma} \Bigr)

    >>> softmin(torch.tensor([0.0, 1.0]), 0.1)
    tensor(0.0693)
    """
    return -softmax(-values, gamma, dim=dim)


def softmax(values: Tensor, gamma: float, *, dim: int = -1) -> Tensor:
    r"""Return the normalised soft maximum along a dimension, eq. (6) of Soft Tournament Equilibrium.

    .. math::  \operatorname{smax}_\gamma(z_1, \dots, z_m) = \gamma \log \Bigl( \frac1m \sum_i e^{z_i / \gamma} \Bigr)

    >>> softmax(torch.tensor([0.0, 1.0]), 0.1)
    tensor(0.9307)
    """
    require_temperature("gamma", gamma)
    return gamma * (torch.logsumexp(values / gamma, dim=dim) - log(values.shape[dim]))


def soft_top_cycle(R: Tensor, gamma: float) -> Tensor:
    r"""Return the soft minimum of each agent's reachability of all others.

    .. math::  t_\tau(a) = \operatorname{smin}_\gamma \{ R_\tau(a, b) : b \ne a \},

    eq. (11) of Soft Tournament Equilibrium.

    Parameters
    ----------
    R : (..., n, n) float
        Reachability, in [0, 1]; the diagonal is not looked at.
    gamma : float
        Temperature, above zero.

    Returns
    -------
    (..., n) float
        In [0, 1]; near one for members of the Top Cycle. One agent alone is the core: 1.

    Examples
    --------
    >>> soft_top_cycle(torch.tensor([[0.0, 0.98], [0.02, 0.0]]), 0.05)
    tensor([0.9800, 0.0200])
    """
    if R.shape[-1] == 1:
        return torch.ones_like(R[..., 0])
    return softmin(others(R), gamma)


def hollow(matrix: Tensor) -> Tensor:
    """Return the matrices with a diagonal of zeros, through which no gradient passes.

    >>> hollow(torch.ones(2, 2))
    tensor([[0., 1.],
            [1., 0.]])
    """
    return matrix.masked_fill(_own(matrix), 0.0)


def others(matrix: Tensor) -> Tensor:
    """Return each row without its diagonal entry.

    >>> others(torch.tensor([[0, 1, 2], [3, 4, 5], [6, 7, 8]]))
    tensor([[1, 2],
            [3, 5],
            [6, 7]])
    """
    n = matrix.shape[-1]  # after its first entry a matrix is rows of n others and one diagonal entry
    rest = matrix.flatten(-2)[..., 1:].reshape(*matrix.shape[:-2], n - 1, n + 1)
    return rest[..., :-1].reshape(*matrix.shape[:-1], n - 1)


def _own(matrix: Tensor) -> Tensor:
    return torch.eye(matrix.shape[-1], dtype=torch.bool, device=matrix.device)


class _ForwardBy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, fast: Product, plain: Product, X: Tensor, Y: Tensor) -> Tensor:
        ctx.save_for_backward(X, Y)
        ctx.plain = plain
        return fast(X, Y)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, None, Tensor, Tensor]:
        X, Y = (one.detach().requires_grad_() for one in ctx.saved_tensors)
        with torch.enable_grad():
            again = ctx.plain(X, Y)
        of_x, of_y = torch.autograd.grad(again, (X, Y), grad)
        return None, None, of_x, of_y


def forward_by(fast: Product, plain: Product, X: Tensor, Y: Tensor) -> Tensor:
    """Return ``fast(X, Y)`` with the gradient of ``plain(X, Y)``, the same function, computed only when it is asked for.

    >>> X = torch.ones(1, 1, requires_grad=True)
    >>> forward_by(lambda x, y: 3 * x * y, lambda x, y: 3 * x * y, X, torch.ones(1, 1)).backward()
    >>> X.grad
    tensor([[3.]])
    """
    found: Tensor = _ForwardBy.apply(fast, plain, X, Y)  # type: ignore[no-untyped-call]
    return found


def by_rows(work: Callable[[Tensor, Tensor], Tensor], X: Tensor, Y: Tensor) -> Tensor:
    """Return ``work(X, Y)``, which turns rows of `X` and the whole of `Y` into as many rows, done in parts.

    A part that needs a gradient is computed again for it instead of being kept.

    Parameters
    ----------
    work : function of (..., k, n) and (..., n, n) to (..., k, n)
        May hold k n^2 numbers for every leading index.
    X, Y : (..., n, n) float

    Examples
    --------
    >>> by_rows(torch.matmul, torch.eye(2), torch.ones(2, 2))
    tensor([[1., 1.],
            [1., 1.]])
    """
    rows = max(1, TOGETHER // max(1, Y.numel()))
    parts = [X[..., start : start + rows, :] for start in range(0, X.shape[-2], rows)]
    return torch.cat([checkpoint(work, x, Y, use_reentrant=False, preserve_rng_state=False) for x in parts], dim=-2)
