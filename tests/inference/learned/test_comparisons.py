"""Battles as columns: weights, and agents without any."""

import numpy as np
import pytest

from beatpath import Battles, DataError, UsageError
from beatpath.inference.learned.learner import learn
from beatpath.inference.learned.training import Settings
from helpers.contextual import CIRCLE


def test_a_weight_counts_as_that_many_battles():
    weight = np.random.default_rng(0).integers(0, 4, len(CIRCLE)).astype(float)
    settings = Settings(network="btl", epochs=30, batch=1000, rate=0.1, held_out=0)
    weighted = learn(Battles(CIRCLE.agents, CIRCLE.a, CIRCLE.b, CIRCLE.outcome, weight=weight), settings=settings)
    repeated = learn(CIRCLE.take(np.repeat(np.arange(len(CIRCLE)), weight.astype(int))), settings=settings)
    assert np.allclose(weighted.probability, repeated.probability, atol=1e-9)


def test_agents_without_battles_and_nothing_to_calibrate_to_are_refused():
    with pytest.raises(DataError, match="every agent must have at least one battle to learn from; 'stone'"):
        learn(CIRCLE.take((CIRCLE.a != 3) & (CIRCLE.b != 3)))
    with pytest.raises(UsageError, match="`calibration` must have something to calibrate to"):
        learn(CIRCLE, settings=Settings(calibration=1.0, held_out=0))
