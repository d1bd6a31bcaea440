"""Intervals from few clusters, units or runs: the error by its definition, and Student's quantile with the right degrees of freedom."""

from math import comb

import numpy as np
import pytest
from scipy.stats import t as student

import beatpath as bp
from beatpath.checks.judges import first_share
from beatpath.inference.contexts.context_means import context_means
from beatpath.inference.runs.run_board import run_board
from beatpath.inference.sensitivity.aa_test import AATest
from beatpath.stats.agreement import cohen, cohen_interval, fleiss, fleiss_interval, terms
from beatpath.stats.balanced_share import Shown
from beatpath.stats.design_effect import Dependence
from beatpath.stats.drift import trends
from beatpath.stats.intervals import jackknife


def jackknifed(values):
    """The error from estimates with one part left out at a time."""
    values = np.asarray(values)
    return np.sqrt((len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum())


def test_an_interval_from_clusters_left_out_has_their_effective_number_less_one():
    left_out, sizes = np.array([0.4, 0.5, 0.7, 0.5]), np.array([10, 2, 2, 2])
    interval = jackknife(0.5, left_out, sizes, 0.9)
    df = 16**2 / (100 + 3 * 4) - 1
    assert interval.high - 0.5 == pytest.approx(student.ppf(0.95, df) * jackknifed(left_out))
    assert interval.low - 0.5 == pytest.approx(-student.ppf(0.95, df) * jackknifed(left_out))


def test_a_ratio_of_totals_has_students_interval_of_its_logarithm():
    top, bottom = np.array([3.0, 1.0, 2.0, 4.0]), np.array([2.0, 2.0, 1.0, 3.0])
    interval = Dependence(top.sum() / bottom.sum(), 1.0, top, bottom, 4).interval(0.9, 4)
    logs = [np.log(np.delete(top, k).sum() / np.delete(bottom, k).sum()) for k in range(4)]
    df = 8**2 / (4 + 4 + 1 + 9) - 1
    assert interval.estimate == pytest.approx(10 / 8)
    assert np.log(interval.high / interval.estimate) == pytest.approx(student.ppf(0.95, df) * jackknifed(logs))
    assert np.log(interval.estimate / interval.low) == pytest.approx(student.ppf(0.95, df) * jackknifed(logs))


def test_kappas_of_few_units_have_students_intervals_over_units_left_out():
    counts = np.array([[3, 0, 0], [2, 1, 0], [0, 3, 0], [1, 1, 1], [0, 1, 2]])
    both = [np.delete(counts, k, axis=0) for k in range(5)]
    left = [
        fleiss(terms(np.vstack([units, units[:, [1, 0, 2]]])).sum(axis=0)) for units in both
    ]  # every unit both ways round
    interval = fleiss_interval(counts, 0.5)
    assert interval.high - interval.estimate == pytest.approx(student.ppf(0.75, 4) * jackknifed(left))

    first, second = np.array([0, 0, 1, 1, 2, 0]), np.array([0, 1, 1, 1, 2, 2])

    def blind(units):
        """Cohen's kappa where it means nothing which agent comes first: every unit both ways round."""
        table = np.zeros((3, 3))
        for one, other in zip(first[units], second[units], strict=True):
            table[one, other] += 1
            table[[1, 0, 2][one], [1, 0, 2][other]] += 1
        return cohen(table)

    every = np.arange(6)
    interval = cohen_interval(first, second, 0.5)
    assert interval.estimate == pytest.approx(blind(every))
    half = student.ppf(0.75, 5) * jackknifed([blind(np.delete(every, k)) for k in every])
    assert interval.high - interval.estimate == pytest.approx(half)


def test_trends_of_few_clusters_have_the_variance_of_their_sums_and_their_number_less_one():
    """By the formula: what a battle adds is made as much larger as the mean of all has made it smaller, then added up by cluster."""
    rng = np.random.default_rng(3)
    size = 60
    cluster = np.repeat(np.arange(6), size // 6)
    won = np.repeat(rng.permutation([1.0, 0.0, 1.0, 0.0, 1.0, 1.0]), size // 6)
    won[::7] = 1 - won[::7]
    tests = trends(np.zeros(size, int), np.ones(size, int), won, np.arange(float(size)), cluster=cluster)
    x = np.arange(size) / (size - 1)
    x = x - x.mean()
    u = (won - won.mean()) * x
    grown = u * np.sqrt(size / (size - 1))
    by_cluster = np.array([grown[cluster == c].sum() for c in range(6)])
    variance = 6 / 5 * (by_cluster**2).sum()
    dealt = ((won - won.mean()) ** 2).sum() * (x**2).sum() / (size - 1)
    assert variance > dealt
    p = 2 * student.sf(abs(u.sum()) / np.sqrt(variance), 5)
    assert [one.p for one in tests if one.what == "strength"] == pytest.approx([p, p])
    span = np.sqrt(12 * (x**2).sum() / (size - 1))
    assert tests[0].error == pytest.approx(np.sqrt(variance) / (x**2).sum() * span)


@pytest.mark.parametrize("tasks", [4, 10])
def test_scores_by_context_know_how_many_tasks_their_errors_come_from(tasks):
    """Two agents whose difference varies by the same on every task: information is tasks over the variance with tasks less one below."""

    def information(number):
        difference = np.tile([0.5, 1.5], number)  # of two contexts alike, which leaves nothing to draw towards
        hard = np.tile(np.arange(number, dtype=float), 2)
        names = [f"{context}{k}" for context in "xy" for k in range(number)]
        table = bp.Scores.from_table([hard + difference, hard], ("ada", "bob"), names)
        area = bp.Factor.of([names[t][0] for t in table.factors["task"].codes.tolist()])
        scores = bp.Scores(table.agents, table.agent, table.value, {**table.factors, "area": area})
        means = context_means(scores, "area")
        return means.seen.information[:, 0, 0] / means.levels.unit**2

    few, many = information(tasks), information(400)
    spread = {number: number / (number - 1) * 0.25 for number in (tasks, 400)}  # the variance of the differences
    assert few * spread[tasks] / tasks == pytest.approx(many * spread[400] / 400)


def test_runs_of_unequal_number_have_the_degrees_of_freedom_of_welch_and_satterthwaite():
    """Four runs on one task, two on the other: variances of the two means with R - 1 below, then Satterthwaite's formula."""
    runs = {
        ("ada", "x"): [1.0, 2.0, 4.0, 5.0],
        ("ada", "y"): [1.0, 4.0],
        ("bob", "x"): [0.0, 1.0],
        ("bob", "y"): [2.0, 5.0, 6.0],
    }
    rows = [(who, task, str(k), x) for (who, task), values in runs.items() for k, x in enumerate(values)]
    names, tasks, replicate, value = zip(*rows, strict=True)
    factors = {"task": bp.Factor.of(tasks), "replicate": bp.Factor.of(replicate)}
    scores = bp.Scores(("ada", "bob"), [("ada", "bob").index(name) for name in names], value, factors)
    board = run_board(scores, "mean_score", cluster="replicate", draws=100)
    v = np.array(
        [[np.var(runs[who, task], ddof=1) / len(runs[who, task]) / 4 for task in "xy"] for who in ("ada", "bob")]
    )
    free = np.array([[len(runs[who, task]) - 1 for task in "xy"] for who in ("ada", "bob")])
    assert np.diag(board.df) == pytest.approx(v.sum(axis=1) ** 2 / (v**2 / free).sum(axis=1))
    assert board.df[0, 1] == pytest.approx(v.sum() ** 2 / (v**2 / free).sum())


def test_a_share_of_clustered_battles_has_wilsons_interval_with_their_effective_number_less_one():
    """By Wilson's equation: the ends are where the distance from the share is so many errors of that end."""
    won = np.array([1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0], dtype=float)
    cluster = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3])
    pair = np.zeros(12, dtype=np.int64)
    interval = first_share(Shown(pair, np.zeros(12, dtype=bool), won, cluster), 0.9)
    left = [won[cluster != c].mean() for c in range(4)]
    worth = min(won.mean() * (1 - won.mean()) / jackknifed(left) ** 2, 12)
    quantile = student.ppf(0.95, 12**2 / (36 + 9 + 4 + 1) - 1)
    for end in (interval.low, interval.high):
        assert abs(end - won.mean()) == pytest.approx(quantile * np.sqrt(end * (1 - end) / worth))


@pytest.mark.parametrize("claimed", [0, 1, 9])
def test_the_chance_of_claims_is_that_of_so_many_or_more(claimed):
    chance = sum(comb(20, k) * 0.1**k * 0.9 ** (20 - k) for k in range(claimed, 21))
    assert AATest("ada", 20, claimed, 0.9, 20).chance == pytest.approx(chance)
