"""What an order costs, and the components that can be ordered apart."""

import numpy as np
from hypothesis import given, settings

from beatpath.methods.kemeny.orders import components, reversed_margin
from helpers.game_cases import games


@settings(max_examples=40, deadline=None)
@given(games(max_agents=6))
def test_an_order_costs_the_wins_it_reverses(M):
    M = np.asarray(M, dtype=float)
    expected = sum(max(M[j, i], 0) for i in range(len(M)) for j in range(i + 1, len(M)))
    assert reversed_margin(M, np.arange(len(M))) == expected


@settings(max_examples=40, deadline=None)
@given(games(max_agents=6))
def test_no_win_leads_from_a_later_component_to_an_earlier_one(M):
    M = np.asarray(M, dtype=float)
    parts = components(M)
    for i, early in enumerate(parts):
        for late in parts[i + 1 :]:
            assert not (M[np.ix_(late, early)] > 0).any()
