"""Tie groups and runs, by their definition."""

import numpy as np
from hypothesis import given, settings

from beatpath.inference.ranks.rank_sets import rank_sets
from helpers.boards import ANY

DRAWS = 1_000


@given(ANY)
@settings(max_examples=40)
def test_groups_are_cut_exactly_where_all_above_are_certainly_above_all_below(board):
    ranks = rank_sets(board, draws=DRAWS)
    order = ranks.order
    assert (np.diff(ranks.score[order]) <= 0).all()
    for k in range(1, len(order)):
        cut = ranks.above[np.ix_(order[:k], order[k:])].all()
        assert ranks.group[order[k]] - ranks.group[order[k - 1]] == int(cut)
    assert [name for group in ranks.groups for name in group] == [board.agents[i] for i in order]


@given(ANY)
@settings(max_examples=40)
def test_runs_are_the_longest_stretches_without_a_certain_order(board):
    ranks = rank_sets(board, draws=DRAWS)
    order, k = ranks.order, len(ranks.order)
    stretches = [(i, j) for i in range(k) for j in range(i + 1, k + 1)]
    free = {(i, j) for i, j in stretches if not ranks.above[np.ix_(order[i:j], order[i:j])].any()}
    longest = [(i, j) for i, j in sorted(free) if not {(i - 1, j), (i, j + 1)} & free]
    assert [run.tolist() for run in ranks.unresolved_runs] == [order[i:j].tolist() for i, j in longest]
