"""The operators of strongest_path on tensors, against those on arrays."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from beatpath.methods.differentiable import strongest_path
from beatpath.methods.graph import paths as plain


def strengths(seed=0, n=5):
    D = np.random.default_rng(seed).random((n, n))
    np.fill_diagonal(D, 0.0)
    return D


def test_tensors_and_arrays_agree_on_paths_and_walks():
    D = strengths(n=7)
    found = strongest_path.widest_paths(torch.tensor(D)).numpy()
    np.fill_diagonal(found, 0.0)
    np.testing.assert_allclose(found, plain.widest_paths(D))
    np.testing.assert_allclose(strongest_path.strongest_path(torch.tensor(D), 2).numpy(), plain.widest_walks(D, 2))
