"""The operators of exp_products on tensors, against those on arrays."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from beatpath.methods.differentiable import exp_products
from beatpath.methods.soft_core import exp_products as plain


def strengths(seed=0, n=5):
    D = np.random.default_rng(seed).random((n, n))
    np.fill_diagonal(D, 0.0)
    return D


def test_tensors_and_arrays_agree():
    X, Y = strengths(1), strengths(2)
    found = exp_products.log_sum_exp_products(torch.tensor(X), torch.tensor(Y), 0.3, error=1e-9).numpy()
    np.testing.assert_allclose(found, plain.log_sum_exp_products(X, Y, 0.3, error=1e-9), atol=1e-6)
