"""Products of exponentials, against the definition."""

import numpy as np
import pytest

from beatpath.methods.soft_core.operators import log_sum_exp_products


@pytest.mark.parametrize("gamma", [0.05, 0.3, 2.0])
def test_log_sums_of_exponentials_are_those_of_the_definition(gamma):
    rng = np.random.default_rng(0)
    X, Y = rng.random((5, 4)), rng.random((6, 4))
    by_definition = np.log(np.exp(X[:, None] * Y[None] / gamma).sum(axis=2))
    np.testing.assert_allclose(log_sum_exp_products(X, Y, gamma, error=1e-9), by_definition, atol=1e-7)
