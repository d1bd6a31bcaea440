"""Edges of the compared pairs."""

import numpy as np

from beatpath import Pairs
from beatpath.methods.soft_core.edges import edges_from_pairs
from beatpath.methods.soft_core.sparse import pruned, sparse_edges

PAIRS = Pairs(
    ("a", "b", "c", "d"), [0, 1, 0, 2], [1, 2, 2, 3], [[9, 1, 0, 0], [7, 2, 0, 0], [2, 6, 0, 0], [3, 1, 0, 0]]
)


def test_edges_are_those_of_the_dense_table():
    edges = sparse_edges(PAIRS)
    dense = edges_from_pairs(PAIRS, edges="posterior").strength(0.05)
    np.testing.assert_allclose(edges.strength, dense[edges.start, edges.end], atol=1e-12)


def test_pruning_keeps_the_strongest_and_says_how_many_went():
    edges = sparse_edges(PAIRS)
    fewer = pruned(edges, least=0.5)
    assert set(fewer.strength) == {x for x in edges.strength if x >= 0.5}
    assert fewer.conventions[-1].affected == len(edges.strength) - len(fewer.strength)
