"""Row minima of the widest paths, without the closure."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beatpath.methods.graph.paths import widest_paths, widest_reach


@given(st.integers(2, 9), st.integers(0, 10_000))
def test_scores_are_the_row_minima_of_the_closure(n, seed):
    D = np.random.default_rng(seed).integers(0, 5, (n, n)) / 4.0
    np.fill_diagonal(D, 0.0)
    closure = widest_paths(D)
    closure[np.diag_indices(n)] = np.inf
    np.testing.assert_array_equal(widest_reach(D), closure.min(axis=1))
