"""What votes leave open of strengths that know the judges."""

import numpy as np
import pytest

from beatpath.stats.judges.aware import aware_errors, aware_strengths, leads_of
from beatpath.stats.judges.consensus import consensus
from beatpath.stats.judges.votes import counted_votes, in_parts
from helpers.judged import votes_of


def fitted(rng, **how):
    who, a, b, outcome, first = votes_of(rng, **how)
    n = {"n_agents": how["agents"], "n_judges": how["judges"]}
    votes, cell = counted_votes(who, a, b, outcome, first[:, None].astype(float), **n)
    return votes, aware_strengths(votes, consensus(votes)), (cell, a, b, outcome)


def brute_covariance(votes, fit):
    """The bordered inverse of the whole expected information, derivatives of every cell's lead by differences."""
    n, shape = votes.n_agents, fit.coefficient.shape
    at = np.concatenate([fit.strength, fit.coefficient.ravel()])

    def lead(q):
        r = q[n:].reshape(shape)[votes.judge]
        return r[:, 0] * (q[votes.a] - q[votes.b]) + (votes.x * r[:, 1:]).sum(axis=1)

    np.testing.assert_allclose(lead(at), leads_of(votes, fit))
    step = 1e-6
    slope = np.array([(lead(at + step * e) - lead(at - step * e)) / (2 * step) for e in np.eye(len(at))])
    p = 1 / (1 + np.exp(-lead(at)))
    prior = np.concatenate([np.full(n, 1 / fit.prior), np.tile(1 / fit.spread, shape[0])])
    information = (slope * (votes.n * p * (1 - p))) @ slope.T + np.diag(prior)
    c = np.zeros((shape[0], shape[1]))
    c[:, 0] = votes.decided() / votes.n.sum()
    c = np.concatenate([np.zeros(n), c.ravel()])
    bordered = np.block([[information, c[:, None]], [c[None, :], np.zeros((1, 1))]])
    return np.linalg.inv(bordered)[:-1, :-1]


@pytest.mark.parametrize("reliability", [[1, 1, 1, 1], [1, 0, -0.8, 2]])
def test_it_is_the_inverse_of_the_information_with_the_mean_reliability_held(reliability):
    votes, fit, _ = fitted(np.random.default_rng(1), agents=5, judges=4, each=80, reliability=reliability)
    whole = brute_covariance(votes, fit)
    errors = aware_errors(votes, fit)
    np.testing.assert_allclose(errors.covariance, whole[:5, :5], atol=1e-6)
    np.testing.assert_allclose(errors.coefficient.ravel() ** 2, np.diag(whole)[5:], atol=1e-6)
    centre = np.eye(5) - 0.2
    np.testing.assert_allclose(errors.strength**2, np.diag(centre @ whole[:5, :5] @ centre), atol=1e-6)
    e = np.array([1.0, -1, 0, 0, 0])
    assert errors.lead(0, 1) ** 2 == pytest.approx(e @ whole[:5, :5] @ e, abs=1e-6)
    assert errors.design_effect == 1
    assert errors.clusters is None


def test_votes_cast_three_times_in_a_cluster_count_once():
    votes, fit, (cell, a, b, outcome) = fitted(np.random.default_rng(2), agents=4, judges=3, each=60)
    apart = aware_errors(votes, fit, in_parts(cell, np.arange(len(cell)), a, b, outcome))
    assert apart.design_effect == pytest.approx(1)
    assert apart.clusters == len(cell)
    again, cells = counted_votes(
        np.repeat(votes.judge, 3), np.repeat(votes.a, 3), np.repeat(votes.b, 3), np.ones(3 * len(votes))
    )
    known = aware_strengths(again, consensus(again))
    thrice = in_parts(
        cells,
        np.repeat(np.arange(len(votes)), 3),
        np.repeat(votes.a, 3),
        np.repeat(votes.b, 3),
        np.ones(3 * len(votes)),
    )
    assert aware_errors(again, known, thrice).design_effect == pytest.approx(3)


def test_a_judge_without_a_decided_vote_is_as_open_as_its_prior():
    who, a, b = np.array([0] * 20 + [1] * 20 + [2]), np.zeros(41, int), np.ones(41, int)
    outcome = np.array([1.0] * 15 + [0.0] * 5 + [1.0] * 13 + [0.0] * 7 + [0.5])
    votes, _ = counted_votes(who, a, b, outcome)
    fit = aware_strengths(votes, consensus(votes))
    errors = aware_errors(votes, fit)
    assert fit.reliability[2] == pytest.approx(1)
    assert errors.coefficient[2, 0] ** 2 == pytest.approx(fit.spread[0])
