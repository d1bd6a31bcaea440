"""Noise and lack of fit."""

import numpy as np

from beatpath.inference.matrix.dispersion import likelihood, profile, showing, steadied, top, upper
from helpers.matrix_worlds import scale_world


def test_the_likelihood_is_highest_at_its_top_and_falls_by_its_limit():
    rng = np.random.default_rng(0)
    N = rng.integers(5, 300, 400).astype(float)
    g, h = np.full(400, 0.22), np.full(400, 0.05)
    e = rng.standard_normal(400) * np.sqrt((g / N + 0.04**2) * 0.95)
    seen = likelihood(e, h, g / N, g, np.ones(400), N, free_phi=True)
    phi, tau2 = top(seen)
    assert 0.03 < np.sqrt(tau2) < 0.05
    assert upper(seen, phi, tau2) > tau2
    tau, share = profile(seen, phi, upper(seen, phi, tau2))
    assert abs(tau[share.argmax()] - np.sqrt(tau2)) < 2 * (tau[1] - tau[0])


def test_steadied_variance_of_battles_without_ties_is_the_binomial_one():
    R, _ = scale_world(12)
    g = np.full(len(R.a), 0.2)
    assert np.allclose(steadied(R.weight, R.rate, R.raw, R.weight, g), g / R.weight)
    assert showing(np.array([1.0]))[0] == 0
