"""The Triton kernels.

Kernels of strongest paths: matrices are padded with zeros to whole tiles, and one program has one tile. Kernels of
sums over intermediate agents: a program has a tile of the result and goes over all of them once.
"""
# mypy: ignore-errors

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["block"])
def close_block(path, size, block, B: tl.constexpr):
    """Close the square of one block of agents in registers."""
    at = tl.arange(0, B)
    own = path + tl.program_id(0).to(tl.int64) * size * size
    cell = own + (block * B + at).to(tl.int64)[:, None] * size + (block * B + at)[None, :]
    tile = tl.load(cell)
    for via in range(B):
        row = tl.max(tl.where(at[:, None] == via, tile, 0.0), axis=0)
        column = tl.max(tl.where(at[None, :] == via, tile, 0.0), axis=1)
        tile = tl.maximum(tile, tl.minimum(column[:, None], row[None, :]))
    tl.store(cell, tile)


@triton.jit(do_not_specialize=["block"])
def extend_panels(path, rows, columns, size, block, B: tl.constexpr):
    """Extend the rows, or the columns, of a block through its closed square; `columns` is stored transposed."""
    at = tl.arange(0, B)
    batch = tl.program_id(2).to(tl.int64)
    own = path + batch * size * size
    inner = (block * B + at).to(tl.int64)
    outer = tl.program_id(0) * B + at
    square = own + (block * B).to(tl.int64) * size + block * B
    if tl.program_id(1) == 0:
        cell = own + inner[:, None] * size + outer[None, :]
        tile = tl.load(cell)
        first = own + (block * B).to(tl.int64) * size
        for via in range(B):
            x = tl.load(square + at.to(tl.int64) * size + via)
            y = tl.load(first + via * size + outer)
            tile = tl.maximum(tile, tl.minimum(x[:, None], y[None, :]))
        tl.store(rows + batch * B * size + at[:, None] * size + outer[None, :], tile)
    else:
        cell = own + outer.to(tl.int64)[:, None] * size + inner[None, :]
        tile = tl.load(cell)
        for via in range(B):
            x = tl.load(own + outer.to(tl.int64) * size + block * B + via)
            y = tl.load(square + via * size + at)
            tile = tl.maximum(tile, tl.minimum(x[:, None], y[None, :]))
        tl.store(columns + batch * B * size + at[None, :] * size + outer[:, None], tile)


@triton.jit
def grow(out, left, right, rows, columns, inner, depth, M: tl.constexpr, N: tl.constexpr):
    """Make a tile of `out` the maximum of itself and the max-min product of `left`, transposed, and `right`."""
    batch = tl.program_id(2).to(tl.int64)
    across = columns // N
    i = tl.program_id(0) // across * M + tl.arange(0, M)
    j = tl.program_id(0) % across * N + tl.arange(0, N)
    cell = out + batch * rows * columns + i.to(tl.int64)[:, None] * columns + j[None, :]
    x_at = left + batch * depth * rows + i
    y_at = right + batch * depth * columns + j
    tile = tl.load(cell)
    for _ in range(inner):
        tile = tl.maximum(tile, tl.minimum(tl.load(x_at)[:, None], tl.load(y_at)[None, :]))
        x_at += rows
        y_at += columns
    tl.store(cell, tile)


@triton.jit
def exp_sums(out, left, right, rows, columns, inner, scale, T: tl.constexpr):
    """Sum 2 to the power of ``scale * left * right``."""
    cell, whole, x_at, y_at, i_in, j_in = _tile(left, right, rows, columns, inner, T)
    total = tl.zeros((T, T), dtype=tl.float32)
    for start in range(0, inner, 64):
        # sums of sums, so that rounding grows with the square root of their number
        some = tl.zeros((T, T), dtype=tl.float32)
        for _ in range(start, min(start + 64, inner)):
            x = tl.load(x_at, mask=i_in, other=0.0) * scale
            y = tl.load(y_at, mask=j_in, other=0.0)
            some += tl.exp2(x[:, None] * y[None, :])
            x_at += rows
            y_at += columns
        total += some
    tl.store(out + cell, total, mask=whole)


@triton.jit
def reciprocal_sums(out, left, right, rows, columns, inner, scale, T: tl.constexpr):
    """Sum ``1 / (left + right)``."""
    cell, whole, x_at, y_at, i_in, j_in = _tile(left, right, rows, columns, inner, T)
    total = tl.zeros((T, T), dtype=out.dtype.element_ty)
    for start in range(0, inner, 64):
        some = tl.zeros((T, T), dtype=out.dtype.element_ty)
        for _ in range(start, min(start + 64, inner)):
            x = tl.load(x_at, mask=i_in, other=1.0)
            y = tl.load(y_at, mask=j_in, other=1.0)
            some += _reciprocal(x[:, None] + y[None, :])
            x_at += rows
            y_at += columns
        total += some
    tl.store(out + cell, total * scale, mask=whole)


@triton.jit
def complement_products(out, left, right, rows, columns, inner, scale, T: tl.constexpr):
    """Multiply all ``1 - left * right``."""
    cell, whole, x_at, y_at, i_in, j_in = _tile(left, right, rows, columns, inner, T)
    product = tl.full((T, T), 1.0, dtype=out.dtype.element_ty)
    for _ in range(inner):
        x = tl.load(x_at, mask=i_in, other=0.0)
        y = tl.load(y_at, mask=j_in, other=0.0)
        product *= 1.0 - x[:, None] * y[None, :]
        x_at += rows
        y_at += columns
    tl.store(out + cell, product * scale, mask=whole)


@triton.jit
def exp_slopes(out, given_slope, weight, other, rows, columns, inner, scale, T: tl.constexpr):
    """Sum ``weight * other * 2 ** (scale * given * other)``: the gradient of all sums in an entry of `given_slope`."""
    cell, whole, w_at, y_at, i_in, j_in = _tile(weight, other, rows, columns, inner, T)
    x = tl.load(given_slope + cell, mask=whole, other=0.0) * scale
    total = tl.zeros((T, T), dtype=tl.float32)
    for start in range(0, inner, 64):
        some = tl.zeros((T, T), dtype=tl.float32)
        for _ in range(start, min(start + 64, inner)):
            w = tl.load(w_at, mask=i_in, other=0.0)
            y = tl.load(y_at, mask=j_in, other=0.0)
            some += (w[:, None] * y[None, :]) * tl.exp2(x * y[None, :])
            w_at += rows
            y_at += columns
        total += some
    tl.store(out + cell, total, mask=whole)


@triton.jit
def _tile(left, right, rows, columns, inner, T: tl.constexpr):
    """The position of this program's tile in the result, and its first entries in `left` and `right`."""
    batch = tl.program_id(2).to(tl.int64)
    across = tl.cdiv(columns, T)
    i = tl.program_id(0) // across * T + tl.arange(0, T)
    j = tl.program_id(0) % across * T + tl.arange(0, T)
    i_in = i < rows
    j_in = j < columns
    cell = batch * rows * columns + i.to(tl.int64)[:, None] * columns + j[None, :]
    whole = i_in[:, None] & j_in[None, :]
    return cell, whole, left + batch * inner * rows + i, right + batch * inner * columns + j, i_in, j_in


@triton.jit
def _reciprocal(x):
    if x.dtype == tl.float64:
        value = 1.0 / x
    else:
        fast: tl.constexpr = "rcp.approx.ftz.f32 $0, $1;"
        value = tl.inline_asm_elementwise(fast, "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    return value
