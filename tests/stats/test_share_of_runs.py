"""The share of runs in the variance of scores."""

import numpy as np
import pytest

from beatpath.stats.design_effect import share_of_runs


def flat(x):
    agent, task, _ = np.indices(x.shape).reshape(3, -1)
    return agent, task, x.ravel(), x.shape[1]


def test_planted_variances_are_recovered():
    rng = np.random.default_rng(0)
    x = 2.0 * rng.normal(size=(40, 300, 1)) + rng.normal(size=(40, 300, 4))
    assert share_of_runs(*flat(x)).mean() == pytest.approx(1 / 5, abs=0.01)


def test_the_unit_of_a_task_does_not_matter():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(4, 6, 3)) + rng.normal(size=(4, 6, 1))
    assert share_of_runs(*flat(x)) == pytest.approx(share_of_runs(*flat(7.0 + 1000.0 * x)))


def test_runs_that_agree_are_no_luck_and_agents_that_agree_are_nothing_else():
    assert share_of_runs(*flat(np.array([[[1.0, 1.0]], [[2.0, 2.0]]]))) == pytest.approx([0.0])
    assert share_of_runs(*flat(np.array([[[1.0, 2.0]], [[1.0, 2.0]]]))) == pytest.approx([1.0])


def test_uneven_numbers_of_runs_follow_the_textbook():
    value, agent = np.array([1.0, 2.0, 4.0, 9.0, 7.0]), np.array([0, 0, 0, 1, 1])
    within = (14 / 3 + 2.0) / 3
    between = 3 * (7 / 3 - 23 / 5) ** 2 + 2 * (8 - 23 / 5) ** 2
    n0 = 5 - 13 / 5
    assert share_of_runs(agent, np.zeros(5, int), value, 1)[0] == pytest.approx(
        within / (within + (between - within) / n0)
    )


def test_where_nothing_can_be_estimated_nothing_is_reported():
    one = np.array([0, 1])
    assert np.isnan(share_of_runs(one, np.zeros(2, int), np.array([1.0, 2.0]), 1)).all()
    assert np.isnan(share_of_runs(*flat(np.ones((1, 1, 5))))).all()
    assert np.isnan(share_of_runs(*flat(np.ones((2, 1, 5))))).all()
