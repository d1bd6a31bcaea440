"""The consensus of all judges and of all but one."""

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_expit

from beatpath.stats.judges.consensus import SHIFT, consensus, refitted, without_each
from beatpath.stats.judges.votes import counted_votes
from helpers.judged import votes_of


def world(seed, **how):
    who, a, b, outcome, first = votes_of(np.random.default_rng(seed), **how)
    return counted_votes(who, a, b, outcome, first[:, None].astype(float))[0]


def test_the_consensus_is_the_top_of_its_posterior():
    votes = world(0, agents=4, judges=3, each=40, position=[0.5] * 3)
    fit = consensus(votes)

    def minus(x):
        eta = x[votes.a] - x[votes.b] + votes.x[:, 0] * x[4]
        held = (x[:4] ** 2).sum() / fit.spread + x[4] ** 2 / SHIFT
        return held / 2 - (votes.wins * log_expit(eta) + (votes.n - votes.wins) * log_expit(-eta)).sum()

    best = minimize(minus, np.zeros(5), method="BFGS", options={"gtol": 1e-8})
    assert np.allclose(best.x, fit.parameters, atol=1e-5)
    h, eye = 1e-3, np.eye(5)
    bent = [
        [sum(s * t * minus(fit.parameters + h * (s * u + t * v)) for s in (1, -1) for t in (1, -1)) for u in eye]
        for v in eye
    ]
    assert np.allclose(np.linalg.inv(np.array(bent) / (4 * h * h)), fit.covariance, rtol=1e-3, atol=1e-4)


def test_the_consensus_without_a_judge_is_that_of_the_others():
    votes = world(1, agents=5, judges=3, each=60)
    whole = consensus(votes)
    without = without_each(votes, whole)
    for j in range(3):
        others = consensus(votes.take(votes.judge != j), spread=whole.spread)
        assert np.allclose(without.strength[j], others.strength, atol=1e-6)


def test_one_step_without_a_judge_of_few_votes_is_nearly_exact():
    votes = world(2, agents=8, judges=100, each=40)
    whole = consensus(votes)
    without = without_each(votes, whole)
    for j in range(0, 100, 17):
        others = consensus(votes.take(votes.judge != j), spread=whole.spread)
        moved = np.abs(others.strength - whole.strength).max()
        assert np.abs(without.strength[j] - others.strength).max() < 0.05 * moved


def test_votes_turned_round_are_those_of_the_other_side():
    votes = world(3, agents=4, judges=2, each=50)
    whole = consensus(votes)
    own = votes.take(votes.judge == 0)
    turned = replace(own, wins=2 * own.wins - own.n, n=np.zeros(len(own)))
    wins = np.where(votes.judge == 0, votes.n - votes.wins, votes.wins)
    expected = consensus(replace(votes, wins=wins), spread=whole.spread)
    assert np.allclose(refitted(votes, turned, whole).ended.x, expected.parameters, atol=1e-6)


def test_agents_that_nobody_tells_apart_keep_a_finite_consensus():
    votes = counted_votes(np.array([0, 1]), np.array([0, 0]), np.array([1, 1]), np.array([1.0, 1.0]))[0]
    assert np.isfinite(consensus(votes).strength).all()
