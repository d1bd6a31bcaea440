"""The kernels of strongest paths; matrices are padded with zeros to whole tiles, and one program has one tile."""
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
    """Take the rows, or the columns, of a block through its closed square; `columns` is kept transposed."""
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
