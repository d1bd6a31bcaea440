r"""Sums and products over all agents in between, on a CUDA device, in Triton.

A program holds a tile of the result and goes once over the agents in between; nothing of size :math:`n^3` is ever stored. What
limits it is counted: an exponential or a reciprocal takes the special function units, 16 a cycle and multiprocessor on recent
cards, where a multiplication takes one of 128. In doubles exponentials are left to products of matrices (`exp_products`);
reciprocals take a dozen multiplications each, and these half of the units.
"""

from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from beatpath.methods.differentiable.gpu_paths import on_gpu

COLDEST = 0.015  # temperature at and above which every exponential and every sum of them is a float
COLDEST_IN_DOUBLES = 0.0015
TILE, WARPS = 64, 4  # of a program; measured on an H200, as are the others
OTHERS = {
    ("complement_products", torch.float32): (32, 1),
    ("complement_products", torch.float64): (32, 1),
    ("reciprocal_sums", torch.float64): (32, 8),
}
LOG2_E = 1.4426950408889634


def sums_on_gpu(matrix: Tensor, gamma: float = 1.0) -> bool:
    """Whether these sums can be taken here: in single precision on a CUDA device, at temperatures that floats bear."""
    return on_gpu(matrix) and matrix.dtype == torch.float32 and gamma >= COLDEST


def products_on_gpu(matrix: Tensor, gamma: float = 1.0) -> bool:
    """Whether smooth and noisy-or products can be taken here: also in doubles."""
    doubles = on_gpu(matrix) and matrix.dtype == torch.float64 and gamma >= COLDEST_IN_DOUBLES
    return doubles or sums_on_gpu(matrix, gamma)


def gpu_log_sum_exp_products(X: Tensor, Y: Tensor, gamma: float) -> Tensor:
    r"""Return :math:`\log \sum_b e^{X_{ab} Y_{cb} / \gamma}`, one exponential a term, two more a term for the gradient."""
    found: Tensor = _LogSumExpProducts.apply(X, Y, gamma)  # type: ignore[no-untyped-call]
    return found


def gpu_reciprocal_sums(U: Tensor, V: Tensor) -> Tensor:
    r"""Return :math:`\sum_c 1 / (U_{ac} + V_{cb})`, one reciprocal a term; no gradient."""
    return _over_agents("reciprocal_sums", U.detach().transpose(-1, -2), V.detach(), 1.0)


def gpu_complement_products(X: Tensor, Y: Tensor) -> Tensor:
    r"""Return :math:`\prod_c (1 - X_{ac} Y_{cb})`, two multiplications a term; no gradient."""
    return _over_agents("complement_products", X.detach().transpose(-1, -2), Y.detach(), 1.0)


class _LogSumExpProducts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, X: Tensor, Y: Tensor, gamma: float) -> Tensor:
        total = _over_agents("exp_sums", X.transpose(-1, -2), Y.transpose(-1, -2), LOG2_E / gamma)
        ctx.save_for_backward(X, Y, total)
        ctx.gamma = gamma
        return total.log()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        X, Y, total = ctx.saved_tensors
        share = grad / total / ctx.gamma
        of_x = _slopes(X, share.transpose(-1, -2), Y, ctx.gamma) if ctx.needs_input_grad[0] else None
        of_y = _slopes(Y, share, X, ctx.gamma) if ctx.needs_input_grad[1] else None
        return of_x, of_y, None


def _over_agents(kernel: str, left: Tensor, right: Tensor, scale: float) -> Tensor:
    """For every column of `left` and of `right`, what the kernel makes of the pairs of their entries."""
    x, y, shape = *_flat(left, right), (*left.shape[:-2], left.shape[-1], right.shape[-1])
    out = torch.empty(len(x), shape[-2], shape[-1], dtype=left.dtype, device=left.device)
    tile, warps = OTHERS.get((kernel, left.dtype), (TILE, WARPS))
    grid = (-(-shape[-2] // tile) * -(-shape[-1] // tile), 1, len(x))
    getattr(_kernels(), kernel)[grid](out, x, y, shape[-2], shape[-1], x.shape[-2], scale, T=tile, num_warps=warps)
    return out.view(shape)


def _slopes(X: Tensor, weight: Tensor, Y: Tensor, gamma: float) -> Tensor:
    r"""Return :math:`\sum_c w_{ca} y_{cb} e^{x_{ab} y_{cb} / \gamma}` for every entry of `X`."""
    x, w, y = *_flat(X, weight), _flat(Y, Y)[0]
    out = torch.empty_like(x)
    grid = (-(-x.shape[-2] // TILE) * -(-x.shape[-1] // TILE), 1, len(x))
    scale = LOG2_E / gamma
    _kernels().exp_slopes[grid](out, x, w, y, x.shape[-2], x.shape[-1], y.shape[-2], scale, T=TILE, num_warps=WARPS)
    return out.view(X.shape)


def _flat(*matrices: Tensor) -> list[Tensor]:
    return [matrix.reshape(-1, *matrix.shape[-2:]).contiguous() for matrix in matrices]


@cache
def _kernels() -> Any:
    from beatpath.methods.differentiable import triton_sums

    return triton_sums
