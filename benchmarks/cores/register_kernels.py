"""Kernels that keep to their registers: how many minima and maxima, exponentials, multiplications a device can do in a second."""

import triton
import triton.language as tl


@triton.jit
def compare(out, steps, SIZE: tl.constexpr):
    """Sixteen a step and element: eight minima, eight maxima, none of which can be left out."""
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.load(out + at)
    for step in range(steps):
        y = step * 1.0
        for k in tl.static_range(8):
            x = tl.minimum(tl.maximum(x, y - k), y + k)
    tl.store(out + at, x)


@triton.jit
def exponentiate(out, steps, SIZE: tl.constexpr):
    """Eight a step and element, each of what the last gave."""
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.load(out + at)
    for _ in range(steps):
        for _k in tl.static_range(8):
            x = tl.exp2(-x)
    tl.store(out + at, x)


@triton.jit
def multiply(out, steps, SIZE: tl.constexpr):
    """Sixteen a step and element: eight that take a product from one, eight of what that gave with the last."""
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    x = tl.load(out + at) + 1.0
    z = x * 1e-6
    for step in range(steps):
        for k in tl.static_range(8):
            x *= 1.0 - z * (step + k)
    tl.store(out + at, x)
