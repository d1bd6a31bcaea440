"""Mean scores by context: against means, least squares and simulated truth."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.contexts.context_boards import context_strengths, own_board
from beatpath.inference.contexts.context_means import _errors, context_means


def _scores(table, areas, **factors):
    """Agents by tasks, every task in an area."""
    names = [f"t{k:02d}" for k in range(len(areas))]
    scores = bp.Scores.from_table(table, [f"agent {i}" for i in range(len(table))], names)
    task = scores.factors["task"]
    area = bp.Factor.of([areas[int(task.levels[code][1:])] for code in task.codes])
    return bp.Scores(scores.agents, scores.agent, scores.value, {"task": task, "area": area, **factors})


def _random_scores(seed, spread, n=8, tasks=5, contexts=4, empty=0.0):
    rng = np.random.default_rng(seed)
    eta = rng.normal(0, 1, n) + rng.normal(0, spread, (contexts, n))
    context = np.repeat(np.arange(contexts), tasks)
    table = 10 * (eta[context].T + rng.normal(0, 1, len(context)) + rng.normal(0, 1, (n, len(context))))
    table[rng.random(table.shape) < empty] = np.nan
    return 10 * eta, _scores(table, [f"c{k}" for k in context])


def test_the_scores_of_a_context_alone_are_the_means_over_its_tasks():
    _, scores = _random_scores(1, 0.5)
    strengths = context_strengths(context_means(scores, "area"), "mean_score")
    table = scores.table("task")[0]
    for k in range(4):
        own = own_board(strengths, f"c{k}")
        assert own.score == pytest.approx(table[:, 5 * k : 5 * k + 5].mean(axis=1), abs=0.5)  # a weak prior holds it


def test_the_mean_over_agents_is_not_moved_by_drawing_together():
    _, scores = _random_scores(2, 0.5)
    strengths = context_strengths(context_means(scores, "area"), "mean_score")
    table = scores.table("task")[0]
    for k in range(4):
        assert strengths.board({f"c{k}": 1.0}).score.mean() == pytest.approx(table[:, 5 * k : 5 * k + 5].mean())


@pytest.mark.parametrize("empty", [0.0, 0.2])
def test_intervals_hold_the_truth_as_often_as_they_say_and_estimates_are_nearer_than_those_of_each_context(empty):
    covered, off, alone = [], [], []
    P = np.eye(8) - 1 / 8
    for seed in range(40):
        eta, scores = _random_scores(seed, 0.4, empty=empty)
        strengths = context_strengths(context_means(scores, "area"), "mean_score")
        for k, name in enumerate(strengths.data.contexts):
            board, own = strengths.board({name: 1.0}), own_board(strengths, name)
            miss, wide = P @ (board.score - eta[k]), 2.12 * np.sqrt(np.diag(P @ board.covariance @ P))
            covered += (np.abs(miss) <= wide).tolist()
            if np.isfinite(own.score).all():
                off += (miss**2).tolist()
                alone += ((P @ (own.score - eta[k])) ** 2).tolist()
    assert 0.93 <= np.mean(covered) <= 0.985  # 1,280 that are dependent within 40 runs
    assert np.mean(off) < 0.8 * np.mean(alone)


def test_an_agent_without_the_hard_tasks_does_not_profit():
    table = np.array([[9.0, 7, 2, 5, 4, 1], [9.1, 6.9, np.nan, 5.1, 3.9, np.nan], [8, 6, 1, 4, 3, 0]])
    strengths = context_strengths(context_means(_scores(table, list("xxxyyy")), "area"), "mean_score")
    score = strengths.board({"x": 1.0}).score
    assert abs(score[0] - score[1]) < 1.5
    assert score[1] < np.nanmean(table[1, :3]) - 1


def test_a_unit_of_scores_ten_times_as_large_changes_nothing_else():
    _, scores = _random_scores(3, 0.5)
    ten = bp.Scores(scores.agents, scores.agent, 10 * scores.value, scores.factors)
    one, other = (context_strengths(context_means(x, "area"), "mean_score").board({"c1": 1.0}) for x in (scores, ten))
    assert other.score == pytest.approx(10 * one.score)
    assert other.covariance == pytest.approx(100 * one.covariance)


def test_a_gain_is_over_the_mean_of_all_agents_as_contexts_may_be_hard():
    _, scores = _random_scores(4, 1.0)
    factor = scores.factors["area"]
    easier = scores.value + 100 * (np.array(factor.names()) == "c0")
    other = bp.Scores(scores.agents, scores.agent, easier, scores.factors)
    one, two = (bp.resolve(x, by="area").gain("agent 0", "c0", "c1") for x in (scores, other))
    assert two.estimate == pytest.approx(one.estimate)
    assert (two.low, two.high) == pytest.approx((one.low, one.high))


def test_boards_mixtures_and_claims_come_from_the_same_verb():
    table = np.tile([[90.0, 88, 92, 20, 22, 18], [20.0, 22, 18, 90, 88, 92], [50.0, 52, 48, 50, 52, 48]], 1)
    table += np.random.default_rng(0).normal(0, 1, table.shape)
    resolution = bp.resolve(_scores(table, ["code"] * 3 + ["chat"] * 3), by="area")
    assert resolution.test("agent 0 is better at code than at chat").supported
    assert resolution.test("agent 0 is first in code").supported
    assert not resolution.test("agent 1 is first in code").supported
    assert (
        "its mean score, minus the mean of all agents, in 'code'"
        in resolution.test("agent 0 is better at code than at chat").sentence
    )
    assert resolution.weights == {"chat": 0.5, "code": 0.5}
    assert resolution.sentences[0].startswith(
        "By mean score over tasks with contexts weighted by their number of tasks"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "topic"}, "'topic' is not among them: area, task"),
        ({"by": "area", "estimand": "mean_win_rate"}, "must be 'mean_score'"),
        ({"by": "area", "covariates": "x"}, "columns of battles"),
        ({"by": "area", "cluster": "area"}, "errors of scores come from tasks"),
        ({"by": "area", "weights": {"t00": 2.0}}, "tasks weigh alike"),
        ({"by": "task"}, "two tasks or more"),
    ],
)
def test_options_that_scores_do_not_support_are_refused_with_a_sentence(options, message):
    with pytest.raises(bp.BeatpathError, match=message):
        bp.resolve(_random_scores(0, 0.5)[1], **options)


def test_a_task_of_two_contexts_is_refused():
    scores = _random_scores(0, 0.5)[1]
    area = bp.Factor.of(["a", *scores.factors["area"].names()[1:]])
    with pytest.raises(bp.DataError, match="'t00' has several in 'area'"):
        context_means(bp.Scores(scores.agents, scores.agent, scores.value, {**scores.factors, "area": area}), "area")


def test_tasks_without_a_context_are_left_out_with_a_note():
    scores = _random_scores(0, 0.5)[1]
    area = bp.Factor.of([None if name == "c3" else name for name in scores.factors["area"].names()])
    means = context_means(
        bp.Scores(scores.agents, scores.agent, scores.value, {**scores.factors, "area": area}), "area"
    )
    assert means.contexts == ("c0", "c1", "c2")
    assert means.notes == ("5 tasks without a name in 'area' left out.",)


@pytest.mark.parametrize("n", [2, 3, 6])
def test_differences_by_context_have_the_variance_of_independent_errors(n):
    """Errors of standard deviation 2 on 300 tasks: differences of means have the variance 2 * 4 / 300."""
    rng = np.random.default_rng(21)
    table = 2 * rng.normal(size=(n, 600)) + rng.normal(size=600)
    names = [f"t{t:03d}" for t in range(600)]
    scores = bp.Scores.from_table(table, [f"agent {i}" for i in range(n)], names)
    area = bp.Factor.of([f"c{t % 2}" for t in scores.factors["task"].codes])
    means = context_means(
        bp.Scores(scores.agents, scores.agent, scores.value, {**scores.factors, "area": area}), "area"
    )
    V = np.linalg.pinv(means.seen.information[0]) * means.levels.unit**2
    assert V[0, 0] + V[1, 1] - 2 * V[0, 1] == pytest.approx(2 * 4 / 300, rel=0.12)


def test_errors_are_shrunken_by_the_variance_of_products_over_tasks():
    """Ledoit and Wolf's intensity, task by task; one context, so that the unit of the residuals cancels."""
    rng, n, T = np.random.default_rng(3), 4, 15
    left = rng.normal(size=(n, T)) * [[1.0], [1.0], [2.0], [0.5]] + rng.normal(size=T) * [[1.0], [-1.0], [0.5], [0.0]]
    left = left - left.mean(axis=0)
    S, even = left @ left.T / T, np.eye(n) - 1 / n
    target = np.trace(S) / (n - 1)
    noise = sum(((np.outer(z, z) - S) ** 2).sum() for z in left.T) / T**2
    share = noise / ((S - target * even) ** 2).sum()
    assert 0 < share < 1
    correlation, _ = _errors(left, np.zeros(T, dtype=np.int64), np.array([T]))
    np.testing.assert_allclose(correlation, (1 - share) * S / target + (share + 0.02) * np.eye(n), rtol=1e-9)
