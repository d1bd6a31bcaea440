"""Win rates of the compared pairs, against the package's own."""

import numpy as np
import pytest

from beatpath.evidence import Battles, Factor, Pairs, Scores
from beatpath.inference.matrix.estimate import estimate
from beatpath.inference.matrix.rates import rates_of
from beatpath.inference.matrix.win_matrix import matrix_of
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.matrix_worlds import clustered, clustered_rows, independent


def test_factors_of_single_battles_are_independent_battles():
    n, i, j, won, *_ = clustered_rows(1)
    R = clustered(n, i, j, won, [np.arange(len(i))])
    S = independent(n, R.a, R.b, R.weight, R.rate)
    assert np.allclose(R.variance, S.variance, rtol=0.05)


def test_two_ways_of_the_same_clusters_are_one_way():
    n, i, j, won, c, _ = clustered_rows(2)
    one, two = estimate(clustered(n, i, j, won, [c])), estimate(clustered(n, i, j, won, [c, c]))
    assert np.allclose(one.covariance, two.covariance, rtol=1e-6, atol=1e-12)


def test_counts_with_ties_are_those_of_the_package():
    counts = [[6, 4, 0, 0], [80, 10, 10, 0], [5, 0, 0, 0]]
    ours = independent(3, [0, 0, 1], [1, 2, 2], [10.0, 100.0, 5.0], [0.6, 0.85, 1.0], [0, 10, 0])
    theirs = rates_of(win_rate_inference(Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], counts)))
    assert np.allclose(ours.variance, theirs.variance)
    assert np.allclose(ours.raw, theirs.raw, atol=1e-12)
    assert np.allclose(estimate(ours).covariance, estimate(theirs).covariance)


def test_clusters_one_way_and_two_are_those_of_the_package():
    n, i, j, won, c, u = clustered_rows(5)
    rows = [(f"m{x}", f"m{y}", float(s)) for x, y, s in zip(i, j, won, strict=True)]
    battles = Battles.of(rows, factors={"c": Factor.of(map(str, c)), "u": Factor.of(map(str, u))})
    for names, columns in ((["c"], [c]), (["c", "u"], [c, u])):
        theirs, ours = rates_of(win_rate_inference(battles, cluster=names)), clustered(n, i, j, won, columns)
        assert np.allclose(theirs.variance, ours.variance)
        one, two = estimate(theirs), estimate(ours)
        assert np.allclose(one.score, two.score, atol=1e-4)
        assert np.allclose(one.covariance, two.covariance, rtol=0.01, atol=1e-7)
        assert np.allclose(one.degrees, two.degrees, rtol=0.05)


def test_tables_of_few_tasks_are_as_uncertain_as_ranks_at_random_are():
    """The ranks of two of n equal agents on a task differ by n (n + 1) / 6 in the mean of squares, by hand."""
    rng, n, tasks, seen = np.random.default_rng(3), 8, 20, []
    for _ in range(40):
        scores = Scores.from_table(rng.normal(size=(n, tasks)), list("abcdefgh"), [f"t{t}" for t in range(tasks)])
        board = matrix_of(win_rate_inference(scores)).leaderboard()
        seen.append(board.variance_of_differences[np.triu_indices(n, 1)].mean())
    assert np.mean(seen) == pytest.approx(n * (n + 1) / 6 / (n - 1) ** 2 / tasks, rel=0.05)  # 12 % less when it failed
    assert board.df[0, 1] == pytest.approx(tasks - 1, abs=0.5)
