"""Spreads that the data tell, and what is drawn where."""

import numpy as np
import pytest

from beatpath.inference.contexts.deviations import Cells
from beatpath.inference.contexts.shrunken import shrunken
from helpers.contexts import drawn_contexts


@pytest.mark.parametrize("spread", [0.0, 0.3, 1.0])
def test_the_spread_that_battles_were_drawn_with_is_found(spread):
    found = [shrunken(drawn_contexts(seed, spread)[1]) for seed in range(10)]
    assert np.mean([one.spread for one in found]) == pytest.approx(spread, abs=0.12)
    assert sum(one.low - 0.02 <= spread <= one.high for one in found) >= 8


def test_intervals_hold_the_truth_as_often_as_they_say_and_estimates_are_nearer_than_those_of_each_context():
    covered, off, alone = [], [], []
    for seed in range(40):
        eta, cells = drawn_contexts(seed, 0.3, played=6)
        found = shrunken(cells)
        centered = np.eye(8) - 1 / 8
        for k in range(6):
            V = centered @ found.covariance[8 * k : 8 * k + 8, 8 * k : 8 * k + 8] @ centered
            miss = centered @ (found.eta[k] - eta[k])
            covered += (np.abs(miss) <= 1.959964 * np.sqrt(np.diag(V))).tolist()
            off += (miss**2).tolist()
            rows = cells.context == k
            own = Cells(8, 1, np.zeros(28, int), cells.a[rows], cells.b[rows], cells.won[rows], cells.played[rows])
            alone += ((centered @ (shrunken(own).eta[0] - eta[k])) ** 2).tolist()
    assert np.mean(covered) == pytest.approx(0.95, abs=0.025)  # 1,920 that hang together by 40 runs
    assert np.mean(off) < 0.8 * np.mean(alone)


def test_the_order_of_contexts_and_agents_does_not_matter():
    _, cells = drawn_contexts(3, 0.4)
    found = shrunken(cells)
    turned = Cells(8, 6, 5 - cells.context, 7 - cells.b, 7 - cells.a, cells.played - cells.won, cells.played)
    assert shrunken(turned).eta == pytest.approx(found.eta[::-1, ::-1], abs=1e-6)
