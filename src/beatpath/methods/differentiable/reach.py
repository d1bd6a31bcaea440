r"""Soft reachability on tensors, in the three forms of `beatpath.methods.soft_core.soft_reach`."""

from collections.abc import Callable, Iterator
from functools import partial
from math import log

import torch
from torch import Tensor

from beatpath.methods.differentiable.gpu_sums import gpu_complement_products, gpu_reciprocal_sums, products_on_gpu
from beatpath.methods.differentiable.operators import by_rows, forward_by, hollow, softmax
from beatpath.methods.differentiable.strongest_path import strongest_path
from beatpath.methods.soft_core.soft_extremum import require_temperature, required_gamma
from beatpath.methods.soft_core.soft_reach import require_reach


def reachability(
    D: Tensor, *, reach: str = "max-min", gamma: float | None = None, max_length: int | None = None
) -> Tensor:
    r"""Return how strongly each agent reaches each other along edges of strength `D`.

    Parameters
    ----------
    D : (..., n, n) float
        Strength of the edge from row to column, in [0, 1], with a diagonal of zeros.
    reach : {"max-min", "smooth", "noisy-or"}
        The form.
    gamma : float, optional
        Temperature of "smooth", above zero.
    max_length : int, optional
        Edges a path may have, K; n - 1 by default, which misses none.

    Returns
    -------
    (..., n, n) float
        In [0, 1], with a diagonal of zeros.

    Examples
    --------
    >>> D = torch.tensor([[0.0, 0.9, 0.1], [0.1, 0.0, 0.8], [0.9, 0.2, 0.0]])
    >>> reachability(D)
    tensor([[0.0000, 0.9000, 0.8000],
            [0.8000, 0.0000, 0.8000],
            [0.9000, 0.9000, 0.0000]])

    Notes
    -----
    Max-min costs one pass, :math:`O(n^3)`, for all lengths, and its gradient :math:`O(n^2 \log n)`. The other two take a
    product a length, :math:`O(K n^3)`; what a product held for its gradient is computed again, so that memory is
    :math:`O(K n^2)`.
    """
    require_reach(reach, max_length)
    longest = max(1, min(max_length or D.shape[-1], D.shape[-1] - 1))
    if reach == "max-min":
        return strongest_path(D, longest)
    if reach == "smooth":
        return smooth_reachability(D, required_gamma(gamma), longest)
    return noisy_or_reachability(D, longest)


def smooth_reachability(D: Tensor, gamma: float, max_length: int) -> Tensor:
    r"""Return the soft maximum over path lengths up to K of smooth max-min products.

    .. math::  R(a, b) = \operatorname{smax}_\gamma \{ Q^{(k)}(a, b) : k \le K \}, \qquad Q^{(1)} = D, \quad
               Q^{(k)} = Q^{(k-1)} \otimes_\gamma D,

    eqs. (9) and (10) of Soft Tournament Equilibrium.

    >>> smooth_reachability(torch.tensor([[0.0, 1.0], [0.0, 0.0]]), 0.1, 1)
    tensor([[0., 1.],
            [0., 0.]])
    """
    require_temperature("gamma", gamma)
    lengths = _tensor_powers(D, max_length, lambda X, Y: smooth_product(X, Y, gamma))
    return hollow(softmax(torch.stack(list(lengths)), gamma, dim=0))


def smooth_product(X: Tensor, Y: Tensor, gamma: float) -> Tensor:
    r"""Return the smooth max-min product.

    .. math::  (X \otimes_\gamma Y)_{ab} = \operatorname{smax}_\gamma \{ \operatorname{smin}_\gamma(X_{ac}, Y_{cb}) : c \},

    eq. (7) of Soft Tournament Equilibrium.

    >>> smooth_product(torch.tensor([[0.2, 0.9]]), torch.tensor([[0.7], [0.8]]), 0.001)
    tensor([[0.8000]])
    """

    def strongest_of_weaker(x: Tensor, y: Tensor) -> Tensor:
        weaker = gamma * (log(2) - torch.logaddexp(-x.unsqueeze(-1) / gamma, -y.unsqueeze(-3) / gamma))
        return softmax(weaker, gamma, dim=-2)

    plain = partial(by_rows, strongest_of_weaker)
    if not products_on_gpu(X, gamma):
        return plain(X, Y)

    def fast(x: Tensor, y: Tensor) -> Tensor:
        total = gpu_reciprocal_sums(torch.exp(-x / gamma), torch.exp(-y / gamma))
        return gamma * torch.log(2 * total / x.shape[-1])

    return forward_by(fast, plain, X, Y)


def noisy_or_reachability(D: Tensor, max_length: int) -> Tensor:
    r"""Return the chance that some path of at most K edges exists, were they independent.

    .. math::  R = 1 - \prod_{k \le K} (1 - Q^{(k)}), \qquad Q^{(1)} = D, \quad
               Q^{(k)}_{ab} = 1 - \prod_c (1 - Q^{(k-1)}_{ac} D_{cb})

    >>> noisy_or_reachability(torch.tensor([[0.0, 0.5], [0.5, 0.0]]), 3)[0]  # 1 - (1 - 0.5) (1 - 0.5^3)
    tensor([0.0000, 0.5625])
    """
    none = torch.ones_like(D)
    for Q in _tensor_powers(D, max_length, noisy_or_product):
        none = none * (1 - Q)
    return hollow(1 - none)


def noisy_or_product(X: Tensor, Y: Tensor) -> Tensor:
    r"""Return :math:`1 - \prod_c (1 - X_{ac} Y_{cb})`, every agent between being one more chance.

    >>> noisy_or_product(torch.tensor([[0.5, 0.5]]), torch.tensor([[1.0], [0.5]]))
    tensor([[0.6250]])
    """
    plain = partial(by_rows, lambda x, y: (1 - x.unsqueeze(-1) * y.unsqueeze(-3)).prod(dim=-2))
    return 1 - (forward_by(gpu_complement_products, plain, X, Y) if products_on_gpu(X) else plain(X, Y))


def _tensor_powers(D: Tensor, max_length: int, product: Callable[[Tensor, Tensor], Tensor]) -> Iterator[Tensor]:
    Q = D
    yield Q
    for _ in range(max_length - 1):
        Q = product(Q, D)
        yield Q
