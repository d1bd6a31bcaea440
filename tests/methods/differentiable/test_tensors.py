"""The operators on tensors, against those on arrays."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from beatpath.methods.differentiable import tensors
from beatpath.methods.graph import paths
from beatpath.methods.soft_core import operators


def strengths(seed=0, n=5):
    D = np.random.default_rng(seed).random((n, n))
    np.fill_diagonal(D, 0.0)
    return D


@pytest.mark.parametrize("name", ["soft_violation", "soft_cover", "soft_uncovered_set"])
@pytest.mark.parametrize("gamma", [0.05, 0.5])
def test_covers_agree(name, gamma):
    D, operator = strengths(), getattr(operators, name)
    np.testing.assert_allclose(operator(torch.tensor(D), gamma).numpy(), operator(D, gamma), atol=1e-6)


def test_sums_of_exponentials_agree():
    X, Y = strengths(1), strengths(2)
    computed = operators.log_sum_exp_products(torch.tensor(X), torch.tensor(Y), 0.3, error=1e-9).numpy()
    np.testing.assert_allclose(computed, operators.log_sum_exp_products(X, Y, 0.3, error=1e-9), atol=1e-6)


@pytest.mark.parametrize("how", ["max-min", "smooth", "noisy-or"])
def test_reachability_agrees(how):
    D = strengths()
    computed = operators.reachability(torch.tensor(D), reach=how, gamma=0.2, max_length=3).numpy()
    np.testing.assert_allclose(computed, operators.reachability(D, reach=how, gamma=0.2, max_length=3), atol=1e-6)


def test_paths_and_walks_agree():
    D = strengths(n=7)
    widths = tensors.widest_paths(torch.tensor(D)).numpy()
    np.fill_diagonal(widths, 0.0)
    np.testing.assert_allclose(widths, paths.widest_paths(D))
    np.testing.assert_allclose(tensors.strongest_path(torch.tensor(D), 2).numpy(), paths.widest_walks(D, 2))
