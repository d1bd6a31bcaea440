"""Boards of runs: which question an interval answers, and what is reported for it."""

import numpy as np
import pytest
from scipy.stats import t as student

import beatpath as bp
from beatpath.inference.runs.run_board import run_board
from helpers.run_tables import scores_of


def world(seed=0, tasks=12, runs=5, task_spread=1.0):
    rng = np.random.default_rng(seed)
    task = task_spread * rng.normal(size=(1, tasks, 1))
    return scores_of(np.array([0.0, 0.6, 1.2])[:, None, None] + task + 0.4 * rng.normal(size=(3, tasks, runs)))


def test_a_mean_has_the_interval_of_its_textbook():
    scores = world()
    x = scores.value.reshape(3, 12, 5)
    board = run_board(scores, "mean_score", cluster="replicate", draws=40_000)
    variance = x.var(axis=2, ddof=1).sum(axis=1) / 5 / 144
    assert np.diag(board.covariance) == pytest.approx(variance, rel=0.04)
    v = x.var(axis=2, ddof=1) / 5 / 144
    assert np.diag(board.df) == pytest.approx(v.sum(axis=1) ** 2 / (v**2 / 4).sum(axis=1))
    ranks = bp.rank_sets(run_board(scores, "mean_score", cluster="task", draws=40_000))
    means = x.mean(axis=2)
    half = student.ppf(0.975, 11) * means.std(axis=1, ddof=1) / np.sqrt(12)
    assert ranks.high - ranks.score == pytest.approx(half, rel=0.03)


def test_tasks_like_these_are_less_sure_than_these_tasks_and_nested_draws_least():
    scores = world(task_spread=3.0)
    width = {
        cluster: float(np.diag(run_board(scores, "iqm", cluster=cluster).covariance).sum())
        for cluster in ("replicate", "task", ("task", "replicate"))
    }
    assert width["replicate"] < width["task"] < 1.05 * width["task", "replicate"]


def test_resolve_takes_measures_of_runs_and_tests_claims():
    resolution = bp.resolve(world(task_spread=0.0), estimand="iqm")
    assert resolution.test("c > a").supported
    assert not resolution.test("a > c").supported
    assert "interquartile mean" in str(resolution.answer)
    assert "tasks like these" in resolution.board.estimand


def test_the_population_of_the_interval_is_reported():
    scores = world()
    these = bp.resolve(scores, estimand="iqm", cluster="replicate")
    assert "for other runs on these tasks" in these.board.estimand
    assert "this says nothing about other tasks" in str(these.ranks)
    both = bp.resolve(scores, estimand="mean_score", cluster=["task", "replicate"])
    assert "runs resampled within each" in both.board.estimand


def test_the_order_of_agents_changes_nothing():
    scores = world()
    turned = bp.Scores(scores.agents[::-1], 2 - scores.agent, scores.value, scores.factors)
    one, other = run_board(scores, "iqm", cluster="replicate"), run_board(turned, "iqm", cluster="replicate")
    assert one.covariance == pytest.approx(other.covariance[::-1, ::-1])


def test_one_run_a_task_says_nothing_of_these_tasks():
    scores = scores_of(np.random.default_rng(0).normal(size=(3, 6, 1)))
    with pytest.raises(bp.DataError, match="two runs or more"):
        bp.resolve(scores, estimand="iqm", cluster="replicate")
    assert any("one run" in note for note in bp.resolve(scores, estimand="iqm").board.notes)


def test_one_task_allows_inference_about_itself_only():
    scores = scores_of(np.random.default_rng(0).normal(size=(3, 1, 6)))
    assert "these tasks" in bp.leaderboard(scores, estimand="iqm").estimand
    with pytest.raises(bp.DataError, match="there is one"):
        bp.leaderboard(scores, estimand="iqm", cluster="task")


def test_an_unknown_cluster_is_refused():
    with pytest.raises(bp.UsageError, match="must be task"):
        bp.resolve(world(), estimand="iqm", cluster="judge")


def test_an_optimality_gap_needs_a_target():
    with pytest.raises(bp.DataError, match="target is 1"):
        bp.resolve(world(), estimand="optimality_gap")
    x = np.array([[[0.2, 0.4], [0.5, 0.7]], [[0.9, 1.0], [0.8, 0.6]]])
    for wrong in (3.0, -3.0):  # is named, not the 1.0 before it
        with pytest.raises(bp.DataError, match=f"has {wrong:g} on"):
            bp.leaderboard(
                scores_of(np.array([[[1.0, 0.4], [0.0, 0.7]], [[0.9, 1.0], [0.8, wrong]]])), estimand="optimality_gap"
            )
    board = bp.leaderboard(scores_of(x), estimand="optimality_gap")
    assert board.score == pytest.approx([-0.55, -0.175])
    doubled = bp.metrics.normalized(scores_of(2 * x), zero=0.0, one=2.0)
    assert bp.leaderboard(doubled, estimand="optimality_gap").score == pytest.approx([-0.55, -0.175])


def test_raw_scores_of_many_sizes_get_a_note():
    x = np.random.default_rng(1).random((3, 8, 2)) * np.array([1, 1, 1, 1, 1, 1, 1, 5000])[None, :, None]
    scores = scores_of(x)
    assert any("the largest numbers dominate" in note for note in bp.leaderboard(scores, estimand="iqm").notes)
    assert not any(
        "the largest numbers dominate" in note
        for note in bp.leaderboard(scores, estimand="probability_of_improvement").notes
    )


def test_ties_everywhere_leave_every_rank_open():
    resolution = bp.resolve(scores_of(np.ones((3, 5, 3))), estimand="iqm", cluster="replicate")
    assert resolution.ranks.best.tolist() == [1, 1, 1]
    assert resolution.ranks.worst.tolist() == [3, 3, 3]


@pytest.mark.parametrize(("cluster", "warned"), [("replicate", True), ("task", False)])
def test_a_board_for_other_runs_warns_that_it_is_not_for_other_tasks(cluster, warned):
    warnings = bp.resolve(world(), estimand="mean_score", cluster=cluster).warnings
    assert any("this says nothing about other tasks" in one for one in warnings) == warned
