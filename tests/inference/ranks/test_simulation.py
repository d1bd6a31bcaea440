"""Draws of errors: their covariance, the shrinkage of correlations by the paper's formula, and what rounding may do."""

import numpy as np
import pytest

from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import estimable
from beatpath.inference.ranks.simulation import in_parts, score_maxima, shrunk, simulate


def board_of(score, covariance, df=np.inf):
    n = len(score)
    names = tuple(f"agent{i:03d}" for i in range(n))
    return Leaderboard(
        names, np.asarray(score, float), np.asarray(covariance, float), np.full((n, n), float(df)), "a score"
    )


def correlated(rng, n):
    """A covariance with one shared error, one factor and unequal own errors."""
    L = np.column_stack([np.diag(rng.uniform(0.3, 2, n)), np.full(n, 3.0), rng.normal(size=n)])
    return L @ L.T


def oas(C, nu):
    """The share of Chen et al. (2010), for a correlation matrix: how much of it is taken away."""
    p = len(C)
    trace_of_square, trace = np.trace(C @ C), np.trace(C)
    above = (1 - 2 / p) * trace_of_square + trace**2
    below = (nu + 1 - 2 / p) * (trace_of_square - trace**2 / p)
    return min(1.0, above / below)


@pytest.mark.parametrize("nu", [5, 30, 200])
@pytest.mark.parametrize("p", [2, 3, 8])
def test_correlations_are_shrunk_by_the_share_of_the_paper(p, nu):
    V = correlated(np.random.default_rng(p), p)
    deviation = np.sqrt(np.diag(V))
    C = V / np.outer(deviation, deviation)
    kept = (1 - oas(C, nu)) * C + oas(C, nu) * np.eye(p)
    np.testing.assert_allclose(shrunk(V, 1 / nu), kept * np.outer(deviation, deviation), rtol=1e-9)


def test_without_correlations_there_is_nothing_to_shrink():
    np.testing.assert_array_equal(shrunk(np.diag([1.0, 4.0]), 1 / 10), np.diag([1.0, 4.0]))


@pytest.mark.parametrize("df", [np.inf, 30])
def test_draws_have_the_covariance_of_differences_that_they_should(df):
    V = correlated(np.random.default_rng(1), 4)
    board = board_of(np.zeros(4), V, df)
    drawn = simulate(board, estimable(board), 40_000, 0)
    gap = drawn.errors[:, None, :] - drawn.errors[None, :, :]
    used = estimable(board)
    assert np.std(gap * drawn.scale[:, :, None], axis=2)[used] == pytest.approx(np.ones(12), abs=0.02)
    correlation = np.corrcoef(gap[0, 1], gap[0, 2])[0, 1]
    variance = board.variance_of_differences
    shared = (variance[0, 1] + variance[0, 2] - variance[1, 2]) / 2 / np.sqrt(variance[0, 1] * variance[0, 2])
    if np.isinf(df):
        assert correlation == pytest.approx(shared, abs=0.02)
        assert drawn.per_degree == 0
    else:
        assert drawn.per_degree == pytest.approx(1 / 30)


def test_the_largest_error_of_independent_scores_is_that_of_as_many_normals():
    found = score_maxima(board_of(np.zeros(5), np.diag([1.0, 4.0, 9.0, 0.01, 1.0])), 20_000, 0)
    plain = np.abs(np.random.default_rng(9).standard_normal((5, 200_000))).max(axis=0)
    for level in (0.1, 0.5, 0.9):
        assert np.quantile(found, level) == pytest.approx(np.quantile(plain, level), abs=0.03)


def test_parts_cover_all_draws_once():
    for total in (0, 1, 511, 512, 513, 2000):
        assert [k for part in in_parts(total) for k in range(part.start, part.stop)] == list(range(total))


def test_shrinking_keeps_variances_and_goes_with_few_degrees_of_freedom():
    V = correlated(np.random.default_rng(2), 5)
    kept = [abs(shrunk(V, 1 / df)[0, 1]) for df in (3, 30, 300, 1e9)]
    assert kept == sorted(kept)
    assert kept[-1] == pytest.approx(abs(V[0, 1]), rel=1e-6)
    np.testing.assert_array_equal(np.diag(shrunk(V, 1 / 30)), np.diag(V))
