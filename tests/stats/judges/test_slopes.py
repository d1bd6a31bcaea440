"""One logistic regression a judge."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_expit

from beatpath.stats.judges.slopes import efficient, holding, judge_slopes
from beatpath.stats.judges.votes import counted_votes
from helpers.judged import votes_of


def test_every_judge_gets_the_regression_of_its_own_votes():
    rng = np.random.default_rng(0)
    who, a, b, outcome, first = votes_of(rng, agents=5, judges=4, each=80)
    votes = counted_votes(who, a, b, outcome, first[:, None].astype(float))[0]
    lead = np.linspace(-1, 1, 5)
    z = np.column_stack([lead[votes.a] - lead[votes.b], votes.x[:, 0]])
    mean, precision = np.tile([1.0, 0.2], (4, 1)), np.tile([0.3, 0.7], (4, 1))
    slopes = judge_slopes(votes, z, mean, precision)
    for j in range(4):
        own = votes.judge == j

        def minus(c, own=own):
            eta = z[own] @ c
            held = (np.array([0.3, 0.7]) * (c - [1.0, 0.2]) ** 2).sum() / 2
            return held - (votes.wins[own] * log_expit(eta) + (votes.n - votes.wins)[own] * log_expit(-eta)).sum()

        assert np.allclose(minimize(minus, [1.0, 0.2]).x, slopes.coefficient[j], atol=1e-4)


def test_a_column_that_is_held_stays_and_the_efficient_score_is_orthogonal_to_the_rest():
    rng = np.random.default_rng(1)
    who, a, b, outcome, first = votes_of(rng, agents=5, judges=4, each=80)
    votes = counted_votes(who, a, b, outcome, first[:, None].astype(float))[0]
    z = np.column_stack([rng.normal(size=len(votes)), votes.x[:, 0]])
    mean, precision = np.tile([1.0, 0.0], (4, 1)), np.full((4, 2), 1e-9)
    slopes = judge_slopes(votes, z, mean, holding(precision, 0))
    assert np.allclose(slopes.coefficient[:, 0], 1)
    left = efficient(votes, z, slopes, 0)
    w = votes.n * slopes.p * (1 - slopes.p)
    assert np.allclose(np.bincount(votes.judge, w * left * z[:, 1]), 0, atol=1e-6)
