"""Tables that might have been: weights add up, and the order of the input changes nothing."""

from itertools import product

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.runs.aggregates import aggregate, bootstrap_draws, observed
from beatpath.inference.runs.runs import runs_of
from helpers.run_tables import scores_of

SCHEMES = ("runs", "tasks", "nested")


def table(seed=0, tasks=4, runs=3):
    rng = np.random.default_rng(seed)
    n = 2 * tasks * runs
    agent, task, _ = np.indices((2, tasks, runs)).reshape(3, -1)
    keep = rng.random(n) < 0.8
    keep[::runs] = True
    factor = bp.Factor.of([f"t{t}" for t in task[keep]])
    return bp.Scores(("x", "y"), agent[keep], rng.normal(size=n)[keep], {"task": factor})


def balanced(tasks, runs, seed=0):
    return scores_of(np.random.default_rng(seed).normal(size=(2, tasks, runs)).round(3))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("fewer", [False, True])
def test_weights_of_an_agent_add_up_to_one(scheme, fewer):
    runs = runs_of(table(tasks=5, runs=4) if scheme != "runs" else balanced(5, 4))
    for some in bootstrap_draws(runs, scheme, 50, 1, one_fewer=fewer):
        for a in range(2):
            assert some.weight(runs, runs.of(a)).sum(axis=1) == pytest.approx(np.ones(50))


def test_the_table_as_it_is_weighs_tasks_alike_however_many_runs_they_have():
    scores = bp.Scores(("x",), [0, 0, 0], [1.0, 2.0, 9.0], {"task": bp.Factor.of("rrs")})
    runs = runs_of(scores)
    assert observed(runs).weight(runs, runs.of(0)).tolist() == [[0.25, 0.25, 0.5]]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_order_of_rows_changes_no_draw(scheme):
    scores = balanced(4, 3)
    order = np.random.default_rng(5).permutation(len(scores.value))
    one, other = (
        np.concatenate([aggregate("iqm", runs, d) for d in bootstrap_draws(runs, scheme, 40, 3)])
        for runs in (runs_of(scores), runs_of(scores.take(order)))
    )
    assert one == pytest.approx(other)


@pytest.mark.parametrize("measure", ["iqm", "median", "mean_score", "optimality_gap", "probability_of_improvement"])
def test_draws_of_runs_have_the_distribution_of_all_possible_tables(measure):
    """Two tasks of two runs have 4 ** 2 tables an agent: their mean and variance are known exactly."""
    scores = balanced(2, 2, seed=3)
    x = scores.value.reshape(2, 2, 2)
    every = []
    for picked in product(range(2), repeat=8):
        index = np.array(picked).reshape(2, 2, 2)
        made = runs_of(
            bp.Scores(scores.agents, scores.agent, np.take_along_axis(x, index, axis=2).ravel(), dict(scores.factors))
        )
        every.append(aggregate(measure, made, observed(made))[0])
    every = np.array(every)
    runs = runs_of(scores)
    samples = np.concatenate([aggregate(measure, runs, d) for d in bootstrap_draws(runs, "runs", 20_000, 0)])
    assert samples.mean(axis=0) == pytest.approx(every.mean(axis=0), abs=5 * samples.std() / np.sqrt(20_000))
    assert samples.std(axis=0) == pytest.approx(every.std(axis=0), rel=0.03)


def test_one_fewer_makes_the_variance_of_a_mean_that_of_its_textbook():
    scores = balanced(6, 3, seed=8)
    x, runs = scores.value.reshape(2, 6, 3), runs_of(scores)
    by_runs, by_tasks = (
        np.concatenate(
            [aggregate("mean_score", runs, d) for d in bootstrap_draws(runs, scheme, 40_000, 2, one_fewer=True)]
        )
        for scheme in ("runs", "tasks")
    )
    assert by_runs.var(axis=0) == pytest.approx(x.var(axis=2, ddof=1).sum(axis=1) / 3 / 36, rel=0.04)
    assert by_tasks.var(axis=0) == pytest.approx(x.mean(axis=2).var(axis=1, ddof=1) / 6, rel=0.04)
