"""The most probable curves: against brute force and against the whr package."""

import numpy as np
import pytest
from scipy.optimize import minimize

from beatpath import Battles
from beatpath.fit.pairs import pairs_model
from beatpath.methods.rating import curve_fit
from beatpath.methods.rating.curve_fit import (
    _tridiagonal_inverse,
    curve_precision,
    fit_curves,
    knots_of,
    most_probable,
)
from beatpath.methods.rating.online_state import schedule

ELO = 400 / np.log(10)
# The example of the package whr 2.2.0 (Coulom's form): w2=30 Elo^2 a day; agent, day, rating, deviation given the others.
GAMES = Battles.of(
    [("Alice", "Carol", 0.5), ("Bob", "Dave", 1), ("Dave", "Alice", 0), ("Bob", "Carol", 0)], time=[0, 10, 30, 60]
)
PUBLISHED = {
    "Alice": [(0, 78.50976252870765, 185.55230942797314), (30, 79.47183295485291, 187.12327376311526)],
    "Bob": [(10, -15.262552175731392, 180.95086989932025), (60, -18.086030877782818, 183.0820052639819)],
    "Carol": [(0, 103.91877749030998, 180.55812567296852), (60, 107.30695193277168, 183.1250043094528)],
    "Dave": [(10, -176.67739359273045, 201.15282077913983), (30, -177.3187738768273, 202.03179750776144)],
}

WHR = np.array([point for name in GAMES.agents for point in PUBLISHED[name]])


def random_season(seed, agents=4, battles=25, times=6):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, agents, battles)
    b = (a + rng.integers(1, agents, battles)) % agents
    names = tuple("abcdefgh"[:agents])
    time, weight = rng.integers(0, times, battles) * 0.7, rng.uniform(0.5, 2, battles)
    season = Battles(names, a, b, rng.choice([0, 0.5, 1], battles), time=time, weight=weight)
    return knots_of(season, schedule(season))


def direct(theta, knots, drift, prior):
    """The log posterior, term by term."""
    total = 0.0
    for k, m, s, w in zip(knots.a, knots.b, knots.outcome, knots.weight, strict=True):
        p = 1 / (1 + np.exp(theta[m] - theta[k]))
        total += w * (s * np.log(p) + (1 - s) * np.log(1 - p))
    for k in range(len(knots)):
        if k and knots.agent[k] == knots.agent[k - 1]:
            total -= (theta[k] - theta[k - 1]) ** 2 / (2 * drift**2 * (knots.time[k] - knots.time[k - 1]))
        else:
            p = 1 / (1 + np.exp(-theta[k]))
            total += prior * (np.log(p) + np.log(1 - p))
    return total


def ends(knots):
    """The first and the last knot of every agent."""
    own = [np.flatnonzero(knots.agent == i) for i in np.unique(knots.agent)]
    return [(int(some[0]), int(some[-1])) for some in own]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("drift", [0.1, 1.0])
def test_curves_and_deviations_are_those_of_brute_force(seed, drift):
    knots, prior = random_season(seed), 0.7
    fit = fit_curves(knots, drift, prior)
    optimum = minimize(lambda x: -direct(x, knots, drift, prior), np.zeros(len(knots)), method="BFGS", tol=1e-9)
    np.testing.assert_allclose(fit.strength, optimum.x, atol=2e-4)
    at, h, eye = fit.strength, 1e-3, np.eye(len(knots))

    def second(i, j):
        signs = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
        return sum(s * direct(at + h * (p * eye[i] + q * eye[j]), knots, drift, prior) for p, q, s in signs) / (
            4 * h * h
        )

    curved = np.array([[second(i, j) for j in range(len(knots))] for i in range(len(knots))])
    covariance = np.linalg.inv(-curved)
    np.testing.assert_allclose(fit.deviation, np.sqrt(np.diag(covariance)), rtol=1e-3)
    mean = sum(eye[i] / np.sum(knots.agent == knots.agent[i]) for i in range(len(knots))) / len(set(knots.agent))
    from_mean = eye - mean
    np.testing.assert_allclose(fit.relative, from_mean @ optimum.x, atol=4e-4)
    np.testing.assert_allclose(fit.relative_deviation**2, np.diag(from_mean @ covariance @ from_mean.T), rtol=2e-3)
    change = np.array([eye[last] - eye[first] for first, last in ends(knots)])
    np.testing.assert_allclose(fit.change, change @ optimum.x, atol=4e-4)
    np.testing.assert_allclose(fit.change_deviation**2, np.diag(change @ covariance @ change.T), rtol=2e-3, atol=1e-9)
    assert fit.joint
    assert fit.converged


@pytest.mark.parametrize("seed", range(3))
def test_the_slope_is_that_of_the_log_posterior(seed):
    knots = random_season(seed)
    theta, fit = np.random.default_rng(seed).normal(size=len(knots)), most_probable(knots, 0.4, 1.0)
    eye, model = np.eye(len(knots)) * 1e-6, pairs_model(fit.rows, fit.ties, fit.prior)
    slopes = [(direct(theta + e, knots, 0.4, 1.0) - direct(theta - e, knots, 0.4, 1.0)) / 2e-6 for e in eye]
    np.testing.assert_allclose(model.at(theta).gradient, slopes, atol=1e-6)
    assert model.at(theta).value == pytest.approx(direct(theta, knots, 0.4, 1.0))


def test_strengths_are_those_of_the_whr_package_and_deviations_larger():
    knots = knots_of(GAMES, schedule(GAMES))
    fit = fit_curves(knots, np.sqrt(30) / ELO, 1.0)
    np.testing.assert_allclose(knots.time, WHR[:, 0])
    np.testing.assert_allclose(fit.strength * ELO, WHR[:, 1], atol=1e-8)
    assert (fit.deviation * ELO > WHR[:, 2]).all()  # the package takes the opponents as known


def test_deviations_given_the_opponents_are_those_of_the_whr_package(monkeypatch):
    monkeypatch.setattr(curve_fit, "DENSE", 0)
    knots = knots_of(GAMES, schedule(GAMES))
    fit = fit_curves(knots, np.sqrt(30) / ELO, 1.0)
    assert not fit.joint
    np.testing.assert_allclose(fit.deviation * ELO, WHR[:, 2], rtol=2e-3)
    drift = np.sqrt(30) / ELO
    diagonal, below = curve_precision(most_probable(knots, drift, 1.0), knots, drift)
    first, last = np.flatnonzero(knots.first), knots.last
    variance, _ = _tridiagonal_inverse(
        diagonal + 0.001, below, first, last
    )  # the package adds 0.001 to every diagonal entry
    np.testing.assert_allclose(np.sqrt(variance) * ELO, WHR[:, 2], rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_changes_given_the_opponents_are_those_of_the_inverse_curve_by_curve(seed, monkeypatch):
    monkeypatch.setattr(curve_fit, "DENSE", 0)
    knots = random_season(seed, agents=5)
    fit = fit_curves(knots, 0.6, 1.0)
    diagonal, below = curve_precision(most_probable(knots, 0.6, 1.0), knots, 0.6)
    covariance = np.linalg.inv(np.diag(diagonal) + np.diag(below[1:], 1) + np.diag(below[1:], -1))
    wanted = [covariance[i, i] + covariance[j, j] - 2 * covariance[i, j] for i, j in ends(knots)]
    np.testing.assert_allclose(fit.change_deviation**2, wanted, rtol=1e-9, atol=1e-12)


def test_without_drift_the_curves_are_flat():
    fit = fit_curves(random_season(1), 1e-5)
    knots = random_season(1)
    for agent in set(knots.agent.tolist()):
        assert np.ptp(fit.strength[knots.agent == agent]) < 1e-6
