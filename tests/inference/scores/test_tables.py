"""Score tables as win rates and means: items within tasks, few tasks, holes."""

import numpy as np
import pytest
from scipy.stats import t

import beatpath as bp
from beatpath.inference.matrix.cluster_sums import of_differences
from beatpath.inference.scores.interaction import unseen
from beatpath.inference.scores.mean_scores import additive_means, mean_scores
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
    win_rates = win_rate_inference(items(value), per="item", cluster=cluster)
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        won = (value[i, :, 0] > value[j, :, 0]).astype(float)
        left_out = np.array([won.mean() - np.delete(won, t).mean() for t in range(12)])
        assert win_rates.stderr[k] == pytest.approx(np.sqrt((left_out**2).sum()), rel=0.02)
    assert win_rates.settings["cluster"] == ["task"]
    assert win_rates.clusterings[0].n_clusters == 12


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
    scores = bp.Scores.from_table(np.random.default_rng(8).normal(size=(3, 6)), list("xyz"), list("mnopqr"))
    subject = bp.Factor.of(["one", "two", "three"] * 6)
    with_subject = bp.Scores(scores.agents, scores.agent, scores.value, {**scores.factors, "subject": subject})
    assert win_rate_inference(with_subject, cluster="subject").clusterings[0].n_clusters == 3


@pytest.mark.parametrize(("tasks", "holes"), [(5, 0.0), (8, 0.0), (8, 0.3), (12, 0.4)])
def test_few_tasks_put_equal_agents_in_order_no_more_often_than_the_level(tasks, holes):
    boards = 120
    wrong = [
        bp.resolve(scores, estimand="mean_win_rate", draws=2000).ranks.above.any()
        for scores in tables(np.random.default_rng(9), 10, tasks, holes, boards)
    ]
    assert np.mean(wrong) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / boards)


def test_degrees_of_freedom_of_win_rates_are_fewer_than_tasks():
    for scores in tables(
        np.random.default_rng(10), 10, 5, 0.0, 5
    ):  # the pseudo-count of unanimous pairs is no sixth task
        made = bp.win_matrix(scores).estimate
        assert made.rates.degrees(made._maps).max() <= 4.0 + 1e-4


def test_a_single_task_is_no_cluster():
    with pytest.raises(bp.UsageError, match="at least two tasks"):
        mean_scores(items(np.random.default_rng(1).normal(size=(3, 1, 8))), cluster="task")


def test_items_within_tasks_have_the_variance_of_means_over_tasks():
    value = np.random.default_rng(11).normal(size=(3, 6, 2))  # two items a task: T / (T - 1) of items would add a tenth
    board = mean_scores(items(value), bp.Conventions(per="item"))
    gap = (value[0] - value[1]).mean(axis=1)
    assert board.variance_of_differences[0, 1] == pytest.approx(gap.var(ddof=1) / 6)


def blocks(rng, tau=0.0, home=0.0):
    """12 agents on 10 vision tasks, 25 others on 40 text tasks, 5 on both; agents better at one kind by `tau`, at their own by `home`."""
    strength, kind = rng.normal(0, 8, 42), np.repeat([0, 1], [10, 40])
    better = rng.normal(0, tau, (42, 2)) + np.pad(np.diag([home, home]).repeat([12, 25], axis=0), ((0, 5), (0, 0)))
    table = strength[:, None] + rng.normal(50, 8, 50) + better[:, kind] + rng.normal(0, 3, (42, 50))
    table[:12, 10:], table[12:37, :10] = np.nan, np.nan
    names = [f"{k}{i:02d}" for k, number in (("vision", 12), ("text", 25), ("both", 5)) for i in range(number)]
    scores = bp.Scores.from_table(table, names, [f"t{t:02d}" for t in range(50)])
    return scores, strength + better @ [0.2, 0.8], table


@pytest.mark.parametrize("home", [0.0, 30.0])
def test_no_order_is_certain_of_agents_that_share_no_task(home):
    scores, _, table = blocks(np.random.default_rng(12), home=home)
    resolution = bp.resolve(scores, draws=2000)
    assert not (resolution.ranks.above | resolution.ranks.above.T)[:12, 12:37].any()
    assert resolution.ranks.above[:12, :12].any() or home  # others are
    assert np.nanmin(table) <= resolution.ranks.score.min() <= resolution.ranks.score.max() <= np.nanmax(table)
    assert not resolution.test("vision00 > text24").supported
    assert any("300 of 861 pairs of agents share no task" in note for note in resolution.ranks.notes)


@pytest.mark.parametrize("tau", [0.0, 2.0, 5.0])
def test_kinds_of_tasks_that_agents_lack_widen_differences_as_far_as_agents_differ_by_kind(tau):
    rng, inside = np.random.default_rng(13), []
    for _ in range(40):
        scores, truth, _ = blocks(rng, tau)
        board = mean_scores(scores)
        i, j = np.nonzero(np.triu(board.df > 0, 1))
        off = np.abs(board.differences - (truth[:, None] - truth[None, :]))[i, j]
        inside.append(np.mean(off <= t.ppf(0.975, board.df[i, j]) * np.sqrt(board.variance_of_differences[i, j])))
    assert 0.93 <= np.mean(inside) <= 0.985  # 0.95, 0.78 and 0.51 with errors of tasks alone


def test_what_linking_agents_do_not_show_cancels_between_agents_on_the_same_tasks():
    """Three agents link two kinds of tasks, and are better at one by 6, -6 and 0; others lack the second kind, or the first."""
    held = np.array([[1, 1, 1, 1]] * 3 + [[1, 1, 0, 0]] * 3 + [[0, 0, 1, 1]], dtype=bool)
    left = np.zeros((7, 4))
    left[0], left[1] = [3.0, 3.0, -3.0, -3.0], [-3.0, -3.0, 3.0, 3.0]
    strength = np.array([1.0, -1.0, 0.0, 40.0, 40.0, 70.0, 40.0])
    missing = unseen(held, left, np.full(4, 0.25), strength)
    joint = np.diag(missing.variance) + missing.between
    cell = (left**2).sum() / (held.sum() - 10)  # the variance of a cell, and of the difference of means of two each
    own = (36 - cell) / 4  # the variance between linking agents less noise, for half of the tasks
    assert joint[3, 3] + joint[4, 4] - 2 * joint[3, 4] == pytest.approx(
        2 * own
    )  # equal strengths: nothing else is left
    slope = 36 / 2 / 4  # of the regression on strength, whose sum of squares is 2
    further = np.sqrt((70**2 / 2 - 1 / 3) * 2 * slope) - np.sqrt((40**2 / 2 - 1 / 3) * 2 * slope)
    assert joint[3, 3] + joint[5, 5] - 2 * joint[3, 5] == pytest.approx(2 * own + further**2)
    assert joint[3, 6] == pytest.approx(-joint[3, 4])  # what is lacking on one side is there on the other
    assert (joint[:3] == 0).all()


def test_holes_by_chance_widen_means_little():
    rng, width = np.random.default_rng(14), []
    for scores in tables(rng, 20, 50, 0.4, 20):
        board = mean_scores(scores)
        made = additive_means(scores.table()[0], np.ones(50), np.arange(50))[1]
        i, j = np.triu_indices(20, 1)
        width.append(np.sqrt(board.variance_of_differences / of_differences(made @ made.T))[i, j].mean())
    assert 1.0 <= np.mean(width) < 1.06


def test_a_complete_table_is_compared_as_ever():
    table = np.random.default_rng(15).normal(size=(5, 9))
    board = mean_scores(bp.Scores.from_table(table, list("abcde"), list("qrstuvwxy")))
    assert board.covariance == pytest.approx(np.cov(table) / 9)
    assert board.df == pytest.approx(np.full((5, 5), 8.0))


def test_an_agent_with_one_task_hardly_widens_others():
    table = np.random.default_rng(16).normal(size=(6, 30)) + np.arange(6)[:, None]
    names = list("abcdef"), [f"t{t:02d}" for t in range(30)]
    whole = mean_scores(bp.Scores.from_table(table[:5], names[0][:5], names[1]))
    table[5, 1:] = np.nan
    board = mean_scores(bp.Scores.from_table(table, *names))
    assert board.score[:5] == pytest.approx(whole.score)
    assert board.variance_of_differences[:5, :5] == pytest.approx(whole.variance_of_differences, rel=0.03, abs=1e-9)
    assert board.covariance[5, 5] > 0.5  # a score varies by one
    assert any("1 agent has one task of 30: 'f'" in note for note in board.notes)


@pytest.mark.parametrize("verb", [bp.resolve, bp.compare_methods])
def test_a_direction_that_a_name_suggests_is_reported_where_it_is_not_taken(verb):
    table = np.random.default_rng(17).normal(size=(4, 6))
    scores = bp.Scores.from_table(table, list("abcd"), ["latency", *"vwxyz"])
    warning = "whose name suggests the reverse: `--lower latency` reverses it"
    assert any(
        warning in sentence for sentence in str(verb(scores)).splitlines() + list(getattr(verb(scores), "notes", ()))
    )
    stated = bp.Scores.from_table(table, list("abcd"), ["latency", *"vwxyz"], higher_is_better={"latency": False})
    assert "suggests" not in str(verb(stated)) + " ".join(getattr(verb(stated), "notes", ()))


def test_raw_scores_of_games_are_compared_task_by_task_by_default():
    table = np.random.default_rng(18).normal(size=(5, 4)) * [1, 1, 1, 500]
    resolution = bp.resolve(bp.Scores.from_table(table, list("abcde"), ["pong", "chess", "go", "qbert"]))
    assert resolution.board.settings["estimand"] == "mean_win_rate"
    assert any("`--zero` and `--one`" in note for note in resolution.board.notes)
