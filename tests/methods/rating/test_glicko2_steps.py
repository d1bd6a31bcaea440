"""One rating period, against Glickman's worked example."""

import pytest
from scipy.optimize import brentq

from beatpath.methods.rating.glicko2 import after_period, damping, expected, volatility

POINT = 173.7178
OPPONENTS = [(1400, 30, 1), (1550, 100, 0), (1700, 300, 0)]  # Example of the Glicko-2 system, 2013


def test_glickmans_example_step_by_step():
    for (rating, deviation, _), g, e in zip(OPPONENTS, (0.9955, 0.9531, 0.7242), (0.639, 0.432, 0.303), strict=True):
        assert damping(deviation / POINT) == pytest.approx(g, abs=5e-5)
        assert expected((1500 - rating) / POINT, deviation / POINT) == pytest.approx(e, abs=6e-4)


def test_glickmans_example_ends_where_he_says():
    played = [((rating - 1500) / POINT, deviation / POINT, s, 1.0) for rating, deviation, s in OPPONENTS]
    mu, phi, sigma = after_period(0.0, 200 / POINT, 0.06, played, 0.5)
    assert (mu, phi) == (pytest.approx(-0.2069, abs=5e-5), pytest.approx(0.8722, abs=5e-5))
    assert 1500 + POINT * mu == pytest.approx(1464.06, abs=0.015)
    assert POINT * phi == pytest.approx(151.52, abs=0.005)
    assert sigma == pytest.approx(0.05999, abs=1e-5)


def test_a_period_without_battles_leaves_strength_and_volatility_and_widens_the_deviation():
    assert after_period(0.3, 1.0, 0.06, [], 0.5) == (0.3, pytest.approx((1 + 0.06**2) ** 0.5), 0.06)


@pytest.mark.parametrize("phi", [0.2, 1.0, 2.0])
@pytest.mark.parametrize("surprise", [0.0, 1.5, 20.0])
@pytest.mark.parametrize("tau", [0.3, 1.2])
def test_the_volatility_is_the_root_of_glickmans_function(phi, surprise, tau):
    from math import exp, log

    sigma, information = 0.06, 2.0
    v, delta = 1 / information, surprise / information

    def f(x):
        grown = phi**2 + v + exp(x)
        return exp(x) * (delta**2 - grown) / (2 * grown**2) - (x - log(sigma**2)) / tau**2

    wanted = exp(brentq(f, -80, 20, xtol=1e-13) / 2)
    assert volatility(phi, sigma, information, surprise, tau) == pytest.approx(wanted, rel=1e-8)
