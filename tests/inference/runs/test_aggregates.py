"""Measures of runs, held against rliable, scipy and their definitions."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, trim_mean

from beatpath.inference.runs.aggregates import aggregate, bootstrap_draws, improvement_of_pair, observed
from beatpath.inference.runs.runs import runs_of
from helpers.paths import GOLDEN as FOLDER
from helpers.run_tables import scores_of

GOLDEN = json.loads((FOLDER / "rliable_runs.json").read_text(encoding="utf-8"))
DATA = np.array([GOLDEN["data"][a] for a in "abc"]).transpose(0, 2, 1)
NAMES = {"median": "median", "iqm": "iqm", "mean_score": "mean", "optimality_gap": "gap"}


@pytest.mark.parametrize("measure", NAMES)
def test_a_measure_is_that_of_rliable(measure):
    runs = runs_of(scores_of(DATA))
    sign = -1 if measure == "optimality_gap" else 1
    published = [GOLDEN["point"][a][NAMES[measure]] for a in "abc"]
    assert sign * aggregate(measure, runs, observed(runs))[0] == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize("pair", GOLDEN["improvement"])
def test_a_probability_of_improvement_is_that_of_rliable(pair):
    runs = runs_of(scores_of(DATA))
    first, second = ("abc".index(a) for a in pair)
    improvement = improvement_of_pair(runs, observed(runs), first, second)[0]
    assert improvement == pytest.approx(GOLDEN["improvement"][pair], rel=1e-12)


@pytest.mark.parametrize("measure", NAMES)
def test_the_ends_of_rliables_intervals_cut_off_as_much_of_our_draws(measure):
    """Quantiles of 20,000 draws cut off 0.025 give or take 0.0011; five of these, of both sides, and atoms half."""
    runs = runs_of(scores_of(DATA))
    sign = -1 if measure == "optimality_gap" else 1
    samples = sign * np.concatenate([aggregate(measure, runs, d) for d in bootstrap_draws(runs, "runs", 20_000, 1)])
    for a, name in enumerate("abc"):
        low, high = np.array(GOLDEN["interval"][name])[:, GOLDEN["order"].index(NAMES[measure])]
        assert (samples[:, a] < low - 1e-6).mean() <= 0.025 + 0.008
        assert (samples[:, a] <= low + 1e-6).mean() >= 0.025 - 0.008
        assert (samples[:, a] > high + 1e-6).mean() <= 0.025 + 0.008
        assert (samples[:, a] >= high - 1e-6).mean() >= 0.025 - 0.008


@given(seed=st.integers(0, 2**31), tasks=st.integers(1, 6), runs=st.integers(1, 5))
def test_measures_are_their_definitions(seed, tasks, runs):
    x = np.random.default_rng(seed).integers(0, 5, (3, tasks, runs)).astype(float)
    made = runs_of(scores_of(x))
    seen = observed(made)
    assert aggregate("iqm", made, seen)[0] == pytest.approx([trim_mean(one, 0.25, axis=None) for one in x])
    assert aggregate("median", made, seen)[0] == pytest.approx(np.median(x.mean(axis=2), axis=1))
    wins = np.array(
        [
            [
                np.mean([mannwhitneyu(a, c).statistic / runs**2 for a, c in zip(x[i], x[j], strict=True)])
                for j in range(3)
            ]
            for i in range(3)
        ]
    )
    others = (wins.sum(axis=1) - 0.5) / 2
    assert aggregate("probability_of_improvement", made, seen)[0] == pytest.approx(others)


def test_the_probability_of_improvement_of_two_agents_is_that_of_the_pair_in_every_draw():
    runs = runs_of(scores_of(DATA[:2]))
    for scheme in ("runs", "tasks", "nested"):
        for some in bootstrap_draws(runs, scheme, 30, 4):
            board = aggregate("probability_of_improvement", runs, some)
            assert board[:, 0] == pytest.approx(improvement_of_pair(runs, some, 0, 1))
            assert board.sum(axis=1) == pytest.approx(np.ones(30))


def test_one_run_far_off_moves_the_mean_and_not_the_interquartile_mean():
    x = DATA.copy()
    x[0, 0, 0] = x[0].max()
    far = x.copy()
    far[0, 0, 0] = 1e6
    iqm, mean = (
        [aggregate(name, runs, observed(runs))[0, 0] for runs in (runs_of(scores_of(x)), runs_of(scores_of(far)))]
        for name in ("iqm", "mean_score")
    )
    assert iqm[0] == pytest.approx(iqm[1])
    assert mean[1] > mean[0] + 1000
