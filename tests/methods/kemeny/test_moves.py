"""Moves that better an order."""

import numpy as np
from hypothesis import given, settings

from beatpath.methods.kemeny.orders import improved, reversed_margin
from helpers.game_cases import games


@settings(max_examples=40, deadline=None)
@given(games(max_agents=6))
def test_no_single_move_betters_what_moves_leave(M):
    M = np.asarray(M, dtype=float)
    order = improved(M, np.arange(len(M)), tol=0.25)
    cost = reversed_margin(M, order)
    assert cost <= reversed_margin(M, np.arange(len(M)))
    for i in range(len(M)):
        for j in range(len(M)):
            assert reversed_margin(M, np.insert(np.delete(order, i), j, order[i])) >= cost
