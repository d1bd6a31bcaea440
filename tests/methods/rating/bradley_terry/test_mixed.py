"""Random effects: the fit by the definition of the working model, battle by battle, and its two ends."""

import numpy as np
import pytest
from scipy.optimize import brentq

from beatpath.fit.pairs import Comparisons
from beatpath.methods.rating.bradley_terry.structured import fit_mixed


def random_design(seed, n=12, battles=150, spread=1.0):
    """Battles of agents whose strengths follow from one column, and from chance."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 1))
    strength = X @ [0.8] + spread * rng.standard_normal(n)
    a, b = (rng.permuted(np.tile(np.arange(n), (battles, 1)), axis=1)[:, :2]).T
    a, b = np.minimum(a, b), np.maximum(a, b)
    won = rng.random(battles) < 1 / (1 + np.exp(strength[b] - strength[a]))
    order = np.lexsort((b, a))
    counts = np.column_stack([won, ~won, np.zeros(battles)])[order].astype(float)
    return Comparisons(n, a[order].astype(np.int32), b[order].astype(np.int32), counts, np.zeros((battles, 0))), X


def by_definition(rows, X):
    """Restricted maximum likelihood of the working model over all battles: V = W^-1 + s^2 ZZ', iterated to its fixed point."""
    N = len(rows.a)
    Z = np.zeros((N, rows.n_agents))
    Z[np.arange(N), rows.a], Z[np.arange(N), rows.b] = 1.0, -1.0
    D, y = Z @ X, rows.counts[:, 0]

    def working(s):
        """Weights and working response at which coefficients and effects do not change any more."""
        eta = np.zeros(N)
        for _ in range(200):
            p = 1 / (1 + np.exp(-eta))
            w, response = p * (1 - p), eta + (y - p) / (p * (1 - p))
            V = np.diag(1 / w) + s**2 * Z @ Z.T
            inverse = np.linalg.inv(V)
            beta = np.linalg.solve(D.T @ inverse @ D, D.T @ inverse @ response)
            effect = s**2 * Z.T @ inverse @ (response - D @ beta)
            new = D @ beta + Z @ effect
            done, eta = np.abs(new - eta).max() < 1e-11, new
            if done:
                break
        return inverse, response, beta, np.linalg.inv(D.T @ inverse @ D)

    def score(s):
        inverse, response, _, _ = working(s)
        P = inverse - inverse @ D @ np.linalg.solve(D.T @ inverse @ D, D.T @ inverse)
        return (response @ P @ Z) @ (Z.T @ P @ response) - np.trace(P @ Z @ Z.T)

    s = brentq(score, 0.2, 5.0, xtol=1e-9)
    _, _, beta, covariance = working(s)
    return s, beta, covariance


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spread_and_coefficients_are_those_of_the_working_model_battle_by_battle(seed):
    rows, X = random_design(seed)
    s, beta, covariance = by_definition(rows, X)
    fit = fit_mixed(rows, X)
    assert fit.spread == pytest.approx(s, abs=1e-6)
    np.testing.assert_allclose(fit.beta, beta, atol=1e-6)
    np.testing.assert_allclose(fit.covariance[:1, :1], covariance, atol=1e-6)


def test_without_room_for_chance_the_fit_is_a_logistic_regression():
    rows, X = random_design(4)
    fit = fit_mixed(rows, X, 0.0)
    lead = (X[rows.a] - X[rows.b]) @ fit.beta
    over = rows.counts[:, 0] - 1 / (1 + np.exp(-lead))
    np.testing.assert_allclose((X[rows.a] - X[rows.b]).T @ over, 0.0, atol=1e-8)


def test_agents_that_differ_by_chance_alone_have_no_spread():
    n = 8
    a, b = np.triu_indices(n, 1)
    won = np.full(len(a), 20.0)
    even = Comparisons(
        n, a.astype(np.int32), b.astype(np.int32), np.column_stack([won, won, 0 * won]), np.zeros((len(a), 0))
    )
    fit = fit_mixed(even, np.zeros((n, 0)))
    assert fit.spread == 0
    np.testing.assert_array_equal(fit.effect, 0.0)


def test_the_sandwich_of_battles_that_are_clusters_of_themselves_is_near_the_model():
    rows, X = random_design(5, battles=3000, spread=0.5)
    fit = fit_mixed(rows, X)
    strength = X @ fit.beta + fit.effect
    over = rows.counts[:, 0] - 1 / (1 + np.exp(strength[rows.b] - strength[rows.a]))
    scores = np.zeros((len(over), rows.n_agents))
    scores[np.arange(len(over)), rows.a], scores[np.arange(len(over)), rows.b] = over, -over
    robust = fit.sandwich(np.hstack([scores @ X, scores]))
    assert robust[0, 0] == pytest.approx(fit.covariance[0, 0], rel=0.05)
