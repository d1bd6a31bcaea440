"""Draws: multinomial, and binomial by kind."""

import numpy as np
import pytest
from scipy.stats import binom, chi2

from beatpath.inference.bootstrap.resampling import Clusters


@pytest.mark.parametrize("times", [[7000, 2000, 900, 99, 1], [1, 1, 1, 1], [3, 0, 5, 2]])
def test_draws_are_multinomial(times):
    rng, n, draws = np.random.default_rng(0), sum(times), 6000
    counts = np.array([Clusters(np.array(times)).drawn(rng) for _ in range(draws)])
    p = np.array(times) / n
    assert (counts.sum(axis=1) == n).all()
    error = (counts.mean(axis=0) - n * p) / np.sqrt(np.maximum(n * p * (1 - p), 1e-12) / draws)
    assert np.abs(error).max() < 4.5
    covariance = n * (np.diag(p) - np.outer(p, p))
    np.testing.assert_allclose(np.cov(counts.T, bias=True), covariance, atol=6 * covariance.max() / np.sqrt(draws))


def test_counts_of_one_kind_are_binomial():
    """By the whole distribution, not its moments alone."""
    rng, draws = np.random.default_rng(1), 4000
    counts = np.array([Clusters(np.array([1200, 30])).drawn(rng)[1] for _ in range(draws)])
    edges = np.array([0, 22, 25, 27, 29, 31, 33, 36, 39, 1231])
    expected = draws * np.diff(binom.cdf(edges - 1, 1230, 30 / 1230))
    seen = np.histogram(counts, edges)[0]
    assert ((seen - expected) ** 2 / expected).sum() < chi2.ppf(0.9999, len(expected) - 1)


def test_very_large_counts_are_resampled_by_kind_with_multinomial_mean_and_spread():
    some = Clusters(np.array([10**15, 3 * 10**15]))
    rng = np.random.default_rng(7)
    counts = np.array([some.drawn(rng) for _ in range(4000)])
    assert (counts.sum(axis=1) == some.number).all()
    spread = np.sqrt(some.number * 0.25 * 0.75)
    assert abs(counts[:, 0].mean() - 10**15) < 4 * spread / np.sqrt(4000)
    assert abs(counts[:, 0].std() / spread - 1) < 4 / np.sqrt(2 * 4000)
