"""Strengths that know the judges."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from beatpath.stats.judges import aware
from beatpath.stats.judges.aware import aware_strengths, log_likelihood
from beatpath.stats.judges.consensus import consensus
from beatpath.stats.judges.votes import counted_votes
from helpers.judged import votes_of


def world(rng, **how):
    who, a, b, outcome, first = votes_of(rng, **how)
    n = {"n_agents": how["agents"], "n_judges": how["judges"]}
    return counted_votes(who, a, b, outcome, first[:, None].astype(float), **n)[0], (who, a, b, outcome, first)


def test_it_is_the_top_of_the_posterior_with_the_mean_reliability_at_one(monkeypatch):
    monkeypatch.setattr(aware, "SETTLED", 1e-7)
    votes, _ = world(
        np.random.default_rng(3), agents=4, judges=4, each=60, reliability=[1, 1, 0, 0.5], position=[0, 0.5, 0, 0]
    )
    fit = aware_strengths(votes, consensus(votes))
    share = votes.decided() / votes.n.sum()

    def minus(q):
        here = replace(fit, strength=q[:4], coefficient=q[4:].reshape(4, 2))
        held = (q[:4] ** 2).sum() / fit.prior + ((here.coefficient - fit.mean) ** 2 / fit.spread).sum()
        return held / 2 - log_likelihood(votes, here).sum()

    best = minimize(
        minus,
        np.concatenate([np.zeros(4), np.tile([1.0, 0.0], 4)]),
        constraints={"type": "eq", "fun": lambda q: share @ q[4::2] - 1},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert share @ fit.reliability == pytest.approx(1)
    assert np.abs(best.x[:4] - fit.strength).max() < 0.01
    assert np.abs(best.x[4:].reshape(4, 2) - fit.coefficient).max() < 0.01


def test_the_likelihood_is_that_of_single_votes():
    votes, rows = world(np.random.default_rng(4), agents=3, judges=2, each=20, reliability=[1, -0.5])
    fit = aware_strengths(votes, consensus(votes))
    total = 0.0
    for who, a, b, outcome, first in zip(*rows, strict=True):
        r, beta = fit.coefficient[who]
        p = 1 / (1 + np.exp(-(r * (fit.strength[a] - fit.strength[b]) + beta * first)))
        total += np.log(p if outcome == 1 else 1 - p)
    assert log_likelihood(votes, fit).sum() == pytest.approx(total)


def test_knowing_the_judges_finds_strengths_that_random_judges_hide():
    rng = np.random.default_rng(5)
    better = []
    for _ in range(10):
        r = np.where(np.arange(20) < 12, 0.0, 1.5)
        state = rng.bit_generator.state
        strength = rng.normal(0, 1, 10)
        rng.bit_generator.state = state
        votes, _ = world(rng, agents=10, judges=20, each=60, reliability=r)
        plain = consensus(votes)
        fit = aware_strengths(votes, plain)
        better.append(np.corrcoef(strength, fit.strength)[0, 1] > np.corrcoef(strength, plain.strength)[0, 1])
    assert sum(better) >= 8


def test_equal_judges_are_shrunk_together():
    votes, _ = world(np.random.default_rng(6), agents=10, judges=30, each=50)
    fit = aware_strengths(votes, consensus(votes))
    assert fit.reliability.std() < 0.15


def test_a_judge_who_never_decided_changes_nothing():
    votes, _ = world(np.random.default_rng(8), agents=4, judges=3, each=80, reliability=[1.5, 1, 0.2])
    one, two = (aware_strengths(v, consensus(v)) for v in (votes, replace(votes, n_judges=4)))
    np.testing.assert_allclose(two.strength, one.strength, atol=1e-4)
    np.testing.assert_allclose(two.coefficient[:3], one.coefficient, atol=1e-4)
    np.testing.assert_allclose(two.spread, one.spread, rtol=1e-3)
