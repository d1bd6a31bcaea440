"""Battles as columns: weights, and agents without any."""

import numpy as np
import pytest

from beatpath import Battles, DataError, UsageError
from beatpath.inference.learned.learner import learn
from beatpath.inference.learned.settings import Settings


def circle(per_pair=40, sure=0.8, seed=0):
    """Rock, paper, scissors above a stone, in no context."""
    rng = np.random.default_rng(seed)
    beats = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    beats += [(name, "stone") for name in ("rock", "paper", "scissors")]
    return Battles.of([(a, b, float(won)) for a, b in beats for won in rng.random(per_pair) < sure])


CIRCLE = circle()


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
