"""Fits of paired comparisons, against a general optimizer."""

import numpy as np
from scipy.optimize import minimize

from beatpath.fit.pairs import Comparisons, fit_pairs
from beatpath.fit.ties import Prior


def test_strengths_and_their_covariance_are_those_of_a_general_optimiser():
    a, b = np.array([0, 0, 1], dtype=np.int32), np.array([1, 2, 2], dtype=np.int32)
    counts = np.array([[7.0, 3, 0], [5, 2, 0], [4, 6, 0]])
    rows = Comparisons(3, a, b, counts)

    def loss(x):
        lead = x[a] - x[b]
        return float(
            (counts[:, 0] * np.logaddexp(0, -lead) + counts[:, 1] * np.logaddexp(0, lead)).sum() + x.sum() ** 2
        )

    fit = fit_pairs(rows)
    best = minimize(loss, np.zeros(3), tol=1e-12).x
    np.testing.assert_allclose(fit.strength - fit.strength.mean(), best - best.mean(), atol=1e-5)
    lead = fit.strength[a] - fit.strength[b]
    weight = counts.sum(axis=1) / (2 + 2 * np.cosh(lead))
    information = np.zeros((3, 3))
    for i, j, h in zip(a, b, weight, strict=True):
        step = np.eye(3)[i] - np.eye(3)[j]
        information += h * np.outer(step, step)
    np.testing.assert_allclose(fit.covariance(), np.linalg.pinv(information), atol=1e-8)


def test_a_covariate_and_a_prior_of_wins_are_fitted_together_as_by_a_general_optimiser():
    a, b = np.array([0, 0, 1, 0], dtype=np.int32), np.array([1, 2, 2, 1], dtype=np.int32)
    counts, x = np.array([[7.0, 3, 0], [5, 2, 0], [4, 6, 0], [1, 8, 0]]), np.array([[1.0], [-1.0], [0.5], [-1.0]])

    def loss(z):
        lead, strength = z[a] - z[b] + x[:, 0] * z[3], z[:3]
        prior = np.logaddexp(0, [strength, -strength]).sum()  # a win and a loss of each agent, against one at zero
        return float((counts[:, 0] * np.logaddexp(0, -lead) + counts[:, 1] * np.logaddexp(0, lead)).sum() + prior)

    fit = fit_pairs(Comparisons(3, a, b, counts, x), prior=Prior(wins=1.0))
    best = minimize(loss, np.zeros(4), tol=1e-12).x
    np.testing.assert_allclose(fit.strength, best[:3] - best[:3].mean(), atol=1e-5)
    np.testing.assert_allclose(fit.coefficients, best[3:], atol=1e-5)
