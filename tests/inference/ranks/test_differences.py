"""Differences of scores: which can be judged, and Student's tails on the scale of Gauss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from beatpath.inference.ranks.differences import estimable, gaussian_equivalent, t_critical
from helpers.plain_boards import board_of


def test_a_difference_without_a_usable_variance_is_left_out():
    V = np.eye(5)
    V[0, 1] = V[1, 0] = 1.0  # the same error: no variance
    V[2, 3] = V[3, 2] = 1.5  # more than two-way clustering should leave: a negative variance
    board = board_of([1, 2, 3, 4, np.nan], V)
    used = estimable(board)
    assert not used[0, 1]
    assert not used[2, 3]
    assert not used[4].any()
    assert used[0, 2]
    assert used[1, 3]
    np.testing.assert_array_equal(used, used.T)


@pytest.mark.parametrize(("gap", "expected"), [(1e-9, True), (2.25e-12, True), (1.75e-12, False), (1e-13, False)])
def test_a_variance_must_exceed_rounding(gap, expected):
    assert estimable(board_of([0.1, 0.2], np.array([[1.0, 1.0 - gap], [1.0 - gap, 1.0]])))[0, 1] == expected


def test_a_variance_below_the_rounding_of_the_scores_is_left_out():
    assert not estimable(board_of([1e9, 1e9 + 1e-7], 1e-8 * np.eye(2)))[0, 1]


@given(st.floats(-30, 30), st.floats(1, 1e4))
def test_student_and_gauss_have_the_same_tail(t, df):
    z = float(gaussian_equivalent(t, df))
    assert np.log(stats.norm.sf(abs(z))) == pytest.approx(np.log(stats.t.sf(abs(t), df)), rel=1e-6, abs=1e-9)
    assert z * t >= 0


@given(st.floats(0.1, 6), st.floats(1, 1e4))
def test_own_critical_values_say_the_same_as_equivalents(c, df):
    assert float(gaussian_equivalent(t_critical(c, df), df)) == pytest.approx(c, rel=1e-8)


def test_known_covariances_need_no_thicker_tails():
    assert t_critical(3.0, np.inf) == 3.0
    assert gaussian_equivalent(-3.0, np.inf) == -3.0
