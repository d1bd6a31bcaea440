"""Adaptive sampling: schedules that do and do not depend on outcomes."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath import Battles, Factor
from beatpath.evidence_design.adaptive_sampling import (
    BLOCKS,
    MOST_EXCHANGEABLE,
    _rating_differences,
    _strata,
    adaptive_sampling,
    equal_meetings,
)


def battles_of(a, b, outcome, **columns):
    factors = {name: Factor.of(map(str, columns.pop(name))) for name in ("judge", "cluster") if name in columns}
    agents = tuple(f"agent{i:02d}" for i in range(int(max(np.max(a), np.max(b))) + 1))
    return Battles(
        agents, np.array(a, np.int32), np.array(b, np.int32), np.array(outcome, float), factors=factors, **columns
    )


def won(rng, lead):
    return (rng.random(len(lead)) < 1 / (1 + np.exp(-lead))).astype(float)


def random_battles(rng, spread):
    """Pairs at random, whatever the results."""
    theta, a = np.linspace(spread, -spread, 8), rng.integers(0, 8, 600)
    b = (a + rng.integers(1, 8, 600)) % 8
    return a, b, (rng.random(600) < 1 / (1 + np.exp(theta[b] - theta[a]))).astype(float)


def fixed(rng, spread):
    """Every pair in turn."""
    theta, (i, j) = np.linspace(spread, -spread, 8), np.triu_indices(8, 1)
    a, b = np.tile(i, 20), np.tile(j, 20)
    return a, b, (rng.random(len(a)) < 1 / (1 + np.exp(theta[b] - theta[a]))).astype(float)


def matched(rng, spread):
    """Those that stand next to each other meet."""
    theta, won, played, rows = np.linspace(spread, -spread, 8), np.zeros(8), np.zeros(8), []
    for _ in range(200):
        order = np.argsort(-((won + 1) / (played + 2) + rng.normal(0, 0.05, 8)))
        for x, y in zip(order[::2], order[1::2], strict=True):
            s = float(rng.random() < 1 / (1 + np.exp(theta[y] - theta[x])))
            rows.append((x, y, s))
            won[[x, y]] += s, 1 - s
            played[[x, y]] += 1
    return tuple(map(np.array, zip(*rows, strict=True)))


def dropped(rng, spread):
    """After every ten battles of each, pairs that look decided meet no more."""
    theta, (i, j), rows = np.linspace(spread, -spread, 8), np.triu_indices(8, 1), []
    won, played, left = np.zeros(28), np.zeros(28), np.ones(28, dtype=bool)
    for _ in range(10):
        for p in rng.permutation(np.repeat(np.flatnonzero(left), 10)):
            s = float(rng.random() < 1 / (1 + np.exp(theta[j[p]] - theta[i[p]])))
            rows.append((i[p], j[p], s))
            won[p] += s
            played[p] += 1
        left &= np.abs(won - played / 2) < np.sqrt(played)
    return tuple(map(np.array, zip(*rows, strict=True)))


def by_judge(rng, odd):
    """A file sorted by judge, one of eight of whom has tastes of its own."""
    a, b, s = random_battles(rng, 0.5)
    judge, taste = np.repeat(np.arange(8), 75), odd * rng.permutation(np.linspace(-1, 1, 8))
    return battles_of(a, b, np.where(judge == rng.integers(8), won(rng, taste[a] - taste[b]), s), judge=judge)


def of_ballots(rng, spread):
    """Rankings of four of twelve agents, each pair of a ballot a row, the better one first."""
    theta, rows = np.linspace(spread, -spread, 12), []
    for ballot in range(150):
        four = rng.permutation(12)[:4]
        four = four[np.argsort(-theta[four] - rng.gumbel(size=4))]
        rows += [(four[i], four[j], 1.0, ballot) for i in range(4) for j in range(i + 1, 4)]
    a, b, s, ballot = map(np.array, zip(*rows, strict=True))
    return battles_of(a, b, s, cluster=ballot)


def of_prompts(rng, spread):
    """Prompts in order, each with six battles and an agent's own luck."""
    prompt = np.repeat(np.arange(120), 6)
    a = rng.integers(0, 8, 720)
    b, luck = (a + rng.integers(1, 8, 720)) % 8, rng.normal(0, spread, (120, 8))
    return battles_of(a, b, won(rng, luck[prompt, a] - luck[prompt, b]), cluster=prompt)


def cups(rng, spread, **columns):
    """Sixty knock-out cups of 16 of 40 agents, drawn in advance: most pairs meet once or twice, and sides are shown."""
    fixed, theta, rows = np.random.default_rng(5), np.linspace(spread, -spread, 40), []
    for _ in range(60):
        left = fixed.choice(40, 16, replace=False)
        while len(left) > 1:
            rows += zip(left[::2], left[1::2], strict=True)
            left = np.where(fixed.random(len(left) // 2) < 0.5, left[::2], left[1::2])
    a, b = np.array(rows).T
    return battles_of(a, b, won(rng, theta[a] - theta[b]), position=np.ones(len(a), np.int8), **columns)


def sessions_of_cups(rng, spread):
    return cups(rng, spread, cluster=np.arange(900) // 15)


def weakly_matched(rng, spread):
    """Equal agents; one at random meets the nearer in Elo rating of two others."""
    rating, rows = np.zeros(12), []
    for _ in range(1500):
        a, *two = rng.permutation(12)[:3]
        b = min(two, key=lambda x: abs(rating[x] - rating[a]))
        s = float(rng.random() < 0.5)
        rows.append((a, b, s))
        rating[[a, b]] += 0.1 * (s - 1 / (1 + np.exp(rating[b] - rating[a]))) * np.array([1, -1])
    return tuple(map(np.array, zip(*rows, strict=True)))


def alarms(world, spread, runs):
    boards = (world(np.random.default_rng([k, 1]), spread) for k in range(runs))
    results = [adaptive_sampling(one if isinstance(one, Battles) else battles_of(*one)) for one in boards]
    return np.mean([one.p_value <= 0.05 for one in results])


@pytest.mark.parametrize(
    ("world", "spread"),
    [
        (random_battles, 0.0),
        (random_battles, 1.0),
        (by_judge, 3.0),
        (of_ballots, 1.0),
        (of_prompts, 1.5),
        (cups, 0.0),
        (sessions_of_cups, 1.5),
    ],
)
def test_schedules_independent_of_outcomes_raise_no_more_alarms_than_the_level(world, spread):
    assert alarms(world, spread, 80) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 80)


def test_rows_of_a_ballot_that_nobody_named_do_raise_alarms():
    """The better agent of every pair comes first and again: in the file, outcomes do steer the order of rows."""
    unnamed = [replace(of_ballots(np.random.default_rng(k), 1.0), factors={}) for k in range(5)]
    assert all(adaptive_sampling(one).p_value <= 0.05 for one in unnamed)


@pytest.mark.parametrize(("world", "spread"), [(matched, 0.0), (matched, 0.5), (weakly_matched, 0.0), (dropped, 0.5)])
def test_matchmaking_and_early_dropping_are_detected(world, spread):
    assert alarms(world, spread, 12) >= 0.75


def test_equal_counts_of_all_pairs_show_no_adaptive_sampling():
    board = battles_of(*fixed(np.random.default_rng(1), 0.7))
    assert equal_meetings(board) == 20
    assert adaptive_sampling(board) is None
    assert equal_meetings(board.take(np.arange(1, 560))) == 0


def test_time_and_not_the_order_of_rows_decides_where_it_is_known():
    a, b, s = matched(np.random.default_rng(3), 0.5)
    mixed = np.random.default_rng(4).permutation(len(a))
    result = adaptive_sampling(battles_of(a[mixed], b[mixed], s[mixed], time=mixed.astype(float)))
    assert result == adaptive_sampling(battles_of(a, b, s))
    assert result.p_value <= 0.05
    assert adaptive_sampling(battles_of(a[mixed], b[mixed], s[mixed])).p_value > 0.05


def test_battles_of_one_time_have_no_order():
    """Their rows stand with the winner first to play again, which says nothing."""
    board = of_ballots(np.random.default_rng(2), 1.0)
    assert (
        adaptive_sampling(replace(board, factors={}, time=board.factors["cluster"].codes.astype(float))).p_value > 0.05
    )


def test_which_side_a_battle_names_first_changes_nothing():
    a, b, s = matched(np.random.default_rng(5), 0.0)
    turned = np.arange(len(a)) % 3 == 0
    other = adaptive_sampling(battles_of(np.where(turned, b, a), np.where(turned, a, b), np.where(turned, 1 - s, s)))
    assert other == adaptive_sampling(battles_of(a, b, s))


def test_pairs_that_meet_once_show_no_schedule():
    i, j = np.triu_indices(30, 1)
    assert adaptive_sampling(battles_of(np.append(i, 0), np.append(j, 1), np.ones(len(i) + 1))) is None


def test_leads_and_winners_by_hand():
    """A pair with 1 0 1 1 over and over: leads before the second, third and fourth battle are 1, 0 and 1 / sqrt(3)."""
    a, s = np.zeros(60, dtype=int), np.tile([1.0, 0.0, 1.0, 1.0], 15)
    result = adaptive_sampling(battles_of(np.append(a, 2), np.append(a + 1, 3), np.append(s, 1.0)))
    k = np.arange(1, 60)
    lead = np.abs(np.cumsum(2 * s - 1)[:-1]) / np.sqrt(k)
    assert result.statistics["lead"][0] == pytest.approx((lead**6).mean() ** (1 / 6))
    assert result.statistics["winner"][0] == 0  # both always play next


@pytest.mark.parametrize("size", [1, 5])
def test_two_agents_meet_at_the_difference_that_is_expected_of_their_only_pair(size):
    """Pairs sampled from a schedule of one pair are that pair: the ratio is 1 whoever wins."""
    rng, n = np.random.default_rng(0), 60
    edges, step = rng.choice([-0.5, 0.5], (n, 9)), np.arange(n) // size
    ratio = _rating_differences(np.zeros(n, np.int64), np.ones(n, np.int64), edges, step, rng)
    np.testing.assert_allclose(ratio, 1, rtol=1e-9)


def same(codes):
    return np.equal.outer(codes, codes)


def test_outcomes_are_permuted_within_what_leaves_enough_rows_exchangeable():
    """Of a pair, a judge and a half of the time; where a column leaves too few rows, whole levels of it move."""
    rows, pair = np.arange(120), np.tile([0, 1], 60)
    stratum, cluster = _strata(pair, [])
    block = rows * BLOCKS // 120
    np.testing.assert_array_equal(same(stratum), same(pair) & same(block))
    np.testing.assert_array_equal(cluster, rows)
    apart = np.arange(120) // 2  # no pair repeats often enough for blocks to leave anything
    stratum, cluster = _strata(np.where(rows < 60, rows, rows - 60), [])
    np.testing.assert_array_equal(same(stratum), same(rows % 60))
    judge = rows // 40
    stratum, cluster = _strata(pair, [judge, apart])
    np.testing.assert_array_equal(same(stratum), same(pair) & same(judge))
    np.testing.assert_array_equal(same(cluster), same(apart))
    enough = np.where(rows < 120 * MOST_EXCHANGEABLE, 0, rows)  # exactly as many rows as must remain
    stratum, cluster = _strata(0 * pair, [enough, rows])
    np.testing.assert_array_equal(same(stratum), same(enough))
    stratum, cluster = _strata(0 * pair, [np.where(rows == 0, 200, enough)])
    assert same(stratum).all()
