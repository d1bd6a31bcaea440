"""Branch and cut, and its first bound, against all orders."""

import numpy as np
from hypothesis import given, settings

from beatpath.methods.kemeny.search import by_cuts, cycle_packing
from helpers.game_cases import cheapest, games


@settings(max_examples=15, deadline=None)
@given(games(max_agents=5))
def test_the_search_proves_the_optimum_and_the_packing_bounds_it(M):
    M = np.asarray(M, dtype=float)
    least, orders = cheapest(M)
    part = by_cuts(M, tol=0.25, unit=1.0)
    assert part.cost == part.bound == least
    assert tuple(part.order.tolist()) in orders
    assert cycle_packing(M, np.arange(len(M)))[0] <= least
