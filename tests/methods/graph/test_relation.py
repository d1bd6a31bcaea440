"""The majority relation, sets within sets, and blocks."""

from itertools import combinations, product

import numpy as np
from hypothesis import given, settings

from beatpath.methods.graph.relation import contained, dominance_blocks
from helpers.game_cases import games


@settings(max_examples=40, deadline=None)
@given(games(max_agents=6, largest=1))
def test_blocks_beat_all_later_blocks_and_cannot_be_split(M):
    M = np.asarray(M)
    blocks = dominance_blocks(M)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(M)))
    for i, block in enumerate(blocks):
        for later in blocks[i + 1 :]:
            assert (M[np.ix_(block, later)] > 0).all()
        for size in range(1, len(block)):
            for part in combinations(block.tolist(), size):
                rest = sorted(set(block.tolist()) - set(part))
                assert not (M[np.ix_(part, rest)] > 0).all()


def test_a_row_lies_within_another_as_sets_do():
    rows = np.array(list(product([False, True], repeat=3)))
    within = contained(rows, rows)
    sets = [set(np.flatnonzero(row)) for row in rows]
    assert within.tolist() == [[a <= b for b in sets] for a in sets]
