"""Whether outcomes steered who met whom: schedules that did and did not look at results."""

import numpy as np
import pytest

from beatpath.stats.steering import steering


def drawn(rng, spread):
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
    theta, won, met, rows = np.linspace(spread, -spread, 8), np.zeros(8), np.zeros(8), []
    for _ in range(200):
        order = np.argsort(-((won + 1) / (met + 2) + rng.normal(0, 0.05, 8)))
        for x, y in zip(order[::2], order[1::2], strict=True):
            s = float(rng.random() < 1 / (1 + np.exp(theta[y] - theta[x])))
            rows.append((x, y, s))
            won[[x, y]] += s, 1 - s
            met[[x, y]] += 1
    return tuple(map(np.array, zip(*rows, strict=True)))


def dropped(rng, spread):
    """After every ten battles of each, pairs that look decided meet no more."""
    theta, (i, j), rows = np.linspace(spread, -spread, 8), np.triu_indices(8, 1), []
    won, met, left = np.zeros(28), np.zeros(28), np.ones(28, dtype=bool)
    for _ in range(10):
        for p in rng.permutation(np.repeat(np.flatnonzero(left), 10)):
            s = float(rng.random() < 1 / (1 + np.exp(theta[j[p]] - theta[i[p]])))
            rows.append((i[p], j[p], s))
            won[p] += s
            met[p] += 1
        left &= np.abs(won - met / 2) < np.sqrt(met)
    return tuple(map(np.array, zip(*rows, strict=True)))


def alarms(world, spread, runs):
    found = [steering(*world(np.random.default_rng([k, 1]), spread)) for k in range(runs)]
    return np.mean([one.p_value <= 0.05 for one in found])


@pytest.mark.parametrize(("world", "spread"), [(drawn, 0.0), (drawn, 1.0), (fixed, 0.7)])
def test_schedules_that_look_at_no_result_raise_no_more_alarms_than_said(world, spread):
    assert alarms(world, spread, 80) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 80)


@pytest.mark.parametrize(("world", "spread"), [(matched, 0.0), (matched, 0.5), (dropped, 0.5)])
def test_matchmaking_and_early_dropping_are_found(world, spread):
    assert alarms(world, spread, 12) >= 0.75


def test_time_and_not_the_order_of_rows_decides_where_it_is_known():
    a, b, s = matched(np.random.default_rng(3), 0.5)
    mixed = np.random.default_rng(4).permutation(len(a))
    told = steering(a[mixed], b[mixed], s[mixed], mixed.astype(float))
    assert told == steering(a, b, s)
    assert told.p_value <= 0.05
    assert steering(a[mixed], b[mixed], s[mixed]).p_value > 0.05


def test_which_side_a_battle_names_first_changes_nothing():
    a, b, s = matched(np.random.default_rng(5), 0.0)
    turned = np.arange(len(a)) % 3 == 0
    other = steering(np.where(turned, b, a), np.where(turned, a, b), np.where(turned, 1 - s, s))
    assert other.p_values == steering(a, b, s).p_values


def test_pairs_that_meet_once_show_no_schedule():
    i, j = np.triu_indices(30, 1)
    assert steering(i, j, np.ones(len(i))) is None


def test_standings_and_leads_by_hand():
    """Two agents, 1 0 1 1 over and over: leads before the second, third and fourth battle are 1, 0 and 1 / sqrt(3)."""
    a, s = np.zeros(60, dtype=int), np.tile([1.0, 0.0, 1.0, 1.0], 15)
    found = steering(a, a + 1, s)
    k = np.arange(1, 60)
    lead = np.abs(np.cumsum(2 * s - 1)[:-1]) / np.sqrt(k)
    assert found.figures["lead"][0] == pytest.approx((lead**6).mean() ** (1 / 6))
    assert found.figures["standing"][0] == pytest.approx(np.mean(np.abs(np.cumsum(2 * s - 1)[:-1]) / (k + 2)))
    assert found.figures["winner"][0] == 0  # both always play next
