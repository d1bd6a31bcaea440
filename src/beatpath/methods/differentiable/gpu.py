r"""Kernels on a CUDA device, in Triton: strongest paths, and sums and products over intermediate agents.

*Strongest paths*: the Floyd-Warshall algorithm in blocks, exact to the last bit. For each block of 64 intermediate
agents: its own square is closed in registers; the 64 rows and the 64 columns that belong to it take one product with
it; then every tile of the matrix takes one product of rank 64,

.. math::  R_{ij} \leftarrow \max \bigl( R_{ij},\ \max_{v} \min(C_{iv}, R_{vj}) \bigr),

:math:`2n^3` minima and maxima in total, with a tile read and written :math:`n / 64` times instead of :math:`n` times:
arithmetic is the limit, not memory. Numbers are compared and never created, so any order of the steps gives the same
bits. Everything is compared in single precision: doubles and integers by their ranks, which are written into the bits
of a float.

*Sums and products*: a program holds a tile of the result and goes once over the intermediate agents; nothing of size
:math:`n^3` is ever stored. The limit is the special function units: an exponential or a reciprocal takes one of 16
per cycle and multiprocessor on recent cards, a multiplication one of 128. In doubles, exponentials are left to matrix
products (`log_sum_exp_products`); reciprocals take a dozen multiplications each, on half of the units.
"""

from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

BLOCK, TALL, WIDE = 64, 128, 64  # intermediate agents per block; rows and columns of a tile
WARPS = 4  # warps per program
NORMAL = 0x00800000  # bits of the smallest normal float: ranks above it are neither zero nor subnormal
MOST_RANKS = 0x7F000000  # ranks below infinity


def on_gpu(matrix: Tensor) -> bool:
    """Whether the kernels can be used: needs a CUDA device and Triton, which comes with torch on Linux."""
    return matrix.is_cuda and torch.version.hip is None and _has_triton()


@cache
def _has_triton() -> bool:
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


def gpu_widest_paths(strength: Tensor) -> Tensor:
    """Return the strongest path of any length between all agents; see `tensors.widest_paths`."""
    floats, values = as_floats(strength)
    return as_given(_closed(floats), values, strength)


def gpu_max_min_product(X: Tensor, Y: Tensor) -> Tensor:
    """Return the max-min product of nonnegative matrices; see `tensors.max_min_product`."""
    rows, inner, columns = X.shape[-2], X.shape[-1], Y.shape[-1]
    both, values = as_floats(torch.cat((X.reshape(-1), Y.reshape(-1)))[None, :])
    x, y = both[0, : X.numel()], both[0, X.numel() :]
    left = _padded(x.view(X.shape).transpose(-1, -2), inner, _up(rows, TALL))
    right = _padded(y.view(Y.shape), inner, _up(columns, WIDE))
    out = torch.zeros(len(left), left.shape[-1], right.shape[-1], dtype=torch.float32, device=X.device)
    _grow(out, left, right, inner)
    return as_given(out[:, :rows, :columns].reshape(*X.shape[:-2], rows, columns), values, X)


def as_floats(matrix: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return the numbers as floats in the same order, and the values by rank if they had to become ranks.

    Zero stays zero, which pads a matrix and stands for no path.
    """
    matrix_values = matrix.detach()
    if matrix_values.dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int16, torch.uint8, torch.int8):
        return matrix_values.float(), None
    values, rank = torch.unique(matrix_values, sorted=True, return_inverse=True)
    if len(values) >= MOST_RANKS - NORMAL:
        raise ValueError(f"at most {MOST_RANKS - NORMAL:,} different strengths can be ranked; got {len(values):,}")
    bits = (rank.to(torch.int32) + NORMAL).masked_fill_(matrix_values == 0, 0)
    return bits.view(torch.float32), values


def as_given(floats: Tensor, values: Tensor | None, like: Tensor) -> Tensor:
    """Convert back what `as_floats` returned, to the original type."""
    if values is None:
        return floats.to(like.dtype)
    rank = floats.contiguous().view(torch.int32) - NORMAL
    return values[rank.clamp_(min=0).long()].masked_fill_(floats == 0, 0)


def _closed(strength: Tensor) -> Tensor:
    n = strength.shape[-1]
    size = _up(n, TALL) if n > BLOCK else max(16, 1 << (n - 1).bit_length())
    side = min(size, BLOCK)
    path = _padded(strength, size, size)
    batch = len(path)
    rows, columns = (torch.empty(batch, BLOCK, size, dtype=torch.float32, device=path.device) for _ in range(2))
    kernels = _kernels()
    for block in range(_up(n, side) // side):
        kernels.close_block[(batch,)](path, size, block, B=side, num_warps=4)
        if size > BLOCK:
            kernels.extend_panels[(size // BLOCK, 2, batch)](path, rows, columns, size, block, B=BLOCK, num_warps=4)
            _grow(path, columns, rows, BLOCK)
    return path[:, :n, :n].reshape(strength.shape)


def _grow(out: Tensor, left: Tensor, right: Tensor, inner: int) -> None:
    """Make `out` the maximum of itself and the max-min product of the transpose of `left` and `right`."""
    batch, rows, columns = out.shape
    grid = (rows // TALL * (columns // WIDE), 1, batch)
    _kernels().grow[grid](out, left, right, rows, columns, inner, left.shape[-2], M=TALL, N=WIDE, num_warps=WARPS)


def _up(n: int, step: int) -> int:
    return -(-n // step) * step


def _padded(matrix: Tensor, rows: int, columns: int) -> Tensor:
    """A contiguous copy with one leading dimension, padded with zeros."""
    flat = matrix.reshape(-1, *matrix.shape[-2:])
    whole = torch.zeros(len(flat), rows, columns, dtype=torch.float32, device=matrix.device)
    whole[:, : flat.shape[-2], : flat.shape[-1]] = flat
    return whole


@cache
def _kernels() -> Any:
    from beatpath.methods.differentiable import triton_kernels

    return triton_kernels


COLDEST = 0.015  # lowest temperature at which no exponential and no sum of them overflows a float
TILE = 64  # tile of a program; measured on an H200, like the others
# Tile and warps of kernels that differ from the defaults.
OTHERS = {
    ("complement_products", torch.float32): (32, 1),
    ("complement_products", torch.float64): (32, 1),
    ("reciprocal_sums", torch.float64): (32, 8),
}
LOG2_E = 1.4426950408889634  # converts exponentials to powers of two


def sums_on_gpu(matrix: Tensor, gamma: float) -> bool:
    """Whether these sums can be computed here.

    They need single precision on a CUDA device, and temperatures that do not overflow.
    """
    return on_gpu(matrix) and matrix.dtype == torch.float32 and gamma >= COLDEST


def products_on_gpu(matrix: Tensor) -> bool:
    """Whether sums of reciprocals and products of complements can be computed here: also in doubles."""
    return on_gpu(matrix) and matrix.dtype in (torch.float32, torch.float64)


def gpu_log_sum_exp_products(X: Tensor, Y: Tensor, gamma: float) -> Tensor:
    r"""Return :math:`\log \sum_b e^{X_{ab} Y_{cb} / \gamma}`, one exponential per term, two more for the gradient."""
    return _LogSumExpProducts.apply(X, Y, gamma)  # type: ignore[no-untyped-call]


def gpu_reciprocal_sums(U: Tensor, V: Tensor) -> Tensor:
    r"""Return :math:`\sum_c 1 / (U_{ac} + V_{cb})`, with one reciprocal per term; no gradient."""
    return _over_agents("reciprocal_sums", U.detach().transpose(-1, -2), V.detach(), 1.0)


def gpu_complement_products(X: Tensor, Y: Tensor) -> Tensor:
    r"""Return :math:`\prod_c (1 - X_{ac} Y_{cb})`, with two multiplications per term; no gradient."""
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
    """The kernel's reduction over the pairs of entries, for every column of `left` and of `right`."""
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
