r"""The strongest path between all agents, with a gradient that goes to its weakest edge."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from beatpath.methods.differentiable.gpu_paths import gpu_max_min_product, gpu_widest_paths, on_gpu
from beatpath.methods.differentiable.operators import hollow


def strongest_path(strength: Tensor, max_length: int) -> Tensor:
    r"""Return the strength of the strongest path of at most `max_length` edges, a path being as strong as its weakest edge.

    .. math::  R(a, b) = \max_{a = c_0, \dots, c_l = b} \ \min_{i < l} S(c_i, c_{i+1}), \quad l \le K,

    eqs. (8) to (10) of Soft Tournament Equilibrium in the limit of hard extrema.

    Parameters
    ----------
    strength : (..., n, n) float
        Of the edge from row to column, not negative, with a diagonal of zeros.
    max_length : int
        K, one or more; n - 1 and above miss no path.

    Returns
    -------
    (..., n, n) float
        Entries are entries of `strength`, bit for bit; zero on the diagonal.

    Examples
    --------
    The path from the first to the third is as strong as its weaker edge, which alone has a gradient.

    >>> S = torch.tensor([[0.0, 0.9, 0.1], [0.0, 0.0, 0.8], [0.0, 0.0, 0.0]], requires_grad=True)
    >>> R = strongest_path(S, 2)
    >>> R[0]
    tensor([0.0000, 0.9000, 0.8000], grad_fn=<SelectBackward0>)
    >>> torch.autograd.grad(R[0, 2], S)[0]
    tensor([[0., 0., 0.],
            [0., 0., 1.],
            [0., 0., 0.]])

    Notes
    -----
    Every entry is the strength of one edge, so nothing of the :math:`O(n^3)` pass need be kept: the gradient is found by
    looking the entries up among the sorted edges. Edges of exactly equal strength share a gradient evenly, whichever of them
    a path uses: the derivative among matrices that keep the ties, and no order of agents enters.
    """
    found: Tensor = _StrongestPath.apply(strength, max_length)  # type: ignore[no-untyped-call]
    return hollow(found)


def widest_paths(strength: Tensor) -> Tensor:
    """Return the strongest path of any length, by Floyd and Warshall's scheme, on CUDA devices by blocks; no gradient.

    >>> widest_paths(torch.tensor([[0.0, 0.9, 0.1], [0.0, 0.0, 0.8], [0.0, 0.0, 0.0]]))[0]
    tensor([0.0000, 0.9000, 0.8000])
    """
    if on_gpu(strength):
        return gpu_widest_paths(strength)
    path = strength.detach().clone(memory_format=torch.contiguous_format)
    weaker = torch.empty_like(path)
    for via in range(path.shape[-1]):
        torch.minimum(path[..., :, via, None], path[..., None, via, :], out=weaker)
        torch.maximum(path, weaker, out=path)
    return path


def max_min_product(X: Tensor, Y: Tensor) -> Tensor:
    """Return the max-min product, eq. (8) of Soft Tournament Equilibrium; no gradient.

    >>> max_min_product(torch.tensor([[0.2, 0.9]]), torch.tensor([[0.7], [0.8]]))
    tensor([[0.8000]])
    """
    if on_gpu(X):
        return gpu_max_min_product(X, Y)
    product = torch.zeros_like(X @ Y)
    weaker = torch.empty_like(product)
    for via in range(X.shape[-1]):
        torch.minimum(X[..., :, via, None], Y[..., None, via, :], out=weaker)
        torch.maximum(product, weaker, out=product)
    return product


class _StrongestPath(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, strength: Tensor, max_length: int) -> Tensor:
        R = _power(strength.detach(), max_length)
        ctx.save_for_backward(strength, R)
        return R

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        strength, R = (matrix.flatten(-2) for matrix in ctx.saved_tensors)
        ordered = strength.sort(dim=-1).values
        of_path, of_edge = (torch.searchsorted(ordered, matrix.contiguous()) for matrix in (R, strength))
        owed = torch.zeros_like(strength).scatter_add_(-1, of_path, grad.flatten(-2))
        ties = torch.zeros_like(strength).scatter_add_(-1, of_edge, torch.ones_like(strength))
        return (owed / ties.clamp(min=1)).gather(-1, of_edge).view_as(grad), None


def _power(strength: Tensor, max_length: int) -> Tensor:
    """The closure, or about 2 log K products by squaring where fewer edges than n - 1 are allowed."""
    if max_length >= strength.shape[-1] - 1:
        return widest_paths(strength)
    still = torch.eye(strength.shape[-1], dtype=torch.bool, device=strength.device)
    base = strength.masked_fill(still, torch.inf)
    power = base
    for bit in bin(max_length)[3:]:
        power = max_min_product(power, power)
        if bit == "1":
            power = max_min_product(power, base)
    return hollow(power)
