"""Uncovered Set scores of sparse edges, against the dense operators."""

import numpy as np

from beatpath import Pairs
from beatpath.methods.soft_core.operators import soft_uncovered_set
from beatpath.methods.soft_core.sparse import sparse_edges, sparse_soft_uncovered_set

PAIRS = Pairs(
    ("a", "b", "c", "d"), [0, 1, 0, 2], [1, 2, 2, 3], [[9, 1, 0, 0], [7, 2, 0, 0], [2, 6, 0, 0], [3, 1, 0, 0]]
)


def test_scores_are_those_of_the_dense_table():
    edges = sparse_edges(PAIRS)
    D = np.zeros((4, 4))
    D[edges.start, edges.end] = edges.strength
    np.testing.assert_allclose(sparse_soft_uncovered_set(edges, 0.1), soft_uncovered_set(D, 0.1), atol=1e-7)
