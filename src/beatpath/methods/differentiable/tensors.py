r"""The torch implementation of what `soft_core.operators` needs: gradients, recomputation, kernels on a CUDA device.

The strongest path between all agents has a gradient with respect to its weakest edge.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from beatpath.methods.differentiable.gpu import (
    gpu_complement_products,
    gpu_log_sum_exp_products,
    gpu_max_min_product,
    gpu_reciprocal_sums,
    gpu_widest_paths,
    on_gpu,
    products_on_gpu,
    sums_on_gpu,
)
from beatpath.methods.graph.paths import raised

# A product of two tensors; the functions that differ between the two implementations.
Product = Callable[[Tensor, Tensor], Tensor]

xp = torch
sigmoid = torch.sigmoid
TOGETHER = 1 << 24  # triples of agents held in memory at a time
MANY = 100  # agents from which the kernel of sums of exponentials costs less than their expansion
SINGLE_ONLY = ("mps",)  # devices without double precision


def as_array(values: Tensor) -> Tensor:
    """Return the tensor itself."""
    return values


def hollow(matrix: Tensor) -> Tensor:
    """Return the matrices with a zero diagonal, through which no gradient passes.

    >>> hollow(torch.ones(2, 2))
    tensor([[0., 1.],
            [1., 0.]])
    """
    return matrix.masked_fill(torch.eye(matrix.shape[-1], dtype=torch.bool, device=matrix.device), 0.0)


def scaled_logsumexp(values: Tensor, gamma: float, axis: int) -> Tensor:
    r"""Return :math:`\gamma \log \sum_i e^{z_i / \gamma}` along an axis."""
    return gamma * torch.logsumexp(values / gamma, dim=axis)


def recomputed(work: Product) -> Product:
    """Return the function, recomputed for gradients instead of stored."""
    return partial(checkpoint, work, use_reentrant=False, preserve_rng_state=False)


def reciprocal_sums(plain: Product, U: Tensor, V: Tensor) -> Tensor:
    r"""Return :math:`\sum_c 1 / (U_{ac} + V_{cb})`, by the kernel if it can be used."""
    return forward_by(gpu_reciprocal_sums, plain, U, V) if products_on_gpu(U) else plain(U, V)


def complement_products(plain: Product, X: Tensor, Y: Tensor) -> Tensor:
    r"""Return :math:`\prod_c (1 - X_{ac} Y_{cb})`, by the kernel if it can be used."""
    return forward_by(gpu_complement_products, plain, X, Y) if products_on_gpu(X) else plain(X, Y)


def log_sum_exp_products(exact: Product, expanded: Product | None, X: Tensor, Y: Tensor, gamma: float) -> Tensor:
    """Return the sums by the kernel, by their expansion in doubles, or by all exponentials.

    In single precision on a CUDA device all exponentials cost less than the expansion.
    """
    if sums_on_gpu(X, gamma) and X.shape[-1] > MANY:
        return gpu_log_sum_exp_products(X, Y, gamma)
    if expanded is None or X.device.type in SINGLE_ONLY:
        return exact(X, Y)
    return expanded(X.double(), Y.double()).to(X.dtype)


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
    """Return ``fast(X, Y)`` with the gradient of the equal function ``plain(X, Y)``, computed only if needed.

    >>> X = torch.ones(1, 1, requires_grad=True)
    >>> forward_by(lambda x, y: 3 * x * y, lambda x, y: 3 * x * y, X, torch.ones(1, 1)).backward()
    >>> X.grad
    tensor([[3.]])
    """
    return _ForwardBy.apply(fast, plain, X, Y)  # type: ignore[no-untyped-call]


def strongest_path(strength: Tensor, max_length: int) -> Tensor:
    r"""Return the strength of the strongest path of at most `max_length` edges.

    A path is as strong as its weakest edge.

    .. math::  R(a, b) = \max_{a = c_0, \dots, c_l = b} \ \min_{i < l} S(c_i, c_{i+1}), \quad l \le K,

    eqs. (8) to (10) of Soft Tournament Equilibrium in the limit of hard extrema.

    Parameters
    ----------
    strength : (..., n, n) float
        Strength of the edge from row to column, nonnegative, with a zero diagonal.
    max_length : int
        K, at least one; from n - 1 on all paths are included.

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
    Every entry is the strength of one edge, so nothing of the :math:`O(n^3)` pass needs to be stored: the gradient is
    found by looking up the entries among the sorted edges. Edges of exactly equal strength share a gradient evenly,
    whichever of them a path uses: the derivative among matrices that keep the ties, independent of the order of
    agents.
    """
    value: Tensor = _StrongestPath.apply(strength, max_length)  # type: ignore[no-untyped-call]
    return hollow(value)


def widest_paths(strength: Tensor) -> Tensor:
    """Return the strongest path of any length, by the Floyd-Warshall algorithm, on CUDA devices in blocks; no gradient.

    >>> widest_paths(torch.tensor([[0.0, 0.9, 0.1], [0.0, 0.0, 0.8], [0.0, 0.0, 0.0]]))[0]
    tensor([0.0000, 0.9000, 0.8000])
    """
    if on_gpu(strength):
        return gpu_widest_paths(strength)
    path = strength.detach().clone(memory_format=torch.contiguous_format)
    return _absorb(path, path, path)


def max_min_product(X: Tensor, Y: Tensor) -> Tensor:
    """Return the max-min product, eq. (8) of Soft Tournament Equilibrium; no gradient.

    >>> max_min_product(torch.tensor([[0.2, 0.9]]), torch.tensor([[0.7], [0.8]]))
    tensor([[0.8000]])
    """
    if on_gpu(X):
        return gpu_max_min_product(X, Y)
    return _absorb(torch.zeros_like(X @ Y), X, Y)


def _absorb(tile: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """Raise each entry of `tile`, in place, to the strongest connection through one agent, and return it."""
    weaker = torch.empty_like(tile)
    for via in range(left.shape[-1]):
        torch.minimum(left[..., :, via, None], right[..., None, via, :], out=weaker)
        torch.maximum(tile, weaker, out=tile)
    return tile


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
    """The closure, or about 2 log K products by squaring if fewer than n - 1 edges are allowed."""
    if max_length >= strength.shape[-1] - 1:
        return widest_paths(strength)
    still = torch.eye(strength.shape[-1], dtype=torch.bool, device=strength.device)
    return hollow(raised(strength.masked_fill(still, torch.inf), max_length, max_min_product))
