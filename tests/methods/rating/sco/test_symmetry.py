"""Agents that the data cannot tell apart."""

import numpy as np
import pytest

from beatpath.methods.rating.sco.losses import Cells, classes_of


def test_agents_that_a_symmetry_exchanges_share_a_class():
    cycle = np.array([[0, 2, 0, 5], [0, 0, 2, 5], [2, 0, 0, 5], [0, 0, 0, 0]])
    assert classes_of(Cells.from_wins(cycle)).label.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_renaming_agents_renames_their_classes(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 3, (6, 6)).astype(float)
    np.fill_diagonal(wins, 0.0)
    order = rng.permutation(6)
    one, other = (classes_of(Cells.from_wins(w)).label for w in (wins, wins[np.ix_(order, order)]))
    same = one[order][:, None] == one[order]
    np.testing.assert_array_equal(same, other[:, None] == other)
