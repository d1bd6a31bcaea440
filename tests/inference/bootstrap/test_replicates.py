"""Evidence of a resample: rows repeated, tasks that stand several times."""

import numpy as np
import pytest

import beatpath as bp
from beatpath import Scores, rank
from beatpath._errors import DataError
from beatpath.inference.bootstrap.replicates import drawn_scores
from beatpath.inference.bootstrap.strategies import strategy_of_method
from beatpath.methods.profile import profile_of

AGENTS = ("ada", "bob", "cyd", "dan", "eve")


def some_scores(seed=0):
    rng = np.random.default_rng(seed)
    table = rng.integers(6, size=(5, 9)).astype(float)
    table[2, 3] = np.nan
    return Scores.from_table(table, AGENTS, [f"t{i}" for i in range(9)], higher_is_better={"t1": False})


def on_resamples(evidence, method, settings, cluster="auto", draws=4, seed=0, **conventions):
    """The strategy, how often each part was taken, and the answers."""
    strategy, drawn = strategy_of_method(
        profile_of(evidence, bp.Conventions(**conventions)), method, settings, cluster, draws
    )
    weights = drawn.weights(np.random.default_rng(seed), draws)
    return strategy, weights, list(strategy.answers(weights))


def same(answer, evidence, method, settings, **conventions):
    if isinstance(answer, str):
        with pytest.raises(DataError) as error:
            rank(evidence, method, matrix="raw", **conventions, **settings)
        assert str(error.value).startswith(answer)
        return
    found = rank(evidence, method, matrix="raw", **conventions, **settings)
    np.testing.assert_array_equal(answer.level, found.level_of(), err_msg=method)
    np.testing.assert_allclose(answer.score, list(found.scores.values()), atol=1e-6, err_msg=method)


def test_a_task_taken_twice_stands_under_two_names_that_no_other_has():
    tasks = ["x", "x (copy 2)", "?"]
    scores = Scores.from_table([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], ["ada", "bob"], tasks, higher_is_better={"x": False})
    drawn = drawn_scores(scores, "task", np.array([0, 3, 1]))
    assert len(drawn.tasks) == 4
    assert len(drawn) == 8
    assert sorted(drawn.higher_is_better.values()) == [False] * 3
    assert drawn.table()[0].shape == (2, 4)


@pytest.mark.parametrize("method", ["schulze", "plurality", "borda"])
def test_weights_of_tasks_go_with_the_tasks(method):
    scores = some_scores()
    _, weights, answers = on_resamples(scores, method, {}, weights={"t0": 3.0, "t4": 0.5})
    table, names = scores.table()
    sign = np.array([-1.0 if name == "t1" else 1.0 for name in names])
    for taken, answer in zip(weights, answers, strict=True):
        columns = [(t, k) for t, times in enumerate(taken.tolist()) for k in range(times)]
        built = Scores.from_table((table * sign)[:, [t for t, _ in columns]], AGENTS, [f"{t} {k}" for t, k in columns])
        told = {f"{t} {k}": {0: 3.0, 4: 0.5}.get(t, 1.0) for t, k in columns}
        same(answer, built, method, {}, weights=told)
