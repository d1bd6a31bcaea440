"""From preference counts to ratings, by either solver."""

import numpy as np
import pytest

from beatpath.methods.rating.sco.losses import Cells, sigmoid_loss, votes_of_two
from beatpath.methods.rating.sco.sco import Settings, by_sigmoid


@pytest.mark.parametrize("seed", range(3))
def test_both_solvers_end_at_the_same_loss(seed):
    wins = np.random.default_rng(seed).integers(0, 6, (3, 3)).astype(float)
    np.fill_diagonal(wins, 0.0)
    cells = Cells.from_wins(wins)
    one, other = (
        by_sigmoid(cells, Settings(solver=solver, temperature=5.0), lambda: votes_of_two(cells))
        for solver in ("anneal", "exact")
    )
    assert sigmoid_loss(one.theta, cells, 5.0) == pytest.approx(sigmoid_loss(other.theta, cells, 5.0), rel=5e-3)
