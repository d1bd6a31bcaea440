"""The games that evaluation data make."""

import numpy as np

from beatpath import Pairs, Scores
from beatpath.methods.game.payoffs import against_agents, against_tasks
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
