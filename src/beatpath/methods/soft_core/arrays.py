"""The numpy implementation of what `operators` needs; `beatpath.methods.differentiable.tensors` is that of torch."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from beatpath._arrays import Floats
from beatpath.methods.graph.paths import widest_walks

# A product of two matrices; the functions that differ between the two implementations.
Product = Callable[[Floats, Floats], Floats]

xp = np
sigmoid = expit
strongest_path = widest_walks
TOGETHER = 1 << 16  # triples of agents processed at a time, to stay in the CPU cache
NOTHING = -60.0  # exponent relative to the largest at which a term is lost to rounding; subnormal numbers would be slow


def as_array(values: ArrayLike) -> Floats:
    """Return the values as float64."""
    return np.asarray(values, dtype=np.float64)


def hollow(matrix: Floats) -> Floats:
    """Return the matrices with a zero diagonal."""
    return np.where(np.eye(matrix.shape[-1], dtype=bool), 0.0, matrix)


def scaled_logsumexp(values: Floats, gamma: float, axis: int) -> Floats:
    r"""Return :math:`\gamma \log \sum_i e^{z_i / \gamma}` along an axis."""
    top = values.max(axis=axis, keepdims=True)
    total = np.exp(np.maximum((values - top) / gamma, NOTHING)).sum(axis=axis, keepdims=True)
    return np.squeeze(top + gamma * np.log(total), axis=axis)


def recomputed(work: Product) -> Product:
    """Return the function itself: without gradients nothing is recomputed."""
    return work


def plain_product(plain: Product, X: Floats, Y: Floats) -> Floats:
    """Return the product: there are no kernels."""
    return plain(X, Y)


reciprocal_sums = complement_products = plain_product


def log_sum_exp_products(exact: Product, expanded: Product | None, X: Floats, Y: Floats, gamma: float) -> Floats:
    """Return the sums by their expansion if there is one, otherwise by all exponentials."""
    return (expanded or exact)(X, Y)
