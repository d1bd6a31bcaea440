"""Draws of errors: their covariance, the shrinkage of correlations by the paper's formula, and what rounding may do."""

import numpy as np
import pytest
from hypothesis import given, settings

from beatpath.inference.ranks.critical import (
    hypotheses,
    largest_statistic,
    of_all,
)
from beatpath.inference.ranks.differences import estimable
from beatpath.inference.ranks.simulation import _largest_bound, in_parts, score_maxima, shrunk, simulate
from helpers.plain_boards import board_of, boards_with_hypotheses, correlated


def family_of_all(board, draws=20_000, seed=0, level=0.95):
    used = estimable(board)
    return of_all(simulate(board, used, draws, seed), level), np.triu(used)


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
    expected = (1 - oas(C, nu)) * C + oas(C, nu) * np.eye(p)
    np.testing.assert_allclose(shrunk(V, 1 / nu), expected * np.outer(deviation, deviation), rtol=1e-9)


def test_without_correlations_there_is_nothing_to_shrink():
    np.testing.assert_array_equal(shrunk(np.diag([1.0, 4.0]), 1 / 10), np.diag([1.0, 4.0]))


@pytest.mark.parametrize("df", [np.inf, 30])
def test_draws_have_the_covariance_of_differences_that_they_should(df):
    V = correlated(np.random.default_rng(1), 4)
    board = board_of(np.zeros(4), V, df)
    simulated = simulate(board, estimable(board), 40_000, 0)
    gap = simulated.errors[:, None, :] - simulated.errors[None, :, :]
    used = estimable(board)
    assert np.std(gap * simulated.scale[:, :, None], axis=2)[used] == pytest.approx(np.ones(12), abs=0.02)
    correlation = np.corrcoef(gap[0, 1], gap[0, 2])[0, 1]
    variance = board.variance_of_differences
    shared = (variance[0, 1] + variance[0, 2] - variance[1, 2]) / 2 / np.sqrt(variance[0, 1] * variance[0, 2])
    if np.isinf(df):
        assert correlation == pytest.approx(shared, abs=0.02)
        assert simulated.per_degree == 0
    else:
        assert simulated.per_degree == pytest.approx(1 / 30)


def test_the_largest_error_of_independent_scores_is_that_of_as_many_normals():
    maxima = score_maxima(board_of(np.zeros(5), np.diag([1.0, 4.0, 9.0, 0.01, 1.0])), 20_000, 0)
    plain = np.abs(np.random.default_rng(9).standard_normal((5, 200_000))).max(axis=0)
    for level in (0.1, 0.5, 0.9):
        assert np.quantile(maxima, level) == pytest.approx(np.quantile(plain, level), abs=0.03)


def test_chunks_cover_all_draws_once():
    for total in (0, 1, 511, 512, 513, 2000):
        assert [k for part in in_parts(total) for k in range(part.start, part.stop)] == list(range(total))


def test_shrinking_keeps_variances_and_goes_with_few_degrees_of_freedom():
    V = correlated(np.random.default_rng(2), 5)
    correlations = [abs(shrunk(V, 1 / df)[0, 1]) for df in (3, 30, 300, 1e9)]
    assert correlations == sorted(correlations)
    assert correlations[-1] == pytest.approx(abs(V[0, 1]), rel=1e-6)
    np.testing.assert_array_equal(np.diag(shrunk(V, 1 / 30)), np.diag(V))


@given(boards_with_hypotheses())
@settings(max_examples=40)
def test_bounds_are_bounds(case):
    board, used, _ = case
    simulated = simulate(board, used, 300, 3)
    scale = np.triu(simulated.scale).astype(simulated.errors.dtype)
    exact = largest_statistic(simulated.errors, hypotheses(np.arange(len(used)), scale, 0 * scale, 0 * scale))
    assert (simulated.bound() >= exact * (1 - 1e-6)).all()


def test_errors_shared_by_all_agents_change_nothing():
    board = board_of(np.zeros(6), np.eye(6))
    shared = board_of(np.zeros(6), np.eye(6) + 1e6)
    (one, left), (two, _) = family_of_all(board), family_of_all(shared)
    assert one.critical(left, left).value == pytest.approx(two.critical(left, left).value, abs=1e-3)


@pytest.mark.parametrize(("apart", "kind"), [(1e-2, np.float32), (1e-8, np.float64)])
def test_double_precision_is_used_where_agents_err_almost_alike(apart, kind):
    V = np.array([[1.0, 1.0, 0.0], [1.0, 1.0 + apart, 0.0], [0.0, 0.0, 1.0]])
    board = board_of(np.zeros(3), V)
    assert simulate(board, estimable(board), 100, 0).errors.dtype == kind


def test_the_order_of_agents_changes_no_draw():
    rng = np.random.default_rng(4)
    V, p = correlated(rng, 6), rng.permutation(6)
    names = tuple("abcdef")
    one = board_of(np.zeros(6), V, names=names)
    two = board_of(np.zeros(6), V[np.ix_(p, p)], names=tuple(names[i] for i in p))
    first, second = simulate(one, estimable(one), 600, 0), simulate(two, estimable(two), 600, 0)
    np.testing.assert_allclose(second.errors, first.errors[p], rtol=1e-4, atol=1e-5)


def test_a_covariance_that_is_not_positive_is_repaired_and_reported():
    V = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    simulated = simulate(board_of(np.zeros(3), V), estimable(board_of(np.zeros(3), V)), 2_000, 0)
    assert simulated.mended
    gap = (simulated.errors[0] - simulated.errors[1]) * simulated.scale[0, 1]
    assert np.std(gap) == pytest.approx(1, abs=0.06)
    assert not simulate(board_of(np.zeros(3), np.eye(3)), np.ones((3, 3), bool) ^ np.eye(3, dtype=bool), 100, 0).mended


def test_bounds_are_the_largest_statistic_of_two_agents_and_near_it_of_more():
    rng = np.random.default_rng(8)
    for n in (2, 3, 6):
        errors, radius = rng.normal(size=(n, 500)), rng.uniform(0.5, 4, n)
        exact = np.max(np.abs(errors[:, None] - errors[None, :]) / (radius[:, None] + radius)[:, :, None], axis=(0, 1))
        ratio = _largest_bound(errors, 1 / radius) / exact
        assert ratio.min() > 1 - 1e-9
        assert np.median(ratio) < 1 + 1e-9
        assert n > 2 or ratio.max() < 1 + 1e-9
