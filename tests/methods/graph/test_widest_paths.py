"""Widest paths against all paths listed."""

from itertools import pairwise, permutations

import numpy as np
from hypothesis import given, settings

from beatpath.methods.graph.paths import widest_paths, widest_walks
from helpers.game_cases import games


def widest_by_definition(strength):
    """The strongest of all paths without a repeat, by listing them."""
    n = len(strength)
    best = np.zeros((n, n))
    for length in range(2, n + 1):
        for path in permutations(range(n), length):
            weakest = min(strength[a, b] for a, b in pairwise(path))
            best[path[0], path[-1]] = max(best[path[0], path[-1]], weakest)
    return best


@settings(max_examples=30, deadline=None)
@given(games(max_agents=5))
def test_the_path_is_the_strongest_of_all(M):
    strength = np.maximum(np.asarray(M, dtype=float), 0.0)
    np.testing.assert_array_equal(widest_paths(strength), widest_by_definition(strength))


@settings(max_examples=30, deadline=None)
@given(games(max_agents=5))
def test_walks_long_enough_are_paths(M):
    strength = np.maximum(np.asarray(M, dtype=float), 0.0)
    np.testing.assert_array_equal(widest_walks(strength, len(strength)), widest_paths(strength))
