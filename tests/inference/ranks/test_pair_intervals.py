"""The interval of every pair by itself, by Wilson's equation, exactly for few battles, and in simulations."""

import numpy as np
import pytest
from scipy.stats import binom, t

from beatpath import Battles, Factor, Pairs
from beatpath.inference.resolve.majorities import pair_intervals
from beatpath.metrics import win_rate_inference


def test_ends_solve_wilsons_equation_with_students_quantile():
    rng = np.random.default_rng(0)
    rows = [("ada", "bob", float(rng.random() < 0.6)) for _ in range(60)]
    win_rates = win_rate_inference(Battles.of(rows, factors={"cluster": Factor.of(i // 6 for i in range(60))}))
    intervals = pair_intervals(win_rates, 0.9)
    smooth = (60 * win_rates.rate + 0.5) / 61
    number = smooth * (1 - smooth) / win_rates.variance
    for x in (intervals.low, intervals.high):
        np.testing.assert_allclose(
            (win_rates.rate - x) ** 2, t.ppf(0.95, win_rates.df) ** 2 * x * (1 - x) / (number - 1)
        )


@pytest.mark.parametrize("battles", [5, 8, 10, 15, 20, 50, 100])
def test_few_battles_give_intervals_that_hold_nearly_as_often_as_they_say(battles):
    """Exactly, by the binomial distribution."""
    won = np.arange(battles + 1)
    counts = np.column_stack([won, battles - won, 0 * won, 0 * won])
    a, b = np.arange(0, 2 * len(won), 2), np.arange(1, 2 * len(won), 2)
    names = tuple(f"x{i:03d}" for i in range(2 * len(won)))
    intervals = pair_intervals(win_rate_inference(Pairs(names, a, b, counts)))
    for chance in np.arange(0.5, 0.951, 0.05):
        held = (intervals.low <= chance) & (chance <= intervals.high)
        assert binom.pmf(won, battles, chance) @ held >= 0.93


def test_shares_end_at_zero_and_one():
    intervals = pair_intervals(win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[3, 0, 0, 0]])))
    assert intervals.high[0] == 1.0
    assert intervals.low[0] >= 0.0


def test_a_pair_is_resolved_when_its_interval_leaves_out_one_half():
    counts = [[62, 38, 0, 0], [58, 42, 0, 0], [35, 65, 0, 0]]
    intervals = pair_intervals(win_rate_inference(Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], counts)))
    assert intervals.resolved.tolist() == [
        low > 0.5 or high < 0.5 for low, high in zip(intervals.low, intervals.high, strict=True)
    ]
    assert intervals.resolved.tolist() == [True, False, True]


def test_nineteen_of_twenty_intervals_hold_the_true_rate():
    rng = np.random.default_rng(1)
    held = []
    for _ in range(400):
        won = rng.binomial(200, 0.7)
        intervals = pair_intervals(win_rate_inference(Pairs(("a", "b"), [0], [1], [[won, 200 - won, 0, 0]])))
        held.append(intervals.low[0] <= 0.7 <= intervals.high[0])
    assert 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400) <= np.mean(held) <= 1.0
