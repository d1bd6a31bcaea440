"""Evidence of a resample: rows repeated, tasks that stand several times."""

import numpy as np
import pytest

from beatpath import Scores
from beatpath.inference.bootstrap.strategies import resampled_scores
from helpers.resampled import AGENTS, on_resamples, same, some_scores


def test_a_task_taken_twice_stands_under_two_names_that_no_other_has():
    tasks = ["x", "x (copy 2)", "?"]
    scores = Scores.from_table([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], ["ada", "bob"], tasks, higher_is_better={"x": False})
    resampled = resampled_scores(scores, "task", np.array([0, 3, 1]))
    assert len(resampled.tasks) == 4
    assert len(resampled) == 8
    assert sorted(resampled.higher_is_better.values()) == [False] * 3
    assert resampled.table()[0].shape == (2, 4)


@pytest.mark.parametrize("method", ["schulze", "plurality", "borda"])
def test_weights_of_tasks_go_with_the_tasks(method):
    scores = some_scores()
    _, weights, answers = on_resamples(scores, method, {}, weights={"t0": 3.0, "t4": 0.5})
    table, names = scores.table()
    sign = np.array([-1.0 if name == "t1" else 1.0 for name in names])
    for taken, answer in zip(weights, answers, strict=True):
        columns = [(t, k) for t, times in enumerate(taken.tolist()) for k in range(times)]
        built = Scores.from_table((table * sign)[:, [t for t, _ in columns]], AGENTS, [f"{t} {k}" for t, k in columns])
        task_weights = {f"{t} {k}": {0: 3.0, 4: 0.5}.get(t, 1.0) for t, k in columns}
        same(answer, built, method, {}, weights=task_weights)
