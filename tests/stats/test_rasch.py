"""A Rasch model: against a direct search, where it is not identified, and agents with odd answers."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from scipy.stats import binom
from scipy.stats import t as student

from beatpath.stats.intervals import holm
from beatpath.stats.rasch import fit_rasch, oddness


def table(rng, n, m, guess=0.0):
    lead = rng.normal(size=(n, 1)) - 1.5 * rng.normal(size=m)
    return (rng.random((n, m)) < guess + (1 - guess) * expit(lead)).astype(float)


def test_estimates_maximize_the_likelihood_with_half_a_win_and_loss():
    rng = np.random.default_rng(0)
    tried = rng.integers(1, 4, size=(5, 7)).astype(float)
    solved = rng.binomial(tried.astype(int), 0.5).astype(float)

    def minus(x):
        lead = x[:5, None] - x[5:]
        return (
            -(solved * log_expit(lead) + (tried - solved) * log_expit(-lead)).sum()
            - 0.5 * (log_expit(x) + log_expit(-x)).sum()
        )

    best = minimize(minus, np.zeros(12), method="BFGS", options={"gtol": 1e-9}).x
    fit = fit_rasch(solved, tried)
    leads = fit.ability[:, None] - fit.difficulty
    assert leads == pytest.approx(best[:5, None] - best[5:], abs=1e-5)


def test_steps_without_crossings_are_not_identified_and_agents_above_all_are_outside():
    steps = np.triu(np.ones((5, 5)))
    fit = fit_rasch(steps, np.ones((5, 5)))
    assert not fit.identified
    assert np.isnan(fit.ability).all()
    assert np.isnan(oddness(fit, steps, np.ones((5, 5)))).all()
    crossed = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]], dtype=float)
    fit = fit_rasch(crossed, np.ones((4, 4)))
    assert fit.within == (2, 2)
    assert np.isfinite(fit.ability).all()


def test_two_components_without_a_crossing_are_not_identified():
    part = np.array([[1.0, 0.0], [0.0, 1.0]])
    both = np.block([[part, np.ones((2, 2))], [np.zeros((2, 2)), part]])
    assert not fit_rasch(both, np.ones((4, 4))).identified


def test_an_agent_with_shuffled_answers_is_odd_and_no_other():
    rng = np.random.default_rng(4)
    x = table(rng, 20, 300)
    x[7] = rng.permutation(x[7])
    _, p = oddness(fit_rasch(x, np.ones_like(x)), x, np.ones_like(x))
    assert np.flatnonzero(holm(p) <= 0.05).tolist() == [7]


@pytest.mark.parametrize("guess", [0.0, 0.25])
def test_false_alarms_about_agents_are_as_rare_as_promised(guess):
    rng = np.random.default_rng(6)
    tables = [table(rng, 15, 120, guess) for _ in range(80)]
    odd = [oddness(fit_rasch(x, np.ones_like(x)), x, np.ones_like(x))[1] for x in tables]
    assert sum(bool((holm(p) <= 0.05).any()) for p in odd) <= binom.ppf(0.999, 80, 0.05)


@pytest.mark.parametrize("n", [8, 9, 10, 30])
def test_oddness_has_students_distribution_with_the_fewer_degrees_of_freedom(n):
    """Of the trend's residuals, *n* less three coefficients and the agent, or of the agents next to it in ability."""
    solved = table(np.random.default_rng(n), n, 60)
    t, p = oddness(fit_rasch(solved, np.ones_like(solved)), solved, np.ones_like(solved))
    near = max(8, n // 3) - 1
    np.testing.assert_allclose(p, student.cdf(t, min(n - 4, near)))
