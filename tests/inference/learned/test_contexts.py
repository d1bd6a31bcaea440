"""Contexts sampled, and contexts unknown."""

import numpy as np

from beatpath import Battles, Factor
from beatpath.inference.learned.contexts import ContextFeatures
from beatpath.inference.learned.learner import learn
from beatpath.inference.learned.training import Settings


def test_sampled_contexts_come_within_their_error_of_all():
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    won = rng.random(600) < 1 / (1 + np.exp(-2 * x))
    battles = Battles.of([("ada", "bob", float(w)) for w in won], covariates={"size": x})
    learned = learn(battles, context=["size"], settings=Settings(network="btl", epochs=20, rate=0.1))
    exact, none = learned.model.tournament(battles, draws=1000)
    P, error = learned.model.tournament(battles, draws=200)
    assert none == 0 < error < 0.05
    assert 0 < np.abs(P - exact).max() < 4 * error


def test_unknown_contexts_count_as_average_with_a_convention():
    factor = Factor.of(["x", None, "y", "x"])
    battles = Battles.of(
        [("ada", "bob", 1), ("bob", "ada", 0.5), ("ada", "bob", 0), ("ada", "bob", 1)],
        factors={"task": factor},
        covariates={"size": [1.0, np.nan, 3.0, 2.0]},
    )
    assert ContextFeatures.of(battles, ["size", "task"]).rows(battles)[1].tolist() == [0, 0, 0]
    conventions = learn(battles, context=["size", "task"], settings=Settings(epochs=1)).conventions
    assert {c.name: c.affected for c in conventions} == {
        "ties": 1,
        "both_bad": 0,
        "missing_pairs": None,
        "unknown_context": 2,
    }
