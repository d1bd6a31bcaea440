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


def one_fit(wins):
    """Strengths by Hunter's minorise-maximise steps."""
    gamma = np.ones(len(wins))
    for _ in range(5_000):
        gamma = wins.sum(axis=1) / ((wins + wins.T) / np.add.outer(gamma, gamma)).sum(axis=1)
    theta = np.log(gamma)
    return theta - theta.mean()


def test_with_a_prior_every_table_is_fitted_as_by_a_general_optimizer():
    rng, prior = np.random.default_rng(1), 1.5
    wins = rng.integers(0, 9, (4, 4, 4)).astype(float)
    wins[:, range(4), range(4)] = 0

    def fitted(table):
        def loss(theta):
            lead = theta[:, None] - theta
            return (table * np.logaddexp(0, -lead)).sum() + prior * np.logaddexp(0, [theta, -theta]).sum()

        return minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x

    start = fitted(wins.mean(axis=0))
    inverse = shared_inverse(wins.mean(axis=0), start, prior)
    strengths, done = batched_strengths(wins, start, inverse, prior=prior)
    assert done.all()
    for table, strength in zip(wins, strengths, strict=True):
        theta = fitted(table)
        np.testing.assert_allclose(strength, theta - theta.mean(), atol=1e-5)
