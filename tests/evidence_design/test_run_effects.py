"""Runs that are better on all tasks: analysis of variance by hand, simulated tables, and what `resolve` and `compare` make of them."""

import numpy as np
import pytest
from scipy import stats

from beatpath import Scores, compare, core, design, resolve
from beatpath.evidence import Factor
from beatpath.evidence.conventions import Reading
from beatpath.evidence_design.run_effects import run_effects
from beatpath.inference.win_rates.cluster_cells import effects_on_win_rates


def scores_of(y, names=None, *, order=None):
    """Scores of an array of agents by tasks by runs; cells that are NaN are missing."""
    agents, tasks, runs = y.shape
    rows = np.argwhere(~np.isnan(y))
    if order is not None:
        rows = rows[order.permutation(len(rows))]
    columns = {
        "task": Factor.coded(rows[:, 1], [f"task {t:03d}" for t in range(tasks)]),
        "replicate": Factor.coded(rows[:, 2], [f"seed {r:03d}" for r in range(runs)]),
    }
    return Scores(names or tuple(f"agent {a}" for a in range(agents)), rows[:, 0], y[tuple(rows.T)], columns)


def table(rng, agents=5, tasks=12, runs=3, by_run=1.0, common=0.0):
    shift = by_run * rng.normal(size=(agents, 1, runs)) + common * rng.normal(size=(1, 1, runs))
    return rng.normal(size=(agents, tasks, 1)) + shift + 1.5 * rng.normal(size=(agents, tasks, runs))


def two_way(y):
    """Sums of squares between runs and of residuals of one agent's tasks by runs."""
    d = y - y.mean(axis=1, keepdims=True)
    m = d.mean(axis=0)
    return len(y) * (m**2).sum(), ((d - m) ** 2).sum()


def test_in_a_complete_table_the_variance_and_the_p_value_are_those_of_an_analysis_of_variance():
    y = table(np.random.default_rng(0))
    agents, tasks, runs = y.shape
    result = run_effects(scores_of(y, order=np.random.default_rng(1)), "task")
    between, left = np.array([two_way(one) for one in y]).T
    df, rest = runs - 1, (runs - 1) * (tasks - 1)
    own = (between / df - left / rest) / tasks
    assert result.added.variance == pytest.approx(np.maximum(own, own.mean()) / runs)
    f = between.sum() / (agents * df) / (left.sum() / (agents * rest))
    assert result.p_value == pytest.approx(stats.f.sf(f, agents * df, agents * rest))
    assert result.effect == pytest.approx(tasks * between.sum() / (between + left).sum())
    squared = np.corrcoef((y - y.mean(axis=2, keepdims=True)).mean(axis=1))[np.triu_indices(agents, 1)] ** 2
    alike = max((squared.mean() - 1 / df) / (1 - 1 / df), 0)
    assert result.added.df == pytest.approx(agents * df / (1 + (agents - 1) * alike))


def test_without_labels_or_with_one_task_runs_cannot_be_told_from_noise():
    y = table(np.random.default_rng(0))
    plain = scores_of(y)
    assert run_effects(Scores(plain.agents, plain.agent, plain.value, {"task": plain.factors["task"]}), "task") is None
    assert run_effects(scores_of(y[:, :1]), "task") is None
    assert run_effects(scores_of(y[:, :, :1]), "task") is None


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_the_mean_of_many_estimates_is_the_variance_of_a_mean_of_runs(missing):
    estimates = []
    for seed in range(60):
        rng = np.random.default_rng([3, seed])
        y = table(rng, agents=1, tasks=15, runs=6, by_run=2.0)
        y[rng.random(y.shape) < missing] = np.nan
        estimates.append(run_effects(scores_of(y), "task").added.variance[0])
    if not missing:
        assert np.mean(estimates) == pytest.approx(4 / 6, rel=0.25)
    else:  # fewer runs of a task, so that each weighs more
        assert 4 / 6 * 0.75 < np.mean(estimates) < 4 / (6 * 0.6)


def test_what_a_label_adds_to_all_agents_alike_cancels_in_their_differences():
    y = table(np.random.default_rng(5), agents=6, runs=12, by_run=0.0, common=3.0)
    result = run_effects(scores_of(y), "task")
    gap = result.added.variance[:, None] + result.added.variance[None, :] - 2 * result.added.between
    np.fill_diagonal(gap, 0.0)
    assert result.added.variance == pytest.approx(9 / 12, rel=0.5)
    assert gap.max() < 0.2  # 1.5 where labels were different for every agent


def test_labels_that_move_two_agents_apart_add_their_covariance_and_those_that_move_them_together_none():
    likes = np.array([-2.0, 0.0, 2.0])  # of three judges, who like the second agent as much less as the first more
    y = np.stack([likes, -likes, 0.5 * likes])[:, None, :] + np.arange(8.0)[None, :, None]
    added = run_effects(scores_of(y), "task").added
    variance = likes.var(ddof=1) / 3
    assert np.diag(added.covariance())[:2] == pytest.approx(variance)
    assert added.between == pytest.approx(variance * np.array([[0, -1, 0], [-1, 0, -0.5], [0, -0.5, 0]]))
    nothing, known = np.zeros((3, 3)), np.full((3, 3), np.inf)
    assert added.df == pytest.approx(2)  # and not 6: the judges' likes are one thing, seen three times
    assert added.degrees_of_differences(nothing, known)[0, 1] == pytest.approx(2)


def test_many_agents_have_the_degrees_of_freedom_of_few_and_no_table_of_pairs(monkeypatch):
    scores = scores_of(table(np.random.default_rng(6), agents=8, runs=5))
    few = run_effects(scores, "task").added
    monkeypatch.setattr("beatpath.evidence_design.run_effects.MOST_PAIRED", 7)
    many = run_effects(scores, "task").added
    assert many.df == pytest.approx(few.df)
    assert many.between == 0.0
    likes = np.array([-2.0, 0.0, 2.0])  # the same three judges' likes or the opposite, seen eight times
    alike = np.stack([likes, -likes] * 4)[:, None, :] + np.arange(6.0)[None, :, None]
    assert run_effects(scores_of(alike), "task").added.df == pytest.approx(2)


def test_few_judges_of_scores_get_both_answers():
    y = table(np.random.default_rng(0), agents=4, runs=4, by_run=2.0) + 2.0 * np.arange(4)[:, None, None]
    scores = scores_of(y)
    reading = Reading(("scores.csv",), "table", 1, 1, guessed={"replicate": "judge_id"})
    scores = Scores(scores.agents, scores.agent, scores.value, scores.factors, reading=reading)
    resolution = resolve(scores)
    assert "for judges like these 4" in str(resolution.answer)
    assert resolution.panel.fixed
    assert resolution.panel.levels == {"judge": 4}
    plain = Scores(scores.agents, scores.agent, scores.value, {"task": scores.factors["task"]})
    assert (
        resolution.panel.resolved_pairs == resolve(plain).to_dict()["resolved_pairs"] > resolution.ranks.resolved_pairs
    )
    assert resolve(plain).panel is None
    assert "depend on the judge" in str(resolution.board.notes)


def test_equal_agents_whose_seeds_differ_are_not_ordered():
    wrong = 0
    for seed in range(40):
        y = table(np.random.default_rng([7, seed]), agents=4, tasks=15)
        wrong += resolve(scores_of(y), seed=0).to_dict()["resolved_pairs"] > 0
    assert wrong <= 6  # 0.05 of 40 is exceeded by more than four with a chance of 0.01; without run effects it is 18


def test_runs_compared_item_by_item_allow_for_seeds():
    wrong = 0
    for seed in range(40):
        y = table(np.random.default_rng([8, seed]), agents=2, tasks=30)
        base, new = (scores_of(y[k : k + 1], ("run",)) for k in (0, 1))
        result = compare(base=base, new=new).comparisons[0]
        wrong += result.result.p_value < 0.05
    assert wrong <= 6  # without run effects it is 13
    assert result.runs_differ


def test_the_variance_of_a_comparison_has_what_the_seeds_of_both_runs_add():
    seeds = np.array([-1.0, 0.0, 1.0])  # move all items alike, and nothing else varies: 1/3 for a mean of three
    y = np.arange(6.0)[None, :, None] + seeds
    base = scores_of(y, ("run",))
    other = base.factors | {"replicate": Factor.coded(base.factors["replicate"].codes, ["s3", "s4", "s5"])}
    new = Scores(("run",), base.agent, base.value + 1, other)
    result = compare(base=base, new=new).comparisons[0].result
    assert result.estimate == pytest.approx(1)
    assert result.stderr == pytest.approx(np.sqrt(1 / 3 + 1 / 3))


def test_the_design_and_the_notes_state_that_runs_differ():
    scores = scores_of(table(np.random.default_rng(0)))
    (column,) = design(scores).columns
    assert (column.name, column.levels, column.use) == ("run", 3, "runs")
    assert column.note in resolve(scores).board.notes
    assert any("depend on the run" in str(note) for note in resolve(scores, estimand="mean_win_rate").board.notes)
    notes = resolve(scores, estimand="bradley_terry").board.notes
    assert any("runs are better on all tasks" in str(note) for note in notes)


def test_win_rates_and_the_core_allow_for_runs_too():
    wrong, sure = 0, 0
    for seed in range(20):
        scores = scores_of(table(np.random.default_rng([9, seed]), agents=4, tasks=20))
        wrong += resolve(scores, estimand="mean_win_rate", seed=0).to_dict()["resolved_pairs"] > 0
        posterior = core(scores).posterior
        sure += posterior.most_probable_probability > 0.9 and len(posterior.most_probable) < 4
    assert wrong <= 3
    assert sure <= 1


def test_the_variance_that_runs_add_to_a_win_rate_is_that_of_the_shares_they_beat():
    # the first agent's runs beat none and both of the second's, each of which beats one of two
    value = np.array([[0.0, 2.0], [1.0, 1.0]])
    added = effects_on_win_rates(scores_of(np.repeat(value[:, None, :], 6, axis=1))).added
    assert added.variance == pytest.approx([0.5 / 2, 0.25 / 2])  # its own variance, and that of both
