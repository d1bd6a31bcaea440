"""Agents known by features alone: those without a battle are predicted too."""

import numpy as np
import pytest

from beatpath import Battles, UsageError
from beatpath.inference.learned.learner import learn
from beatpath.inference.learned.training import Settings

RNG = np.random.default_rng(5)
FEATURES = {f"agent {k}": RNG.normal(size=2).tolist() for k in range(14)}
STRENGTH = {name: 1.2 * x - 0.8 * y for name, (x, y) in FEATURES.items()}
UNSEEN = ("agent 12", "agent 13")


def win_rate(a, b):
    return 1 / (1 + np.exp(STRENGTH[b] - STRENGTH[a]))


@pytest.fixture(scope="module")
def battles():
    seen = [name for name in FEATURES if name not in UNSEEN]
    rng, rows = np.random.default_rng(6), []
    for _ in range(4_000):
        a, b = rng.choice(seen, 2, replace=False)
        rows.append((str(a), str(b), float(rng.random() < win_rate(a, b))))
    return Battles.of(rows)


@pytest.mark.parametrize("network", ["btl", "pair"])
def test_agents_without_a_battle_are_predicted_as_well_as_their_features_allow(battles, network):
    learned = learn(battles, agent_features=FEATURES, settings=Settings(network=network, epochs=30))
    assert learned.agents[-2:] == UNSEEN
    truth = np.array([[win_rate(a, b) for b in learned.agents] for a in learned.agents])
    error = np.abs(learned.probability - truth)[-2:].mean()
    assert error < (0.03 if network == "btl" else 0.08)
    assert np.abs(truth - 0.5)[-2:].mean() > 0.2  # what no features give
    assert [str(one) for one in learned.conventions if one.name == "unseen_agents"] == [
        "unseen_agents=predicted: an agent without battles is predicted from its features alone (2 affected)"
    ]
    logit = learned.model.logits(Battles.of([("agent 12", "agent 0", 1)]))
    assert 1 / (1 + np.exp(-logit[0])) == pytest.approx(win_rate("agent 12", "agent 0"), abs=0.2)


@pytest.mark.parametrize(
    ("features", "words"),
    [
        ({"agent 0": [1.0]}, "must describe every agent"),
        ({**FEATURES, "agent 3": [1.0]}, r"got \[1, 2\] numbers"),
        ({**FEATURES, "agent 3": [1.0, np.nan]}, "1 of them not finite"),
        ({name: [] for name in FEATURES}, r"got \[0\] numbers"),
    ],
)
def test_features_that_describe_nobody_are_refused(battles, features, words):
    with pytest.raises(UsageError, match=words):
        learn(battles, agent_features=features)
