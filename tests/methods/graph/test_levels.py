"""Levels from relations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.methods.graph.relation import agreed_levels, unbeaten_layers


def longest_chain(beats, agent):
    return max((1 + longest_chain(beats, b) for b in np.flatnonzero(beats[:, agent])), default=0)


@given(st.integers(1, 7), st.integers(0, 10_000))
def test_a_layer_is_the_longest_chain_of_wins_that_ends_there(n, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    beats = (np.triu(rng.random((n, n)) < 0.5, 1))[np.ix_(order, order)]
    assert unbeaten_layers(beats).tolist() == [longest_chain(beats, a) for a in range(n)]


def test_a_cycle_has_no_layers():
    with pytest.raises(ValueError, match="no cycle"):
        unbeaten_layers(np.array([[0, 1], [1, 0]], dtype=bool))


@given(st.integers(1, 7), st.integers(0, 10_000))
def test_agreed_levels_rank_only_pairs_that_are_above(n, seed):
    rng = np.random.default_rng(seed)
    above = np.triu(rng.random((n, n)) < 0.7, 1)
    for via in range(n):
        above |= above[:, [via]] & above[[via]]
    level = agreed_levels(above)
    assert above[level[:, None] < level].all()
