"""Equilibria, against linear programming by scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import linprog

from beatpath.methods.game.zero_sum import equilibrium, symmetric_equilibrium
from helpers.game_cases import games


@settings(max_examples=30, deadline=None)
@given(games(max_agents=5))
def test_no_reply_beats_a_symmetric_equilibrium(M):
    M = np.asarray(M, dtype=float)
    equilibrium = symmetric_equilibrium(M)
    assert (equilibrium.row @ M).min() >= -1e-8 * max(1.0, np.abs(M).max())
    assert equilibrium.row.sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(5))
def test_the_value_is_that_of_the_linear_program(seed):
    A = np.random.default_rng(seed).normal(size=(3, 4))
    cost = np.array([0, 0, 0, -1.0])
    other = linprog(
        cost,
        A_ub=np.column_stack([-A.T, np.ones(4)]),
        b_ub=np.zeros(4),
        A_eq=[[1, 1, 1, 0]],
        b_eq=[1],
        bounds=[(0, None)] * 3 + [(None, None)],
    )
    assert equilibrium(A).value == pytest.approx(-other.fun)
