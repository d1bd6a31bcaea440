"""Circles that a fractional order breaks."""

import numpy as np

from beatpath.methods.kemeny.search import violated_cycles


def test_a_cycle_of_three_is_listed_and_an_order_has_none():
    order = np.triu(np.ones((4, 4)), 1)
    assert not len(violated_cycles(order))
    ring = order.copy()
    ring[0, 2], ring[2, 0] = 0, 1
    assert {frozenset(cycle) for cycle in violated_cycles(ring).tolist()} >= {frozenset((0, 1, 2))}
