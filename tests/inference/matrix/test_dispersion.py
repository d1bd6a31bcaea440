"""Noise and lack of fit."""

import numpy as np
import pytest
from scipy.optimize import minimize

from beatpath.inference.matrix.dispersion import (
    Likelihood,
    _fisher_scoring,
    _value,
    likelihood,
    limits,
    showing,
    steadied,
    top,
)
from beatpath.inference.matrix.estimate import estimate
from helpers.matrix_worlds import independent, scale_world


def test_the_likelihood_is_highest_at_its_top_and_falls_by_its_limit():
    rng = np.random.default_rng(0)
    N = rng.integers(5, 300, 400).astype(float)
    g, h = np.full(400, 0.22), np.full(400, 0.05)
    e = rng.standard_normal(400) * np.sqrt((g / N + 0.04**2) * 0.95)
    seen = likelihood(e, h, g / N, g, np.ones(400), N, free_phi=True)
    phi, tau2 = top(seen)
    assert 0.03 < np.sqrt(tau2) < 0.05
    low, high = limits(seen, phi, tau2)
    assert 0.02 < np.sqrt(low) < np.sqrt(tau2) < np.sqrt(high) < 0.06
    assert all(_value(seen, phi, near) < _value(seen, phi, tau2) for near in (low, 0.9 * tau2, 1.1 * tau2, high))


def test_smoothed_variance_of_battles_without_ties_is_the_binomial_one():
    R, _ = scale_world(12)
    g = np.full(len(R.a), 0.2)
    assert np.allclose(steadied(R.weight, R.rate, R.raw, R.weight, g), g / R.weight)
    assert showing(np.array([1.0]))[0] == 0


def test_fitting_few_battles_does_not_make_them_look_less_noisy():
    rng, (a, b), N = np.random.default_rng(2), np.triu_indices(8, 1), np.full(28, 15.0)
    made = [estimate(independent(8, a, b, N, rng.binomial(15, 0.5, 28) / 15)) for _ in range(60)]
    assert np.mean([15 * one.v for one in made]) == pytest.approx(0.25, rel=0.006)  # without the leverage 1.6 % less
    assert np.mean([one.g for one in made]) < 0.247


def test_a_lack_of_fit_that_may_be_none_takes_nothing_out_of_the_noise():
    a, b = np.triu_indices(8, 1)
    rate = 0.5 + 0.17 * (-1.0) ** np.arange(28)  # a little more than 15 battles explain
    made = estimate(independent(8, a, b, np.full(28, 15.0), rate))
    assert made.found.tau2 > made.found.tau2_lo == 0
    surely = estimate(independent(8, a, b, np.full(28, 150.0), rate))
    assert 0 < surely.found.tau2_lo < surely.found.tau2
    assert (150 * surely.v < 0.95 * surely.g).all()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("free_phi", "fix_tau"), [(True, False), (False, False), (True, True)])
def test_the_dispersion_maximizes_its_likelihood(seed, free_phi, fix_tau):
    """Against a search of scipy from several starts, for pairs of many sizes."""
    rng, pairs = np.random.default_rng(seed), 80
    x, y = rng.gamma(1.5, 0.01, pairs), rng.uniform(0, 1, pairs)
    true = rng.uniform(1, 3) if free_phi else 1.0, 0.0 if fix_tau else rng.choice([0.0, 0.02])
    left = rng.uniform(0.6, 1.0, pairs)
    square = left * (true[0] * x + true[1] * y) * rng.chisquare(1, pairs)
    data = Likelihood(x, y, left, square, free_phi)
    bounds = [(1.0, 1e3 if free_phi else 1.0), (0.0, 0.0 if fix_tau else 10.0)]
    starts = [(1.0, 0.0), (2.0, 0.01), (1.1, 0.1)]
    ends = [minimize(lambda z: -_value(data, *z), np.clip(one, *np.transpose(bounds)), bounds=bounds) for one in starts]
    phi, tau2 = _fisher_scoring(data, 1.0, 0.0 if fix_tau else 0.005, fix_tau=fix_tau)
    assert _value(data, phi, tau2) == pytest.approx(-min(one.fun for one in ends), abs=2e-4)
    assert free_phi or phi == 1.0
    assert not fix_tau or tau2 == 0.0
