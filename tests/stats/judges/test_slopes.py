"""One logistic regression a judge."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_expit

from beatpath.stats.judges.examined import _variances, design_effect
from beatpath.stats.judges.slopes import efficient, holding, judge_slopes
from beatpath.stats.judges.votes import Parts, counted_votes, in_parts
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


def test_clusters_inflate_scores_as_their_votes_do_row_by_row():
    """Squares of sums over a judge's votes in a cluster, relative to those of single votes; the strengths add what they vary."""
    rng = np.random.default_rng(2)
    who, a, b, outcome, first = votes_of(rng, agents=4, judges=3, each=70, ties=0.2)
    cluster, shown = rng.integers(0, 6, len(who)), np.where(first > 0, outcome, 1 - outcome)
    agreeing = cluster + 6 * (shown > 0.5)  # on the side that won
    votes, cell = counted_votes(who, a, b, outcome, first[:, None].astype(float))
    weight, p = votes.x[:, 0] + 0.1 * rng.normal(size=len(votes)), rng.uniform(0.2, 0.8, len(votes))
    decided = np.flatnonzero(outcome != 0.5)
    won = (outcome[decided] > 0.5) == (a[decided] < b[decided])
    error, ratios = weight[cell[decided]] * (won - p[cell[decided]]), []
    balanced = np.zeros(len(who), dtype=int)  # clusters of a vote for the side shown first and one against it
    for rows in (np.flatnonzero((who == j) & (won_first == (shown > 0.5))) for j in range(3) for won_first in (0, 1)):
        balanced[rows] = np.arange(len(rows))
    for of in (balanced, agreeing):
        parts = in_parts(cell, of, a, b, outcome)
        group = len(who) * who[decided] + of[decided]
        ratios.append((np.bincount(group, error) ** 2).sum() / (error**2).sum())
        assert design_effect(votes, weight, p, parts) == pytest.approx(max(ratios[-1], 1.0))
    assert ratios[0] < 1 < ratios[1]
    nothing = Parts(*np.zeros((2, 0), dtype=int), *np.zeros((2, 0)))
    for scores, of in ((weight, None), (weight, nothing), (0 * weight, parts)):
        assert design_effect(votes, scores, p, of) == 1.0
    assert design_effect(votes, 1e-3 * weight, p, parts) == pytest.approx(design_effect(votes, weight, p, parts))

    z = np.column_stack([rng.normal(size=len(votes)), votes.x[:, 0]])
    fit, wider = judge_slopes(votes, z, np.ones(2), np.full((3, 2), 0.1)), np.array([1.0, 1.2, 2.0])
    root = rng.normal(size=(4, 4)) / 10
    for column, within in ((0, None), (1, parts)):
        own, v, robust = _variances(votes, z, fit, column, root @ root.T, wider, within)
        np.testing.assert_allclose(own, efficient(votes, z, fit, column))
        information = votes.n * fit.p * (1 - fit.p)
        for j in range(3):
            cells = votes.judge == j
            plain = (own**2 * information)[cells].sum()
            moved = sum(
                (own * information)[k] * (np.eye(4)[votes.a[k]] - np.eye(4)[votes.b[k]]) for k in np.flatnonzero(cells)
            )
            more = fit.coefficient[j, 0] ** 2 * (moved @ root @ root.T @ moved) * wider[j]
            inflated = plain * design_effect(votes, own, fit.p, within)
            assert (v[j], robust[j]) == pytest.approx((plain, inflated + more))
