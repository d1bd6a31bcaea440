"""The games that evaluation data make."""

import numpy as np

from beatpath import Pairs, Scores
from beatpath.methods.game.payoffs import _support_by_name, against_agents, against_tasks
from beatpath.methods.profile import profile_of


def test_against_agents_a_payoff_is_the_mean_margin_of_a_battle():
    pairs = Pairs(("a", "b", "c"), [0, 1], [1, 2], [[3, 1, 0, 0], [1, 1, 2, 0]])
    assert against_agents(profile_of(pairs)).matrix.tolist() == [[0, 0.5, 0], [-0.5, 0, 0], [0, 0, 0]]


def test_against_tasks_every_task_runs_from_nothing_to_one():
    scores = Scores.from_table([[1.0, 7.0, 2.0], [3.0, 7.0, 6.0], [2.0, 7.0, 3.0]], ["a", "b", "c"], ["x", "flat", "y"])
    made = against_tasks(profile_of(scores))
    assert made.tasks == ("x", "y")
    np.testing.assert_allclose(made.matrix, [[0, 0], [1, 1], [0.5, 0.25]])
    assert made.remarks == ("1 task on which all agents score the same left out",)


def test_support_is_listed_by_probability_and_ties_as_given():
    shares = _support_by_name(("a", "b", "c", "d", "e"), np.array([0.1, 0.4, 0.0, 0.1, 0.4]))
    assert list(shares.items()) == [("b", 0.4), ("e", 0.4), ("a", 0.1), ("d", 0.1)]
