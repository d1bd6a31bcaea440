"""Edges of the estimate: components apart, signs that belong together."""

import numpy as np

from beatpath import Pairs
from beatpath.inference.core.estimated_edges import estimated_edges
from beatpath.inference.matrix.win_matrix import win_matrix


def test_pairs_across_components_are_even_and_not_compared():
    pairs = Pairs(tuple("uvwx"), [0, 2], [1, 3], [[9, 1, 0, 0], [8, 2, 0, 0]])
    made = estimated_edges(win_matrix(pairs))
    assert (made.edges.probability[:2, 2:] == 0.5).all()
    assert (made.margins.matrix[:2, 2:] == 0).all()
    assert not made.margins.played[:2, 2:].any()
    assert not made.resolved[:2, 2:].any()


def test_both_ways_round_say_the_same():
    rng = np.random.default_rng(0)
    a, b = np.triu_indices(7, 1)
    won = rng.binomial(30, rng.uniform(0.2, 0.8, len(a)))
    made = estimated_edges(
        win_matrix(Pairs(tuple("abcdefg"), a, b, np.column_stack([won, 30 - won, 0 * won, 0 * won])))
    )
    P = made.edges.probability
    np.testing.assert_allclose(P + P.T, 1.0)
    assert (made.resolved == made.resolved.T).all()
    assert ((P > 0.5) == (made.margins.matrix > 0)).all()
    assert (np.abs(P - 0.5)[made.resolved] > 0.4).all()
