"""Work on all triples of agents, some rows at a time, so that memory stays with the pairs."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

TOGETHER = 1 << 24  # triples held in memory at a time


def by_rows(work: Callable[[Tensor, Tensor], Tensor], X: Tensor, Y: Tensor) -> Tensor:
    """Return ``work(X, Y)``, which turns rows of `X` and the whole of `Y` into as many rows, done in parts.

    A part that needs a gradient is computed again for it instead of being kept.

    Parameters
    ----------
    work : function of (..., k, n) and (..., n, n) to (..., k, n)
        May hold k n^2 numbers for every leading index.
    X, Y : (..., n, n) float

    Examples
    --------
    >>> by_rows(torch.matmul, torch.eye(2), torch.ones(2, 2))
    tensor([[1., 1.],
            [1., 1.]])
    """
    rows = max(1, TOGETHER // max(1, Y.numel()))
    parts = [X[..., start : start + rows, :] for start in range(0, X.shape[-2], rows)]
    return torch.cat([checkpoint(work, x, Y, use_reentrant=False, preserve_rng_state=False) for x in parts], dim=-2)
