"""The operators of cover on tensors, against those on arrays."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from beatpath.methods.differentiable import cover
from beatpath.methods.soft_core import soft_cover as plain


def strengths(seed=0, n=5):
    D = np.random.default_rng(seed).random((n, n))
    np.fill_diagonal(D, 0.0)
    return D


@pytest.mark.parametrize("name", ["soft_violation", "soft_cover", "soft_uncovered_set"])
@pytest.mark.parametrize("gamma", [0.05, 0.5])
def test_tensors_and_arrays_agree(name, gamma):
    D = strengths()
    found = getattr(cover, name)(torch.tensor(D), gamma).numpy()
    np.testing.assert_allclose(found, getattr(plain, name)(D, gamma), atol=1e-6)
