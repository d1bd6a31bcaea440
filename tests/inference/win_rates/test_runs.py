"""Repeated runs, each compared with each."""

import tracemalloc

import numpy as np
import pytest

import beatpath as bp
from beatpath.evidence.conventions import Conventions
from beatpath.inference.win_rates.cluster_cells import compared_runs
from beatpath.inference.win_rates.win_rates import win_rate_inference


def test_runs_of_one_task_are_compared_each_with_each():
    rng = np.random.default_rng(3)
    value = rng.integers(0, 4, (3, 4, 5)).astype(float)  # agents, tasks, runs
    agent, task, _ = np.indices(value.shape)
    scores = bp.Scores(("x", "y", "z"), agent.ravel(), value.ravel(), {"task": bp.Factor.of(task.ravel())})
    win_rates = win_rate_inference(scores)
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        ahead = np.sign(value[i][:, :, None] - value[j][:, None, :])
        assert win_rates.rate[k] == pytest.approx(((ahead + 1) / 2).mean())
    assert win_rates.clusterings[0].n_clusters == 4


@pytest.mark.parametrize("tolerance", [0.0, 2.0])
def test_memory_of_runs_grows_with_their_number_and_not_with_its_square(tolerance):
    value = np.random.default_rng(5).integers(0, 50, (3, 3000)).astype(float)
    scores = bp.Scores(("x", "y", "z"), np.repeat(np.arange(3), 3000), value.ravel())
    tracemalloc.start()
    share = compared_runs(scores, Conventions(tolerance=tolerance)).counts[:, 0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        ahead = value[i][:, None] - value[j]
        assert share[k] == pytest.approx(np.where(abs(ahead) <= tolerance, 0.5, ahead > 0).mean(), abs=1e-12)
    assert peak < 5e6  # all pairs of 9,000 values are 650 MB


def test_a_table_without_repeats_needs_no_comparison_of_runs():
    assert compared_runs(bp.Scores.from_table([[1.0, 2.0], [2.0, 1.0]], ["x", "y"], ["s", "t"])) is None


def test_two_runs_of_one_agent_are_enough_to_be_compared():
    runs = bp.Scores(("ada", "bob"), [0, 0, 1], [1.0, 3.0, 1.0], {"task": bp.Factor.of(["x"] * 3)})
    assert compared_runs(runs).counts[:, :2].tolist() == [[0.75, 0.25]]


def test_where_lower_is_better_the_lower_run_wins():
    task = bp.Factor.of(["x"] * 3)
    runs = bp.Scores(("ada", "bob"), [0, 0, 1], [1.0, 1.5, 2.0], {"task": task}, higher_is_better={"x": False})
    assert compared_runs(runs).counts[:, :2].tolist() == [[1.0, 0.0]]
