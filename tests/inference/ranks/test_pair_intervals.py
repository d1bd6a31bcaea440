"""The interval of every pair by itself, against Student's quantiles and in simulations."""

import numpy as np
from scipy.stats import t

from beatpath import Battles, Factor, Pairs, win_rate_inference
from beatpath.inference.ranks.pair_intervals import pair_intervals


def test_ends_are_students_quantile_away_from_the_rate():
    rng = np.random.default_rng(0)
    rows = [("ada", "bob", float(rng.random() < 0.6)) for _ in range(60)]
    told = win_rate_inference(Battles.of(rows, factors={"cluster": Factor.of(i // 6 for i in range(60))}))
    found = pair_intervals(told, 0.9)
    reach = t.ppf(0.95, told.df) * told.stderr
    np.testing.assert_allclose(found.low, told.rate - reach)
    np.testing.assert_allclose(found.high, told.rate + reach)


def test_shares_end_at_nought_and_one():
    found = pair_intervals(win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[3, 0, 0, 0]])))
    assert found.high[0] == 1.0
    assert found.low[0] >= 0.0


def test_a_pair_is_resolved_when_its_interval_leaves_out_one_half():
    counts = [[60, 40, 0, 0], [59, 41, 0, 0], [35, 65, 0, 0]]
    found = pair_intervals(win_rate_inference(Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], counts)))
    assert found.resolved.tolist() == [low > 0.5 or high < 0.5 for low, high in zip(found.low, found.high, strict=True)]
    assert found.resolved.tolist() == [True, False, True]


def test_nineteen_of_twenty_intervals_hold_the_true_rate():
    rng = np.random.default_rng(1)
    held = []
    for _ in range(400):
        won = rng.binomial(200, 0.7)
        found = pair_intervals(win_rate_inference(Pairs(("a", "b"), [0], [1], [[won, 200 - won, 0, 0]])))
        held.append(found.low[0] <= 0.7 <= found.high[0])
    assert 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400) <= np.mean(held) <= 1.0
