"""Many fits at once, against one at a time."""

import numpy as np
from scipy.optimize import minimize

from beatpath.fit.batched import batched_strengths, shared_inverse


def test_every_table_is_fitted_as_it_is_by_itself():
    rng = np.random.default_rng(0)
    wins = rng.integers(1, 20, (6, 4, 4)).astype(float)
    wins[:, range(4), range(4)] = 0
    pooled = wins.mean(axis=0)
    start = one_fit(pooled)
    strengths, done = batched_strengths(wins, start, shared_inverse(pooled, start))
    assert done.all()
    for table, strength in zip(wins, strengths, strict=True):
        np.testing.assert_allclose(strength - strength.mean(), one_fit(table), atol=1e-7)


def test_a_prior_is_so_many_wins_and_losses_against_an_agent_of_strength_zero():
    wins, prior = np.array([[0.0, 5, 4], [0, 0, 3], [0, 1, 0]]), 0.7

    def loss(theta):
        against_zero = prior * (np.logaddexp(0, theta) + np.logaddexp(0, -theta)).sum()
        return (wins * np.logaddexp(0, theta - theta[:, None])).sum() + against_zero

    best = minimize(loss, np.zeros(3), tol=1e-12).x
    start = best.round(1)
    strengths, done = batched_strengths(wins[None], start, shared_inverse(wins, start, prior), prior=prior)
    assert done.all()
    np.testing.assert_allclose(strengths[0], best - best.mean(), atol=1e-5)


def one_fit(wins):
    """Strengths by Hunter's minorise-maximise steps."""
    gamma = np.ones(len(wins))
    for _ in range(5_000):
        gamma = wins.sum(axis=1) / ((wins + wins.T) / np.add.outer(gamma, gamma)).sum(axis=1)
    theta = np.log(gamma)
    return theta - theta.mean()
