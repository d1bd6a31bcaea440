"""Pólya-Gamma variables: their moments and their Laplace transform, which are known."""

import numpy as np
import pytest

from beatpath.methods.rating.bradley_terry.posterior import polya_gamma

DRAWS = 200_000


@pytest.mark.parametrize("shape", [0.5, 1.0, 7.5, 300.0])
@pytest.mark.parametrize("tilt", [0.0, 1.0, -4.0, 25.0])
def test_moments_and_transform_are_those_of_polson_scott_and_windle(shape, tilt):
    samples = polya_gamma(np.full(DRAWS, shape), np.full(DRAWS, tilt), np.random.default_rng(1))
    c = max(abs(tilt), 1e-3)  # the limit at zero
    mean = shape / (2 * c) * np.tanh(c / 2)
    variance = shape / (4 * c**3) * (np.sinh(c) - c) / np.cosh(c / 2) ** 2
    error = np.sqrt(variance / DRAWS)
    assert abs(samples.mean() - mean) < 5 * error
    assert samples.var() == pytest.approx(variance, rel=0.05)
    t = 1 / mean
    log_transform = shape * (np.log(np.cosh(c / 2)) - np.log(np.cosh(np.sqrt((c**2 / 2 + t) / 2))))
    value = np.exp(-t * samples)
    assert abs(value.mean() - np.exp(log_transform)) < 5 * value.std() / np.sqrt(DRAWS)
