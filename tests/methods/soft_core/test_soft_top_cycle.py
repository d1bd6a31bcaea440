"""Top Cycle scores: the soft minimum of what an agent reaches."""

import numpy as np

from beatpath.methods.soft_core.operators import soft_top_cycle


def test_cold_scores_are_the_row_minima():
    R = np.random.default_rng(0).random((5, 5))
    others = R[~np.eye(5, dtype=bool)].reshape(5, 4)
    np.testing.assert_allclose(soft_top_cycle(R, 1e-4), others.min(axis=1), atol=1e-3)
