"""Critical values against quantiles known otherwise, against plain evaluation, and with few degrees of freedom."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from beatpath import UsageError
from beatpath.inference.ranks.critical import (
    Critical,
    between,
    bonferroni,
    draws_quantile,
    of_all,
    of_each_agent,
)
from beatpath.inference.ranks.differences import estimable, gaussian_equivalent
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.ranks.simulation import score_maxima, simulate
from helpers.plain_boards import board_of, boards_with_hypotheses, correlated


def family_of_all(board, draws=20_000, seed=0, level=0.95):
    used = estimable(board)
    return of_all(simulate(board, used, draws, seed), level), np.triu(used)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_of_two_agents_it_is_the_normal_quantile(level):
    family, left = family_of_all(board_of([0, 0], [[1.0, 0.3], [0.3, 2.0]]), level=level)
    quantile = family.critical(left, left)
    assert quantile.value == pytest.approx(stats.norm.ppf((1 + level) / 2), abs=4 * quantile.error + 1e-6)


@pytest.mark.parametrize("n", [3, 10, 40])
def test_of_independent_equal_errors_it_is_the_studentized_range(n):
    family, left = family_of_all(board_of(np.zeros(n), np.eye(n)))
    quantile = family.critical(left, left)
    known = stats.studentized_range.ppf(0.95, n, np.inf) / np.sqrt(2)
    assert 0 < quantile.error < 0.02
    assert quantile.value == pytest.approx(known, abs=4 * quantile.error)


@pytest.mark.parametrize("n", [3, 10, 40])
def test_equal_agents_with_shared_and_unequal_errors_are_separated_in_one_board_of_twenty(n):
    rng = np.random.default_rng(n)
    V = correlated(rng, n)
    family, left = family_of_all(board_of(np.zeros(n), V))
    c = family.critical(left, left)
    a, b = np.nonzero(left)
    draws = rng.multivariate_normal(np.zeros(n), V, size=20_000)
    largest = np.abs((draws[:, a] - draws[:, b]) / np.sqrt(V[a, a] + V[b, b] - 2 * V[a, b])).max(axis=1)
    wrong = [np.mean(largest > c.value + k * c.error) for k in (3, -3)]
    assert wrong[0] - 3.5 * np.sqrt(0.0475 / 20_000) < 0.05 < wrong[1] + 3.5 * np.sqrt(0.0475 / 20_000)


def dunnett(c, k):
    """Chance that *k* agents all lie within *c* errors of one more, errors being equal and independent."""

    def inside(z):
        return stats.norm.pdf(z) * (stats.norm.cdf(z + c * np.sqrt(2)) - stats.norm.cdf(z - c * np.sqrt(2))) ** k

    return integrate.quad(inside, -8, 8)[0]


@pytest.mark.parametrize("n", [3, 12])
def test_of_one_agent_it_is_that_of_many_comparisons_with_one(n):
    board = board_of(np.zeros(n), np.eye(n))
    used = estimable(board)
    for a, family in zip(range(3), of_each_agent(simulate(board, used, 20_000, 1), 0.95), strict=False):
        c = family.critical(used[a : a + 1], used[a : a + 1])
        slope = (dunnett(c.value + 0.01, n - 1) - dunnett(c.value - 0.01, n - 1)) / 0.02
        assert dunnett(c.value, n - 1) == pytest.approx(0.95, abs=4.5 * c.error * slope)


def test_of_independent_scores_it_is_the_root_of_the_level():
    quantile = draws_quantile(0.95, score_maxima(board_of(np.zeros(20), np.diag(np.arange(1.0, 21))), 20_000, 0))
    assert quantile.value == pytest.approx(stats.norm.ppf((1 + 0.95 ** (1 / 20)) / 2), abs=4 * quantile.error)


def test_the_error_shown_is_how_much_seeds_differ():
    board = board_of(np.zeros(8), correlated(np.random.default_rng(0), 8))
    quantiles = []
    for seed in range(40):
        family, left = family_of_all(board, draws=4_000, seed=seed)
        quantiles.append(family.critical(left, left))
    spread = np.std([one.value for one in quantiles], ddof=1)
    assert spread == pytest.approx(np.mean([one.error for one in quantiles]), rel=0.4)


@given(boards_with_hypotheses(), st.sampled_from([0.8, 0.95]))
@settings(max_examples=60)
def test_working_out_the_largest_draws_only_finds_the_same_quantile(case, level):
    board, used, left = case
    if left.any():
        simulated = simulate(board, used, 1_500, 7)
        family = of_all(simulated, level)
        family.critical(np.triu(used), np.triu(used))
        lazily = family.critical(np.triu(left), np.triu(left.T))
        gap = (simulated.errors[:, None, :] - simulated.errors[None, :, :]) * simulated.scale[:, :, None]
        plainly = draws_quantile(level, np.maximum(gap[left].max(axis=0), 0))
        shared = bonferroni(level, left.sum()).value
        assert lazily.value == pytest.approx(min(plainly.value, shared), rel=1e-4, abs=1e-6)


@given(boards_with_hypotheses())
@settings(max_examples=40)
def test_fewer_hypotheses_never_need_a_larger_value_and_bonferroni_is_never_passed(case):
    board, used, left = case
    simulated = simulate(board, used, 1_000, 5)
    family = of_all(simulated, 0.95)
    if left.any():
        all_of_them = family.critical(np.triu(used), np.triu(used)).value
        some = family.critical(np.triu(left), np.triu(left.T)).value
        assert some <= all_of_them <= bonferroni(0.95, int(used.sum())).value
        assert some <= bonferroni(0.95, int(left.sum())).value


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("draws", [211, 400, 999])
def test_the_quantile_of_draws_is_exceeded_by_one_more_draw_as_often_as_the_level(draws, level):
    """One more draw is as likely to have any place among all; the value is the smallest one that is passed seldom enough."""
    maxima = np.random.default_rng(draws).permutation(draws) + 1.0
    value = draws_quantile(level, maxima).value
    places = np.arange(1, draws + 2)  # of the new draw among the old
    assert np.mean(places > value) <= 1 - level + 1e-12
    assert np.mean(places > value - 1) > 1 - level
    spread = np.sqrt(draws * level * (1 - level))  # of how many draws lie below the quantile
    assert draws_quantile(level, maxima).error == pytest.approx(spread, abs=1)


@pytest.mark.parametrize(
    ("df", "share"), [(np.inf, 0), (1000, 0.01), (40, 0.25), (20, 0.5), (11, 10 / 11), (10, 1), (4, 1)]
)
def test_few_degrees_of_freedom_take_the_value_ten_over_them_of_the_way_to_bonferroni(df, share):
    interpolated = between(Critical(2.0, 0.02), Critical(3.0), 1 / df)
    assert interpolated.value == pytest.approx(2 + share)
    assert interpolated.error == pytest.approx(0.02 * (1 - share))


def test_a_family_with_few_degrees_of_freedom_is_held_to_more():
    values = []
    for df in (np.inf, 40, 12):
        family, left = family_of_all(board_of(np.zeros(6), np.eye(6), df))
        values.append(family.critical(left, left).value)
    shared = stats.norm.isf(0.05 / 30)
    known = stats.studentized_range.ppf(0.95, 6, np.inf) / np.sqrt(2)
    for value, share in zip(values, (0, 10 / 40, 10 / 12), strict=True):
        assert value == pytest.approx(known + share * (shared - known), abs=0.03)


def unresolved(y, rng_seed):
    """Whether no two agents are distinguished, from scores (agents, tasks)."""
    m = y.shape[1]
    board = board_of(y.mean(axis=1), np.cov(y) / m, m - 1)
    family, left = family_of_all(board, draws=400, seed=rng_seed)
    c = family.critical(left, left).value
    sd = np.sqrt(board.variance_of_differences[left])
    return np.abs(gaussian_equivalent(board.differences[left] / sd, m - 1)).max() <= c


@pytest.mark.parametrize(("n", "tasks", "factor"), [(40, 6, 0.0), (12, 11, 0.0), (12, 11, 1.0), (20, 31, 1.0)])
def test_equal_agents_measured_on_few_tasks_stay_unresolved(n, tasks, factor):
    rng = np.random.default_rng(n + tasks)
    loading = factor * rng.normal(size=n)[:, None]
    boards = 150
    held = [unresolved(rng.normal(size=(n, tasks)) + loading * rng.normal(size=tasks), k) for k in range(boards)]
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / boards)


def test_too_few_draws_are_refused_with_the_number_that_would_do():
    with pytest.raises(UsageError, match=r"draws=1,000 at level=0.999.*10,000 or more"):
        draws_quantile(0.999, np.zeros(1_000))


@given(boards_with_hypotheses())
@settings(max_examples=40)
def test_of_one_agent_fewer_hypotheses_are_judged_by_what_plain_evaluation_gives(case):
    board, used, left = case
    simulated = simulate(board, used, 1_000, 2)
    gap = (simulated.errors[:, None, :] - simulated.errors[None, :, :]) * simulated.scale[:, :, None]
    for a, family in enumerate(of_each_agent(simulated, 0.9)):
        some = np.stack([left[a], left[:, a]])
        if some.any() and used[a].any():
            family.critical(used[a : a + 1], used[a : a + 1])
            quantile = family.critical(some[:1], some[1:])
            largest = np.concatenate([gap[a][some[0]], -gap[a][some[1]]]).max(axis=0)
            plainly = draws_quantile(0.9, np.maximum(largest, 0))
            assert quantile.value == pytest.approx(
                min(plainly.value, bonferroni(0.9, some.sum()).value), rel=1e-4, abs=1e-6
            )


def test_differences_far_from_zero_leave_the_largest_statistic_by_their_confidence_bounds():
    rng = np.random.default_rng(5)
    n, level, part = 8, 0.95, 0.02 * 0.05
    truth = np.repeat([0.0, 9.0], n // 2)
    board = board_of(truth, correlated(rng, n))
    used = estimable(board)
    simulation = simulate(board, used, 20_000, 0)
    z = np.subtract.outer(truth, truth) * simulation.scale * np.sqrt(2)
    left = used & (z < 6)  # what is significantly positive has left the family
    family = of_all(simulation, level)
    everything = family.critical(np.triu(used), np.triu(used)).value
    value = family.critical(np.triu(left), np.triu(left.T), z).value
    mean = np.minimum(0, z + stats.norm.isf(part / used.sum()))
    gap = (simulation.errors[:, None] - simulation.errors[None]) * simulation.scale[:, :, None] + mean[:, :, None]
    expected = np.quantile(gap[left].max(axis=0), level + part, method="higher")
    plain = of_all(simulation, level).critical(np.triu(left), np.triu(left.T)).value
    assert value == pytest.approx(expected, abs=2e-3)
    assert value < plain - 0.05 < everything


@pytest.mark.parametrize("apart", [1.0, 20.0])
def test_of_blocks_of_equal_agents_far_apart_it_is_the_largest_studentized_range_of_a_block(apart):
    truth = apart * np.repeat(np.arange(5), 4)
    sets = rank_sets(board_of(truth, np.eye(20)), draws=20_000)
    # of the error of 0.05, 0.001 is for the bounds that show the blocks to be apart
    known = stats.studentized_range.ppf(0.951 ** (1 / 5), 4, np.inf) / np.sqrt(2)
    assert (sets.critical[0] == pytest.approx(known, abs=4 * sets.critical_error[0])) == (apart > 1)
    assert sets.interval_critical.value == pytest.approx(
        stats.studentized_range.ppf(0.95, 20, np.inf) / np.sqrt(2), abs=0.03
    )
