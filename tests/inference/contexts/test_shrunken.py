"""Spreads estimated from the data, and what is shrunk where."""

import numpy as np
import pytest

from beatpath.inference.contexts.deviations import Cells
from beatpath.inference.contexts.shrunken import shrunken
from helpers.contexts import simulated_contexts


@pytest.mark.parametrize("spread", [0.0, 0.3, 1.0])
def test_the_spread_of_simulated_contexts_is_recovered(spread):
    estimates = [shrunken(simulated_contexts(seed, spread)[1]) for seed in range(10)]
    assert np.mean([one.spread for one in estimates]) == pytest.approx(spread, abs=0.12)
    assert sum(one.low - 0.02 <= spread <= one.high for one in estimates) >= 8


def test_intervals_hold_the_truth_as_often_as_they_say_and_estimates_are_nearer_than_those_of_each_context():
    covered, off, alone = [], [], []
    for seed in range(40):
        eta, cells = simulated_contexts(seed, 0.3, played=6)
        estimate = shrunken(cells)
        centered = np.eye(8) - 1 / 8
        for k in range(6):
            V = centered @ estimate.covariance[8 * k : 8 * k + 8, 8 * k : 8 * k + 8] @ centered
            miss = centered @ (estimate.eta[k] - eta[k])
            covered += (np.abs(miss) <= 1.959964 * np.sqrt(np.diag(V))).tolist()
            off += (miss**2).tolist()
            rows = cells.context == k
            own = Cells(8, 1, np.zeros(28, int), cells.a[rows], cells.b[rows], cells.won[rows], cells.played[rows])
            alone += ((centered @ (shrunken(own).eta[0] - eta[k])) ** 2).tolist()
    assert np.mean(covered) == pytest.approx(0.95, abs=0.025)  # 1,920 that are dependent within 40 runs
    assert np.mean(off) < 0.8 * np.mean(alone)


def test_the_order_of_contexts_and_agents_does_not_matter():
    _, cells = simulated_contexts(3, 0.4)
    estimate = shrunken(cells)
    turned = Cells(8, 6, 5 - cells.context, 7 - cells.b, 7 - cells.a, cells.played - cells.won, cells.played)
    assert shrunken(turned).eta == pytest.approx(estimate.eta[::-1, ::-1], abs=1e-6)
