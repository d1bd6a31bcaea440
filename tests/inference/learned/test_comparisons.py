"""Battles as columns: weights, and agents without any."""

import numpy as np
import pytest

from beatpath import Battles, DataError, UsageError
from beatpath.inference.learned.learner import learn
from beatpath.inference.learned.training import Settings
from helpers.contextual import CYCLE


def test_a_weight_counts_as_that_many_battles():
    weight = np.random.default_rng(0).integers(0, 4, len(CYCLE)).astype(float)
    settings = Settings(network="btl", epochs=30, batch=1000, rate=0.1, held_out=0)
    weighted = learn(Battles(CYCLE.agents, CYCLE.a, CYCLE.b, CYCLE.outcome, weight=weight), settings=settings)
    repeated = learn(CYCLE.take(np.repeat(np.arange(len(CYCLE)), weight.astype(int))), settings=settings)
    assert np.allclose(weighted.probability, repeated.probability, atol=1e-9)


def test_agents_without_battles_and_nothing_to_calibrate_to_are_refused():
    with pytest.raises(DataError, match="every agent must have at least one battle to learn from; 'stone'"):
        learn(CYCLE.take((CYCLE.a != 3) & (CYCLE.b != 3)))
    with pytest.raises(UsageError, match="`calibration` must have something to calibrate to"):
        learn(CYCLE, settings=Settings(calibration=1.0, held_out=0))
