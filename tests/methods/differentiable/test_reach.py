"""The operators of reach on tensors, against those on arrays."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from beatpath.methods.differentiable import reach
from beatpath.methods.soft_core import soft_reach as plain


def strengths(seed=0, n=5):
    D = np.random.default_rng(seed).random((n, n))
    np.fill_diagonal(D, 0.0)
    return D


@pytest.mark.parametrize("how", ["max-min", "smooth", "noisy-or"])
def test_tensors_and_arrays_agree(how):
    D = strengths()
    found = reach.reachability(torch.tensor(D), reach=how, gamma=0.2, max_length=3).numpy()
    np.testing.assert_allclose(found, plain.reachability(D, reach=how, gamma=0.2, max_length=3), atol=1e-6)
