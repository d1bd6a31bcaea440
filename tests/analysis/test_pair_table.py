"""The table of pairs: each seen from either side, and resolved exactly where its interval leaves out one half."""

import numpy as np
import pytest
from scipy.stats import norm

import beatpath as bp
from beatpath.analysis.board_rows import pair_table
from beatpath.inference.resolve.resolve import resolve
from beatpath.methods.profile import profile_of

PAIRS = bp.Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[300, 100, 0, 0], [52, 48, 0, 0], [9, 1, 0, 0]])
NAMES = ("ada", "bob", "cyd")


def table(order, level=0.95):
    return pair_table(profile_of(PAIRS), order, resolve(PAIRS), level)


@pytest.mark.parametrize("level", [0.9, 0.99])
def test_intervals_are_those_of_the_binomial(level):
    pair_table = table(NAMES, level)
    z2 = norm.isf((1 - level) / 2) ** 2 / 400  # Wilson's, 300 of 400 won
    middle, reach = (0.75 + z2 / 2) / (1 + z2), np.sqrt(z2 * 0.75 * 0.25 + z2**2 / 4) / (1 + z2)
    assert (pair_table.low[0], pair_table.high[0]) == pytest.approx((middle - reach, middle + reach), abs=1e-3)


def test_a_pair_seen_from_the_other_side_has_its_interval_turned():
    straight, turned = table(NAMES), table(NAMES[::-1])
    for k in range(3):
        back = next(
            m
            for m in range(3)
            if turned.agents[turned.a[m]] == straight.agents[straight.b[k]]
            and turned.agents[turned.b[m]] == straight.agents[straight.a[k]]
        )
        assert turned.rate[back] == pytest.approx(1 - straight.rate[k], abs=2e-4)
        assert turned.low[back] == pytest.approx(1 - straight.high[k], abs=2e-4)
        assert turned.high[back] == pytest.approx(1 - straight.low[k], abs=2e-4)
        assert turned.predicted[back] == pytest.approx(1 - straight.predicted[k], abs=2e-4)
        assert turned.battles[back] == straight.battles[k]


@pytest.mark.parametrize("order", [NAMES, NAMES[::-1], ("bob", "ada", "cyd")])
def test_a_pair_is_resolved_exactly_where_its_interval_leaves_out_one_half(order):
    pair_table = table(order)
    assert all(
        low <= rate <= high for low, rate, high in zip(pair_table.low, pair_table.rate, pair_table.high, strict=True)
    )
    outside = [low > 0.5 or high < 0.5 for low, high in zip(pair_table.low, pair_table.high, strict=True)]
    assert pair_table.resolved == outside
    assert sorted(outside) == [False, True, True]


def test_matrices_hold_both_sides_of_every_pair():
    pair_table = table(NAMES)
    rates, low, high = map(pair_table.matrix, ("rate", "low", "high"))
    for i in range(3):
        assert np.isnan(rates[i][i])
        for j in range(3):
            if i != j:
                assert rates[i][j] == pytest.approx(1 - rates[j][i])
                assert low[i][j] == pytest.approx(1 - high[j][i])
                assert low[i][j] <= rates[i][j] <= high[i][j]


def test_every_agent_had_the_battles_of_its_pairs():
    assert table(NAMES).battles_by_agent() == {"ada": 500, "bob": 410, "cyd": 110}
