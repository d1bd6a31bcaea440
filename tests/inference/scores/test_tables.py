"""Score tables as win rates and means: items within tasks, few tasks, holes."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.scores.mean_scores import mean_scores
from beatpath.inference.win_rates.win_rates import win_rate_inference


def items(value):
    """Scores of (agents, tasks, items)."""
    agent, task, item = np.indices(value.shape)
    columns = {"task": bp.Factor.of(task.ravel()), "item": bp.Factor.of((task * value.shape[2] + item).ravel())}
    return bp.Scores(tuple("abcdefghijkl"[: len(value)]), agent.ravel(), value.ravel(), columns)


def tables(rng, agents, tasks, holes, boards):
    """Tables of equal agents; every agent has two scores or more, and tasks connect all."""
    names = [f"a{i:02d}" for i in range(agents)], [f"t{t:02d}" for t in range(tasks)]
    while boards:
        table = rng.normal(size=(agents, tasks)) + 2 * rng.normal(size=tasks)
        table[rng.random(table.shape) < holes] = np.nan
        table[:2] = np.where(np.isnan(table[:2]), 0.0, table[:2])
        if ((~np.isnan(table)).sum(axis=1) > 1).all():
            boards -= 1
            yield bp.Scores.from_table(table, *names)


@pytest.mark.parametrize("cluster", ["auto", "task"])
def test_items_that_say_the_same_are_worth_one_task(cluster):
    rng = np.random.default_rng(4)
    value = np.repeat(rng.normal(size=(3, 12, 1)), 50, axis=2)  # fifty items of a task that all agree
    found = win_rate_inference(items(value), per="item", cluster=cluster)
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        won = (value[i, :, 0] > value[j, :, 0]).astype(float)
        assert found.stderr[k] == pytest.approx(np.sqrt(won.var(ddof=1) / 12), rel=0.02)
    assert found.settings["cluster"] == ["task"] and found.clusterings[0].n_clusters == 12


def test_items_may_be_taken_as_independent_by_name():
    value = np.random.default_rng(5).normal(size=(3, 12, 5))
    assert win_rate_inference(items(value), per="item", cluster="item").clusterings[0].n_clusters == 60


def test_runs_of_items_belong_to_their_task():
    value = np.random.default_rng(6).normal(size=(3, 4, 5))
    agent, task, item = (np.concatenate([x.ravel()] * 2) for x in np.indices(value.shape))
    columns = {"task": bp.Factor.of(task), "item": bp.Factor.of(task * 5 + item)}
    twice = bp.Scores(("x", "y", "z"), agent, np.random.default_rng(7).normal(size=len(agent)), columns)
    assert win_rate_inference(twice, per="item").settings["cluster"] == ["task"]


def test_a_column_of_tasks_may_be_a_cluster_of_win_rates():
    told = bp.Scores.from_table(np.random.default_rng(8).normal(size=(3, 6)), list("xyz"), list("mnopqr"))
    subject = bp.Factor.of(["one", "two", "three"] * 6)
    with_subject = bp.Scores(told.agents, told.agent, told.value, {**told.factors, "subject": subject})
    assert win_rate_inference(with_subject, cluster="subject").clusterings[0].n_clusters == 3


@pytest.mark.parametrize(("tasks", "holes"), [(5, 0.0), (8, 0.0), (8, 0.3), (12, 0.4)])
def test_few_tasks_put_equal_agents_in_order_as_rarely_as_asked(tasks, holes):
    boards = 120
    wrong = [
        bp.resolve(told, estimand="mean_win_rate", draws=2000).ranks.above.any()
        for told in tables(np.random.default_rng(9), 10, tasks, holes, boards)
    ]
    assert np.mean(wrong) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / boards)


def test_degrees_of_freedom_of_win_rates_are_fewer_than_tasks():
    for told in tables(np.random.default_rng(10), 10, 8, 0.4, 5):
        assert bp.win_matrix(told).leaderboard().df.max() <= 7.0 + 1e-9


def test_a_single_task_is_no_cluster():
    with pytest.raises(bp.UsageError, match="at least two tasks"):
        mean_scores(items(np.random.default_rng(1).normal(size=(3, 1, 8))), cluster="task")
