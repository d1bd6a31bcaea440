"""Columns that outcomes depend on are clusters by default, and orders of showing are averaged where they matter."""

import numpy as np
import pytest

from beatpath.evidence import Battles, Factor
from beatpath.inference.scores.estimands import leaderboard
from beatpath.inference.win_rates.design_of_battles import dependent_columns, orders_averaged
from beatpath.inference.win_rates.win_rates import win_rate_inference


def leaning(seed, prompts=150, users=60, n=3000, by_prompt=1.0, by_user=1.0):
    """Battles of four agents whose outcomes lean by prompt and by user."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    prompt, user = rng.integers(0, prompts, n), rng.integers(0, users, n)
    taste, likes = rng.normal(0, by_prompt, (prompts, 4)), rng.normal(0, by_user, (users, 4))
    ahead = taste[prompt, a] - taste[prompt, b] + likes[user, a] - likes[user, b]
    won = (rng.random(n) < 1 / (1 + np.exp(-ahead))).astype(float)
    factors = {"cluster": Factor.of(f"p{i:03d}" for i in prompt), "judge": Factor.of(f"u{i:03d}" for i in user)}
    return Battles(tuple("abcd"), a, b, won, factors=factors)


def test_both_columns_are_taken_where_outcomes_depend_on_both():
    names, said = dependent_columns(leaning(0))
    assert names == ("cluster", "judge")
    assert said[0].startswith("Outcomes depend on the judge: win rates vary ")


def test_a_column_that_nothing_depends_on_is_left():
    assert dependent_columns(leaning(1, by_user=0.0)) == (("cluster",), ())


def test_two_columns_are_taken_and_the_third_is_named():
    battles = leaning(2, by_user=2.0)
    factors = {"task": battles.factors["judge"], **battles.factors}
    names, said = dependent_columns(Battles(battles.agents, battles.a, battles.b, battles.outcome, factors=factors))
    assert names[0] == "cluster"
    assert len(names) == 2
    assert said[-1].endswith("errors allow for two columns at most.")


def test_intervals_hold_under_two_columns_that_both_cluster():
    """Equal agents: the share of scores within their interval of one half."""
    held = []
    for seed in range(60):
        board = leaderboard(leaning(seed, n=1500))
        held.append(np.abs(board.score - 0.5) < 1.96 * np.sqrt(np.diag(board.covariance)))
    assert np.mean(held) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / np.size(held) * 2)


def confounded(seed, n=2400, bias=0.5):
    """Equal agents, of whom the first is shown first three times in four, and the side shown first is preferred."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    first = np.where((a == 0) | (b == 0), np.where(a == 0, 0.75, 0.25), 0.5)
    position = np.where(rng.random(n) < first, 1, -1).astype(np.int8)
    won = (rng.random(n) < 1 / (1 + np.exp(-bias * position))).astype(float)
    return Battles(tuple("abcd"), a, b, won, position=position)


def test_an_agent_shown_first_more_often_looks_no_better():
    held, naive = [], []
    for seed in range(60):
        battles = confounded(seed)
        board = leaderboard(battles)
        held.append(np.abs(board.score - 0.5) < 1.96 * np.sqrt(np.diag(board.covariance)))
        naive.append(battles.outcome[battles.a == 0].mean() > 0.52)
    assert np.mean(naive) > 0.9
    assert np.mean(held) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / np.size(held) * 2)


def test_a_pair_is_the_mean_of_its_two_orders():
    battles = confounded(3)
    turned, said = orders_averaged(battles, None)
    assert "are the mean of their two orders" in said[0]
    rates = win_rate_inference(battles)
    rows = (np.minimum(battles.a, battles.b) == 0) & (np.maximum(battles.a, battles.b) == 1)
    outcome = np.where(battles.a < battles.b, battles.outcome, 1 - battles.outcome)
    shown = np.where(battles.a < battles.b, battles.position, -battles.position)
    mean = np.mean([outcome[rows & (shown == side)].mean() for side in (1, -1)])
    assert rates.rate[0] == pytest.approx(mean)
    assert turned.weight.sum() == pytest.approx(len(battles))


def test_without_a_preference_nothing_is_weighed():
    battles = confounded(4, bias=0.0)
    assert orders_averaged(battles, None) == (battles, ())
