r"""Sums of exponentials of products, :math:`\sum_b e^{x_{ab} y_{cb} / \gamma}`, on tensors.

For temperatures that allow it, by the expansion of `beatpath.methods.soft_core.exp_products`: a few matrix products, each with
two more for its gradient, instead of :math:`n^3` exponentials. Its terms cancel, so that it works in double precision whatever
came. In single precision on a CUDA device all exponentials cost less than that, see `gpu_sums`. Otherwise, and on devices without
double precision, by exponentials, some rows at a time.
"""

from functools import lru_cache

import torch
from torch import Tensor

from beatpath.methods.differentiable.gpu_sums import gpu_log_sum_exp_products, sums_on_gpu
from beatpath.methods.differentiable.operators import by_rows
from beatpath.methods.soft_core.exp_products import FEW, MOST_TERMS, exponential_coefficients

SINGLE_ONLY = ("mps",)  # devices that have no double precision


def log_sum_exp_products(X: Tensor, Y: Tensor, gamma: float, *, error: float) -> Tensor:
    r"""Return :math:`\log \sum_b e^{X_{ab} Y_{cb} / \gamma}` for all rows a of `X` and c of `Y`.

    Parameters
    ----------
    X, Y : (..., n, n) float
        Entries in [0, 1].
    gamma : float
        Temperature, above zero.
    error : float
        Relative error that the sums may have, beside rounding.

    Returns
    -------
    (..., n, n) float
        Row a, column c.

    Examples
    --------
    >>> log_sum_exp_products(torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 1.0]]), 1.0, error=1e-9)  # log(1 + e)
    tensor([[1.3133]])
    """
    if sums_on_gpu(X, gamma) and X.shape[-1] > FEW:
        return gpu_log_sum_exp_products(X, Y, gamma)
    coefficients = expansion(gamma, error) if X.numel() > FEW**2 and X.device.type not in SINGLE_ONLY else None
    if coefficients is None:
        return by_exponentials(X, Y, gamma)
    return by_expansion(X.double(), Y.double(), gamma, coefficients).to(X.dtype)


def by_exponentials(X: Tensor, Y: Tensor, gamma: float) -> Tensor:
    """Take every exponential, some rows at a time."""
    return by_rows(lambda x, y: torch.logsumexp(x.unsqueeze(-2) * y.unsqueeze(-3) / gamma, dim=-1), X, Y)


def by_expansion(X: Tensor, Y: Tensor, gamma: float, coefficients: tuple[float, ...]) -> Tensor:
    r"""Take a matrix product a coefficient.

    With :math:`s = 2x - 1`, :math:`t = 2y - 1` and :math:`B = 1 / 4\gamma`,

    .. math::  e^{xy/\gamma} = e^{(x - 1/2)/2\gamma}\; e^{y/2\gamma}\; e^{B s t}, \qquad e^{B u} \approx \sum_{k < K} c_k u^k.
    """
    left, right = torch.exp((X - 0.5) / (2 * gamma)), torch.exp(Y / (2 * gamma)).transpose(-1, -2)
    s, t = 2 * X - 1, (2 * Y - 1).transpose(-1, -2)
    total = (coefficients[0] * left) @ right
    for c in coefficients[1:]:
        left, right = left * s, right * t
        total = total + (c * left) @ right
    return torch.log(total)


@lru_cache(maxsize=256)
def expansion(gamma: float, error: float) -> tuple[float, ...] | None:
    """Return the fewest coefficients whose error will do, or None where no number will.

    >>> len(expansion(0.05, 1e-7)), expansion(0.001, 1e-7)
    (17, None)
    """
    B = 1 / (4 * gamma)
    for terms in range(max(2, int(0.8 * B) + 1), MOST_TERMS + 1):
        coefficients, made = exponential_coefficients(B, terms)
        if made <= error:
            return coefficients
    return None
