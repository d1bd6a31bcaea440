"""Win rates of the pairs that met, beside the package's own."""

import numpy as np

from beatpath.evidence import Battles, Factor, Pairs
from beatpath.inference.matrix.estimate import estimate
from beatpath.inference.matrix.rates import clustered, independent, rates_of
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.matrix_worlds import clustered_rows


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
    told = Battles.of(rows, factors={"c": Factor.of(map(str, c)), "u": Factor.of(map(str, u))})
    for names, columns in ((["c"], [c]), (["c", "u"], [c, u])):
        theirs, ours = rates_of(win_rate_inference(told, cluster=names)), clustered(n, i, j, won, columns)
        assert np.allclose(theirs.variance, ours.variance)
        one, two = estimate(theirs), estimate(ours)
        assert np.allclose(one.score, two.score, atol=1e-4)
        assert np.allclose(one.covariance, two.covariance, rtol=0.01, atol=1e-7)
        assert np.allclose(one.degrees, two.degrees, rtol=0.05)
