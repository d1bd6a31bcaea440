"""Sets of sparse relations, against the dense ones."""

import numpy as np
from hypothesis import given, settings
from scipy.sparse import csr_array

from beatpath.methods.soft_core.sparse import sparse_top_cycle, sparse_uncovered_set
from beatpath.methods.tournament.solutions import top_cycle, uncovered_set
from helpers.game_cases import games, named


@settings(max_examples=40, deadline=None)
@given(games(max_agents=6, largest=1))
def test_sparse_sets_are_the_dense_sets(M):
    margins = named(np.asarray(M, dtype=float))
    wins = csr_array((margins.matrix > 0).astype(float))
    assert sparse_top_cycle(wins).tolist() == top_cycle(margins).tolist()
    assert sparse_uncovered_set(wins).tolist() == uncovered_set(margins).tolist()
