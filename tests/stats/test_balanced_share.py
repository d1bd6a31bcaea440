"""The share of the side shown first, each pair compared with itself in the other order."""

import numpy as np
import pytest

from beatpath.stats.balanced_share import Shown, balanced_share


def shown(chance_first, swapped_share, n=4000, strength=0.8, seed=0):
    """One pair whose first agent wins more often, shown first in a share of the battles."""
    rng = np.random.default_rng(seed)
    swapped = rng.random(n) < swapped_share
    ahead = np.where(swapped, -strength, strength) + chance_first
    won = (rng.random(n) < 1 / (1 + np.exp(-ahead))).astype(float)
    return Shown(np.zeros(n, dtype=np.int64), swapped, won, None)


def test_an_agent_that_is_shown_first_more_often_is_no_preference_for_the_first_side():
    interval = balanced_share(shown(0.0, 0.2), 0.95)
    assert interval.low <= 0.5 <= interval.high


def test_a_position_bias_is_detected_whoever_was_shown_first_more_often():
    for share in (0.2, 0.5, 0.8):
        interval = balanced_share(shown(0.4, share), 0.95)
        truth = (1 / (1 + np.exp(-1.2)) + 1 / (1 + np.exp(0.4))) / 2
        assert interval.estimate == pytest.approx(truth, abs=0.03)
        assert interval.low > 0.5


def test_one_order_alone_tells_nothing():
    assert balanced_share(shown(0.4, 0.0), 0.95) is None
