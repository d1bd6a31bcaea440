"""Split Cycle, against its definition on every cycle."""

from itertools import pairwise, permutations

import numpy as np
from hypothesis import given, settings

from beatpath.methods.voting.pairwise import split_cycle_defeats
from helpers.game_cases import games


@settings(max_examples=40, deadline=None)
@given(games(max_agents=5))
def test_a_win_falls_where_it_is_among_the_weakest_of_a_cycle(M):
    M = np.asarray(M, dtype=float)
    expected = M > 0
    for size in range(3, len(M) + 1):
        for cycle in permutations(range(len(M)), size):
            steps = list(pairwise([*cycle, cycle[0]]))
            if all(M[a, b] > 0 for a, b in steps):
                weakest = min(M[a, b] for a, b in steps)
                for a, b in steps:
                    if M[a, b] == weakest:
                        expected[a, b] = False
    np.testing.assert_array_equal(split_cycle_defeats(M), expected)
