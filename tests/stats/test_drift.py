"""Trends: their law under all deals by brute force, false alarms held to the level, and drift detected."""

from itertools import permutations

import numpy as np
import pytest

from beatpath.stats.drift import Trend, detectable_change, trends


def season(rng, agents, battles, spread=1.0, ties=0.2, drift=0.0, position=0.3, position_drift=0.0):
    theta = rng.normal(0, spread, agents)
    a = rng.integers(0, agents, battles)
    b = (a + rng.integers(1, agents, battles)) % agents
    time, order = np.arange(battles) / battles, rng.choice([-1, 1], battles)
    gap = theta[a] - theta[b] + (position + position_drift * time) * order
    gap += drift * ((a == 0).astype(float) - (b == 0)) * (time - 0.5)
    outcome = (rng.random(battles) < 1 / (1 + np.exp(-gap))).astype(float)
    outcome[rng.random(battles) < ties] = 0.5
    return a, b, outcome, time, order


def alarms(runs, seed, *args, **kwargs):
    rng = np.random.default_rng(seed)
    tests = [trends(*season(rng, *args, **kwargs)) for _ in range(runs)]
    return [[one for one in run if one.adjusted <= 0.05] for run in tests]


def test_the_variance_is_that_over_all_deals_of_times():
    y = np.array([1, 1, 0, 1, 0.5, 0])
    x = np.arange(6) / 5
    dealt = [((y - y.mean()) * x[list(deal)]).sum() for deal in permutations(range(6))]
    many = np.tile(y, 40), np.repeat(np.arange(40), 6)  # forty pairs of the same outcomes
    tests = trends(np.zeros(240, int), many[1] + 1, many[0], np.tile(x, 40))  # agent 0 meets forty others
    first = next(one for one in tests if one.agent == 0)
    xx = 40 * ((x - x.mean()) ** 2).sum()
    span = np.sqrt(12 * np.var(x, ddof=1))
    assert first.error == pytest.approx(np.sqrt(40 * np.var(dealt)) / xx * span)
    assert first.change == pytest.approx(40 * ((y - y.mean()) * (x - x.mean())).sum() / xx * span)


@pytest.mark.parametrize(("agents", "battles", "spread"), [(2, 60, 0.0), (5, 300, 2.5), (20, 2000, 1.0)])
def test_without_drift_alarms_stay_within_the_error(agents, battles, spread):
    share = np.mean([bool(run) for run in alarms(400, 7, agents, battles, spread)])
    assert share <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 400)


def test_an_agent_that_changes_is_detected_and_position_is_not_blamed():
    runs = alarms(60, 8, 10, 2000, drift=2.5)
    assert np.mean([any(one.agent == 0 for one in run) for run in runs]) > 0.8
    assert np.mean([any(one.what == "position" for one in run) for run in runs]) < 0.1


def test_a_growing_position_bias_is_detected():
    runs = alarms(60, 9, 10, 2000, position_drift=1.0)
    assert np.mean([any(one.what == "position" and one.change > 0 for one in run) for run in runs]) > 0.8


def test_a_growing_advantage_of_who_is_first_is_half_the_difference_of_the_slopes_of_both_orders():
    """Without noise, whatever the times: one order is spread over all the season, the other over its middle."""
    x = np.tile(np.concatenate([np.arange(21) / 20, np.arange(5, 16) / 20]), 100)
    order = np.tile(np.repeat([1, -1], [21, 11]), 100)
    zeros = np.zeros(len(x), dtype=np.int64)
    tests = trends(zeros, zeros + 1, 0.4 + 0.2 * x + 0.3 * order * x, x, order)
    (position,) = (one for one in tests if one.what == "position")
    within = np.concatenate([x[order == k] - x[order == k].mean() for k in (1, -1)])
    assert position.change / np.sqrt(12 * (within**2).sum() / (len(x) - 2)) == pytest.approx(0.3)


def test_a_growing_share_of_ties_is_detected():
    rng = np.random.default_rng(10)
    a, b, outcome, time, order = season(rng, 6, 1500, ties=0.0)
    outcome[rng.random(1500) < 0.1 + 0.3 * time] = 0.5
    trend = next(one for one in trends(a, b, outcome, time, order) if one.what == "ties")
    assert trend.adjusted < 0.001
    assert trend.change == pytest.approx(0.3, abs=4 * trend.error)


def test_the_change_seen_with_power_grows_with_the_number_of_tests():
    one = Trend(0, "strength", 0.0, 0.1, 1.0)
    assert detectable_change([one], 0.05) == pytest.approx(0.1 * (1.959964 + 0.841621), abs=1e-6)
    assert detectable_change([one] * 10, 0.05) > detectable_change([one], 0.05)


@pytest.mark.parametrize(
    ("agents", "clusters", "size", "spread"), [(5, 30, 20, 2.0), (12, 200, 10, 1.0), (20, 600, 3, 0.0)]
)
def test_clusters_that_lean_each_its_own_way_are_no_drift(agents, clusters, size, spread):
    def season_of_clusters(rng):
        cluster = np.repeat(np.arange(clusters), size)
        a = rng.integers(agents, size=len(cluster))
        b = (a + rng.integers(1, agents, size=len(cluster))) % agents
        lean = rng.normal(0, 0.7, agents) + rng.normal(0, spread, (clusters, agents))
        won = rng.random(len(cluster)) < 1 / (1 + np.exp(lean[cluster, b] - lean[cluster, a]))
        order = rng.choice([-1, 1], len(cluster))
        return a, b, won.astype(float), np.arange(len(cluster)) / len(cluster), order, cluster

    rng = np.random.default_rng(11)
    share = np.mean([trends(*season_of_clusters(rng))[0].adjusted <= 0.05 for _ in range(200)])
    assert share <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 200)


def test_an_agent_that_changes_is_detected_among_clusters_too():
    rng, alarms = np.random.default_rng(12), 0
    for _ in range(40):
        a, b, outcome, time, order = season(rng, 8, 2000, drift=2.5)
        alarms += any(
            one.agent == 0 and one.adjusted <= 0.05 for one in trends(a, b, outcome, time, order, np.arange(2000) // 5)
        )
    assert alarms > 30


def test_battles_without_a_cluster_are_clusters_of_their_own():
    a, b, outcome, time, order = season(np.random.default_rng(13), 4, 600)
    alone = trends(a, b, outcome, time, order, np.arange(600))
    assert trends(a, b, outcome, time, order, np.full(600, -1)) == alone
