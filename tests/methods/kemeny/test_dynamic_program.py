"""Optimal orders of few agents, against all orders."""

from itertools import permutations

import numpy as np
from hypothesis import given, settings

from beatpath.methods.kemeny.orders import by_subsets
from helpers.game_cases import cheapest, games


@settings(max_examples=30, deadline=None)
@given(games(max_agents=5))
def test_all_optimal_orders_are_listed(M):
    M = np.asarray(M, dtype=float)
    least, orders = cheapest(M)
    part = by_subsets(M, tol=0.25, optima=200)
    assert part.cost == least
    assert {tuple(order.tolist()) for order in part.optima} == orders
    for a, b in permutations(range(len(M)), 2):
        assert part.sure[a, b] == all(order.index(a) < order.index(b) for order in orders)
