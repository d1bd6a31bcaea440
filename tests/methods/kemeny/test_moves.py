"""Moves that better an order."""

import itertools

import numpy as np
from hypothesis import given, settings

from beatpath.methods.kemeny.orders import _exchanged, improved, reversed_margin
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


@settings(max_examples=60, deadline=None)
@given(games(max_agents=6))
def test_an_exchange_of_neighboring_blocks_is_the_best_one(M):
    M = np.asarray(M, dtype=float)
    n, order, places = len(M), np.arange(len(M))[::-1], range(len(M) + 1)
    others = [
        np.concatenate([order[:i], order[j:k], order[i:j], order[k:]])
        for i, j, k in itertools.product(places, repeat=3)
        if i < j < k <= n
    ]
    least = min((reversed_margin(M, one) for one in others), default=np.inf)
    exchanged = _exchanged(M, order, 0.25)
    if least < reversed_margin(M, order):
        assert reversed_margin(M, exchanged) == least
    else:
        assert exchanged is None
