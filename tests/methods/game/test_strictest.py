"""The strictest mixture: by another computation, row by row, and in cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from beatpath.methods.game.payoffs import strictest_gains


def by_hand(gain):
    """Settle a row at the bound only if no mixture that keeps the bound lets it gain less."""
    k, n = gain.shape
    settled = np.full(k, np.inf)
    while np.isinf(settled).any():
        free = np.isinf(settled)
        rows = np.column_stack([gain, -free.astype(float)])
        limit = np.where(free, 0.0, settled + 1e-9)
        one = [[*np.ones(n), 0.0]]
        bounds = [(0, None)] * n + [(None, None)]
        bound = linprog([*np.zeros(n), 1.0], A_ub=rows, b_ub=limit, A_eq=one, b_eq=[1], bounds=bounds).fun
        upper = np.where(free, bound + 1e-9, settled + 1e-9)
        for row in np.flatnonzero(free):
            least = linprog(gain[row], A_ub=gain, b_ub=upper, A_eq=[np.ones(n)], b_eq=[1], bounds=[(0, None)] * n).fun
            if least > bound - 1e-6:
                settled[row] = bound
    return settled


matrices = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-3, 3), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


@settings(max_examples=60, deadline=None)
@given(matrices)
def test_gains_are_those_that_settling_row_by_row_gives(rows):
    gain = np.array(rows, dtype=float)
    np.testing.assert_allclose(strictest_gains(gain), by_hand(gain), atol=1e-6)


def test_a_stone_among_rock_paper_and_scissors_can_be_held_to_one():
    A = np.array([[0, -1, 1, 1], [1, 0, -1, 1], [-1, 1, 0, 1], [-1, -1, -1, 0]], dtype=float)
    assert strictest_gains(A).tolist() == pytest.approx([0, 0, 0, -1], abs=1e-7)


def test_nothing_to_gain_is_nothing():
    assert strictest_gains(np.zeros((3, 2))).tolist() == [0, 0, 0]
