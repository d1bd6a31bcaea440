r"""Strongest paths on a CUDA device: Floyd and Warshall's scheme by blocks, in Triton, equal to the last bit.

For each block of 64 agents that paths may go through: its own square is closed in registers; the 64 rows and the 64 columns
that belong to it take one product with it; then every tile of the matrix takes one product of rank 64,

.. math::  R_{ij} \leftarrow \max \bigl( R_{ij},\ \max_{v} \min(C_{iv}, R_{vj}) \bigr),

:math:`2n^3` minima and maxima in all, with a tile read and written :math:`n / 64` times and not :math:`n` times: the arithmetic
units are the limit, not the memory. Numbers are compared and never made, so that any order of the steps gives the same bits.
Everything is compared in single precision: doubles and integers by their ranks, which are written into the bits of a float.
"""

from functools import cache
from typing import Any

import torch
from torch import Tensor

BLOCK, TALL, WIDE = 64, 128, 64  # agents passed through at a time; rows and columns of a tile
WARPS = 4
NORMAL = 0x00800000  # the bits of the smallest normal float: ranks above it are neither zero nor subnormal
MOST_RANKS = 0x7F000000  # and below infinity


def on_gpu(matrix: Tensor) -> bool:
    """Whether the kernels can be used: a CUDA device, and Triton, which comes with torch on Linux."""
    return matrix.is_cuda and torch.version.hip is None and _has_triton()


@cache
def _has_triton() -> bool:
    try:
        import triton  # noqa: F401
    except ImportError:
        return False
    return True


def gpu_widest_paths(strength: Tensor) -> Tensor:
    """Return the strongest path of any length between all agents; see `strongest_path.widest_paths`."""
    floats, values = as_floats(strength)
    return as_given(_closed(floats), values, strength)


def gpu_max_min_product(X: Tensor, Y: Tensor) -> Tensor:
    """Return the max-min product of matrices that are not negative; see `strongest_path.max_min_product`."""
    rows, inner, columns = X.shape[-2], X.shape[-1], Y.shape[-1]
    both, values = as_floats(torch.cat((X.reshape(-1), Y.reshape(-1)))[None, :])
    x, y = both[0, : X.numel()], both[0, X.numel() :]
    left = _padded(x.view(X.shape).transpose(-1, -2), inner, _up(rows, TALL))
    right = _padded(y.view(Y.shape), inner, _up(columns, WIDE))
    out = torch.zeros(len(left), left.shape[-1], right.shape[-1], dtype=torch.float32, device=X.device)
    _grow(out, left, right, inner)
    return as_given(out[:, :rows, :columns].reshape(*X.shape[:-2], rows, columns), values, X)


def as_floats(matrix: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return the numbers as floats in the same order, and the numbers by rank where they had to become ranks.

    Zero stays zero, which is what pads a matrix and what no path is worth.
    """
    given = matrix.detach()
    if given.dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int16, torch.uint8, torch.int8):
        return given.float(), None
    values, rank = torch.unique(given, sorted=True, return_inverse=True)
    if len(values) >= MOST_RANKS - NORMAL:
        raise ValueError(f"at most {MOST_RANKS - NORMAL:,} different strengths can be ranked; got {len(values):,}")
    bits = (rank.to(torch.int32) + NORMAL).masked_fill_(given == 0, 0)
    return bits.view(torch.float32), values


def as_given(floats: Tensor, values: Tensor | None, like: Tensor) -> Tensor:
    """Return what `as_floats` took, of the kind it was."""
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
    """A copy, contiguous, with one leading dimension, padded with zeros."""
    flat = matrix.reshape(-1, *matrix.shape[-2:])
    whole = torch.zeros(len(flat), rows, columns, dtype=torch.float32, device=matrix.device)
    whole[:, : flat.shape[-2], : flat.shape[-1]] = flat
    return whole


@cache
def _kernels() -> Any:
    from beatpath.methods.differentiable import triton_paths

    return triton_paths
