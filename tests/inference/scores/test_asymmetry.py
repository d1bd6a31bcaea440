"""Intervals of mean scores: Wilson's for shares, skewed toward the long tail elsewhere, and as often right as they say."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import beatpath as bp
from beatpath.inference.options import ResolveOptions
from beatpath.inference.ranks.critical import bonferroni
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.ranks.rank_sets import score_intervals
from beatpath.inference.resolve.long_board import long_board
from beatpath.inference.scores.estimands import leaderboard
from beatpath.methods.profile import profile_of
from beatpath.stats.skewed_means import Asymmetry, score_ends


def table_of(values):
    names = [f"a{i:04d}" for i in range(len(values))], [f"t{i:03d}" for i in range(len(values[0]))]
    return bp.Scores.from_table(np.asarray(values, dtype=np.float64), *names)


def intervals_of(values):
    return score_intervals(leaderboard(table_of(values)), bonferroni(0.95, 2))


@pytest.mark.parametrize("solved", [0, 3, 15, 20])
def test_the_variance_of_a_share_gives_wilsons_interval(solved):
    p, z = np.array([solved / 20]), np.array([stats.norm.ppf(0.975)])
    low, high = score_ends(p, p * (1 - p) / 20, z, Asymmetry((1 - 2 * p) / 20, np.array([1 / 20])))
    wilson = stats.binomtest(solved, 20).proportion_ci(method="wilson")
    assert (low[0], high[0]) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_an_interval_of_solved_tasks_holds_the_shares_whose_own_error_reaches_the_observed_one():
    low, high = intervals_of([[1.0] * 21 + [0.0] * 4, [0.0, 1.0] * 12 + [0.0]])
    t = stats.t.ppf(0.975, 24)

    def beyond(share):
        return abs(21 / 25 - share) - t * np.sqrt(share * (1 - share) / 24)  # T - 1: variances over T (T - 1)

    assert low[0] == pytest.approx(brentq(beyond, 0.01, 0.84), abs=1e-9)
    assert high[0] == pytest.approx(brentq(beyond, 0.84, 0.9999), abs=1e-9)


@pytest.mark.parametrize("tasks", [20, 25, 37])
def test_an_agent_that_solves_everything_has_an_interval_too(tasks):
    low, high = intervals_of([[1.0] * tasks, [0.0, 1.0] * (tasks // 2) + [0.0] * (tasks % 2), [0.0] * tasks])
    missed = stats.t.ppf(0.975, tasks - 1) ** 2
    assert (low[0], high[0]) == pytest.approx((tasks / (tasks + missed), 1.0))
    assert (low[2], high[2]) == pytest.approx((0.0, missed / (tasks + missed)))


def test_an_interval_of_an_agent_that_solves_everything_ends_at_one_exactly():
    for tasks in range(5, 60):
        low, high = intervals_of([[1.0] * tasks, [0.0] * (tasks - 1) + [1.0], [0.0] * tasks])
        assert high[0] == 1.0
        assert low[2] == 0.0


def test_the_slope_is_half_again_what_tilting_the_scores_adds_to_their_variance():
    x = np.random.default_rng(4).exponential(size=30)

    def tilted(by):
        weight = np.exp(by * x) / np.exp(by * x).sum()
        mean = weight @ x
        return mean, weight @ (x - mean) ** 2

    (less, below), (more, above) = tilted(-1e-5), tilted(1e-5)
    slope = leaderboard(table_of([x, x[::-1] ** 2])).asymmetry.slope[0]
    assert slope == pytest.approx(1.5 * (above - below) / (more - less) / 30 * np.sqrt(30 / 29), rel=1e-6)


def test_only_the_end_toward_the_long_tail_moves_and_only_outward():
    x = np.random.default_rng(5).exponential(size=30)
    low, high = intervals_of([x, -x])
    student = stats.t.interval(0.95, 29, x.mean(), x.std(ddof=1) / np.sqrt(30))
    assert low[0] == pytest.approx(student[0])
    assert high[0] > student[1]
    assert (-high[1], -low[1]) == pytest.approx((low[0], high[0]))


def test_scores_without_skewness_have_students_interval():
    x = np.array([-3.0, -1.0, 0.0, 1.0, 3.0] * 4)
    low, high = intervals_of([x, x[::-1]])
    assert (low[0], high[0]) == pytest.approx(stats.t.interval(0.95, 19, 0.0, x.std(ddof=1) / np.sqrt(20)))


# Each fails for Student's interval (0.874, 0.91, 0.865, 0.72), the first also with the sample's own skewness (0.93).
@pytest.mark.parametrize(
    ("draw", "truth", "tasks"),
    [
        (lambda rng, shape: np.exp(np.sqrt(1.25) * rng.normal(size=shape)), np.exp(0.625), 40),
        (lambda rng, shape: rng.exponential(size=shape), 1.0, 20),
        (lambda rng, shape: rng.gamma(0.3, size=shape), 0.3, 20),
        (lambda rng, shape: (rng.random(shape) < 0.95) * 1.0, 0.95, 25),
    ],
)
def test_intervals_of_skewed_scores_cover(draw, truth, tasks):
    low, high = intervals_of(draw(np.random.default_rng(6), (1500, tasks)))
    assert ((low <= truth) & (truth <= high)).mean() > 0.94


def test_a_long_board_has_the_same_intervals():
    table = table_of(np.random.default_rng(7).exponential(size=(5, 12)))
    low, high = score_intervals(leaderboard(table), bonferroni(0.95, 2))
    board = long_board(profile_of(table), ResolveOptions(estimand="mean_score")).ranks
    assert np.column_stack([board.low, board.high]) == pytest.approx(np.column_stack([low, high]))


def test_the_slope_of_a_difference_is_that_of_the_differences_task_by_task():
    x, y = np.random.default_rng(8).exponential(size=(2, 30)) * [[2.0], [1.0]]
    between = leaderboard(table_of([x, y])).asymmetry.between
    alone = leaderboard(table_of([x - y, -x])).asymmetry.slope[0]
    assert between == pytest.approx(np.array([[0.0, alone], [-alone, 0.0]]))


def test_intervals_of_differences_cover_where_few_scores_change_by_much():
    gain, rng, held = np.array([0.0, 0.1, 0.2]), np.random.default_rng(9), 0
    for _ in range(200):
        higher = (rng.random((3, 80)) < gain[:, None]) * rng.exponential(size=(3, 80))
        ranks = bp.rank_sets(
            leaderboard(table_of(rng.normal(size=80) + higher + 0.01 * rng.normal(size=(3, 80)))), draws=1000
        )
        low, high = ranks.board.difference_ends(t_critical(ranks.interval_critical.value, ranks.board.df))
        apart = np.subtract.outer(gain, gain)
        held += ((low <= apart) & (apart <= high))[np.triu_indices(3, 1)].all()
    assert held / 200 > 0.93  # Student's: 0.835


def test_steady_agents_are_not_ordered_against_equal_agents_with_a_long_tail():
    rng, ordered = np.random.default_rng(10), 0
    for _ in range(200):
        steady, risky = np.exp(0.5) + 0.3 * rng.normal(size=(3, 30)), np.exp(rng.normal(size=(3, 30)))
        ordered += bp.rank_sets(leaderboard(table_of(np.vstack([steady, risky]))), draws=1000).above.any()
    assert ordered / 200 < 0.08  # by Student's test 0.16


def test_an_interval_of_a_difference_excludes_zero_where_the_test_is_significant():
    for seed in range(40):
        values = np.random.default_rng(seed).exponential(size=(2, 20)) * [[1.0], [1.6]]
        ranks = bp.rank_sets(leaderboard(table_of(values)))
        gap = ranks.difference("a0001", "a0000")
        assert (not gap.low <= 0 <= gap.high) == (ranks.certain("a0001", "a0000") or ranks.certain("a0000", "a0001"))


def test_means_of_right_and_wrong_answers_are_percentages_whose_intervals_stay_within_them():
    rng = np.random.default_rng(0)
    cells = [
        (a, t, i, float(rng.random() < share))
        for a, share in enumerate((0.97, 0.6))
        for t in range(4)
        for i in range(30)
    ]
    agent, task, item, value = map(list, zip(*cells, strict=True))
    factors = {
        "task": bp.Factor.of(map(str, task)),
        "item": bp.Factor.of(f"{t}-{i}" for t, i in zip(task, item, strict=True)),
    }
    resolution = bp.resolve(bp.Scores(("good", "fair"), agent, value, factors))
    good = resolution["good"]
    assert resolution.ranks.estimand == "mean percentage solved over tasks, compared task by task"
    assert resolution.is_share
    assert good["score"] == pytest.approx(np.mean(value[:120]))
    assert good["low"] < good["score"] < good["high"] == 1.0


@pytest.mark.parametrize(("battles", "widest"), [(10, 0.48), (20, 0.35), (50, 0.225)])
def test_the_interval_of_a_win_rate_covers_it_whatever_it_is(battles, widest):
    """All outcomes of an A/B test; the interval without Wilson's correction covers a win rate of 0.8 or 0.9 with 0.87."""
    ends = []
    for won in range(battles + 1):
        pairs = bp.Pairs(("ada", "bob"), [0], [1], [[won, battles - won, 0, 0]])
        low, high = score_intervals(leaderboard(pairs), bonferroni(0.95, 2))
        ends.append((low[0], high[0]))
    low, high = np.array(ends).T
    rates = np.linspace(0.5, 0.99, 50)
    chance = stats.binom.pmf(np.arange(battles + 1), battles, rates[:, None])
    covered = (chance * ((low <= rates[:, None]) & (rates[:, None] <= high))).sum(axis=1)
    assert covered.min() > 0.92
    assert covered.mean() > 0.95
    assert (chance @ (high - low)).mean() < widest


@pytest.mark.parametrize(("tasks", "missed"), [(20, 5), (20, 6), (20, 8), (30, 6), (50, 7), (12, 7)])
def test_an_agent_that_solves_everything_is_compared_as_by_mcnemars_exact_test(tasks, missed):
    board = leaderboard(table_of([[1.0] * tasks, [0.0] * missed + [1.0] * (tasks - missed)]))
    t = board.differences[0, 1] / np.sqrt(board.variance_if_equal[0, 1])
    exact = stats.binomtest(missed, missed).pvalue  # all tasks on which they differ favor the first
    # 0.3 to 0.7 of it without the correction
    assert 2 * stats.t.sf(t, board.df[0, 1]) == pytest.approx(exact, rel=0.25)


@pytest.mark.parametrize(("tasks", "certain"), [(4, 0), (5, 0), (6, 1), (20, 1)])
def test_all_solved_is_above_nothing_solved_from_six_tasks_on(tasks, certain):
    board = bp.resolve(table_of([[1.0] * tasks, [0.0] * tasks])).to_dict()
    assert stats.binomtest(tasks, tasks).pvalue < 0.05 or not certain
    assert board["resolved_pairs"] == certain


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
def test_agents_that_are_always_as_far_apart_show_no_skewness(order):
    nan = np.nan
    table = np.array([[0.1, 0.5, 0.7], [0.2, nan, 0.8], [nan, 0.25, nan]])[order]  # 0.1 apart, but for rounding
    scores = bp.Scores.from_table(table, ["x", "y", "z"], ["code", "math", "prose"])
    assert np.all(leaderboard(scores, estimand="mean_score").asymmetry.between == 0)
