"""Strengths plus deviations for one spread, against a general optimizer, a dense inverse and integrals by quadrature."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, roots_hermitenorm

from beatpath.inference.contexts.deviations import PRIOR, Cells, _expand, deviations


@pytest.fixture
def cells():
    rng = np.random.default_rng(4)
    I, J = np.triu_indices(4, 1)
    played = rng.integers(0, 9, 18).astype(float)
    return Cells(
        4,
        3,
        np.repeat(np.arange(3), 6),
        np.tile(I, 3),
        np.tile(J, 3),
        rng.binomial(played.astype(int), 0.6) * 1.0,
        played,
    )


def test_the_fit_is_the_most_probable_one(cells):
    relative = np.array([1.0, 2.0, 0.5])
    wide = 0.7 * relative

    def loss(x):
        theta, delta = x[:4], x[4:].reshape(3, 4)
        lead = (theta + delta)[cells.context, cells.a] - (theta + delta)[cells.context, cells.b]
        fit = cells.won @ lead - cells.played @ np.logaddexp(0, lead)
        return -fit + (delta**2 / (2 * wide[:, None] ** 2)).sum() + theta @ theta / (2 * PRIOR**2)

    best = minimize(loss, np.zeros(16), method="BFGS", options={"gtol": 1e-8}).x
    estimate = deviations(cells, 0.7, relative)
    assert estimate.eta == pytest.approx(best[:4] + best[4:].reshape(3, 4), abs=1e-5)


def test_errors_are_those_of_the_whole_precision_matrix(cells):
    fit = deviations(cells, 0.7, np.array([1.0, 2.0, 0.5]))
    Q = np.zeros((16, 16))
    for c, rho in enumerate((1.0, 2.0, 0.5)):
        at, own = slice(4 * c + 4, 4 * c + 8), np.eye(4) / (0.7 * rho) ** 2
        Q[at, at] = fit.information[c] + own
        Q[:4, at] = Q[at, :4] = -own
        Q[:4, :4] += own
    Q[:4, :4] += np.eye(4) / PRIOR**2
    assert fit.covariance() == pytest.approx(np.linalg.inv(Q)[4:, 4:], abs=1e-9)


def test_the_likelihood_of_a_spread_is_the_integral_over_strengths_and_deviations():
    won, played = np.array([20.0, 11.0]), np.array([30.0, 30.0])
    cells = Cells(2, 2, np.arange(2), np.zeros(2, int), np.ones(2, int), won, played)
    x, w = roots_hermitenorm(80)
    w = w / w.sum()

    def integral(spread):
        lead = np.sqrt(2) * PRIOR * x[:, None] / 6 + np.sqrt(2) * spread * x[None, :]
        # the strength is sampled from a narrower Gaussian around zero and weighed, so that few points do
        weight = w * 6 * np.exp(-(x**2) / 2 * (1 / 36 - 1)) / 6
        inner = [(expit(lead) ** s * expit(-lead) ** (n - s)) @ w for s, n in zip(won, played, strict=True)]
        return np.log(weight @ (inner[0] * inner[1]))

    ours = deviations(cells, 0.6).likelihood - deviations(cells, 0.1).likelihood
    assert ours == pytest.approx(integral(0.6) - integral(0.1), abs=0.03)


def test_a_spread_of_zero_gives_every_context_the_strengths_of_the_whole(cells):
    fit = deviations(cells, 0.0)
    assert (fit.eta == fit.eta[0]).all()
    assert np.isfinite(fit.covariance()).all()


def test_an_agent_without_a_battle_in_a_context_has_its_strength_of_the_whole_there():
    cells = Cells(3, 2, *map(np.array, ([0, 0, 1], [0, 1, 0], [1, 2, 1], [6.0, 3.0, 2.0], [10.0, 9.0, 10.0])))
    fit = deviations(cells, 0.5)
    assert fit.eta[1, 2] == pytest.approx(fit.strength[2], abs=1e-8)


def test_the_expansion_has_the_derivatives_of_the_log_posterior(cells):
    rng = np.random.default_rng(5)
    x, scale = rng.normal(size=(4, 4)), rng.uniform(0.3, 0.9, (3, 4))

    def value(x):
        eta = x[0] + scale * x[1:]
        lead = eta[cells.context, cells.a] - eta[cells.context, cells.b]
        fit = cells.won @ lead - cells.played @ np.logaddexp(0, lead)
        return fit - (x[1:] ** 2).sum() / 2 - x[0] @ x[0] / (2 * PRIOR**2)

    def gradient(x):
        return np.array([(value(x + h) - value(x - h)) / 2e-5 for h in 1e-5 * np.eye(16).reshape(16, 4, 4)])

    here = _expand(cells, x, scale)
    H = -np.array([(gradient(x + h) - gradient(x - h)) / 2e-3 for h in 1e-3 * np.eye(16).reshape(16, 4, 4)])
    assert here.value - _expand(cells, 0 * x, scale).value == pytest.approx(value(x) - value(0 * x))
    np.testing.assert_allclose(here.gradient, gradient(x), atol=1e-6)
    np.testing.assert_allclose(here.curvature, np.diag(H), rtol=1e-4)
    np.testing.assert_allclose(here.step(1e-9), np.linalg.solve(H, here.gradient), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_score_and_information_are_the_derivatives_of_the_likelihood_with_covariates(seed, cells):
    rng = np.random.default_rng(seed)
    with_shifts = replace(cells, x=rng.normal(size=(len(cells.a), 2)))
    eta = rng.normal(size=(3, 6))
    eta[:, 4:] = eta[0, 4:]  # one effect of a covariate in all contexts
    score, information = with_shifts.score_and_information(eta)
    h = 1e-5
    for c in range(3):
        for k in range(6):
            step = np.zeros((3, 6))
            step[c if k < 4 else slice(None), k] = h
            rise = with_shifts.log_likelihood(eta + step) - with_shifts.log_likelihood(eta - step)
            own = score[c, k] if k < 4 else score[:, k].sum()
            assert own == pytest.approx(rise / (2 * h), abs=1e-5)
            above, below = (with_shifts.score_and_information(eta + way * step)[0] for way in (1, -1))
            np.testing.assert_allclose(information[c, :, k], (below[c] - above[c]) / (2 * h), atol=1e-4)
