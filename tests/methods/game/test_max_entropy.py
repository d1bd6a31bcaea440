"""Of all optimal strategies, the one of most entropy."""

import numpy as np

from beatpath.methods.game.zero_sum import max_entropy_strategy, symmetric_equilibrium


def test_equals_get_equal_shares_where_any_mixture_is_optimal():
    M = np.array([[0.0, 0, 1], [0, 0, 1], [-1, -1, 0]])
    np.testing.assert_allclose(symmetric_equilibrium(M).row, [0.5, 0.5, 0])
    one = np.array([1.0, 0.0, 0.0])
    row, row_unique = max_entropy_strategy(M, one, one)
    np.testing.assert_allclose(row, [0.5, 0.5, 0], atol=1e-9)
    assert not row_unique
