"""How fast agents change: the evidence against integrals by brute force, and what an average over drifts is."""

import numpy as np
import pytest

from beatpath import Battles
from beatpath.methods.rating.curve_fit import fit_curves, knots_of
from beatpath.methods.rating.online_state import schedule
from beatpath.methods.rating.whole_history import averaged


def two_times(wins):
    """One agent against another at two times, who won so many of 40 at each."""
    rows = [("ada", "bob", float(k < won)) for won in wins for k in range(40)]
    battles = Battles.of(rows, time=np.repeat([0.0, 1.0], 40))
    return knots_of(battles, schedule(battles))


def integral(knots, drift, prior):
    """The probability of the battles, strengths integrated over a lattice; up to what does not depend on the drift."""
    x = np.linspace(-5, 5, 41)
    a0, a1, b0, b1 = np.meshgrid(x, x, x, x, indexing="ij", sparse=True)
    log = 0.0
    theta = {0: a0, 1: a1, 2: b0, 3: b1}
    for k, m, s in zip(knots.a, knots.b, knots.outcome, strict=True):
        gap = theta[k] - theta[m]
        log = log - np.logaddexp(0, -gap if s else gap)
    for begun in (a0, b0):
        log = log - prior * (np.logaddexp(0, begun) + np.logaddexp(0, -begun))
    for first, last in ((a0, a1), (b0, b1)):
        log = log - (last - first) ** 2 / (2 * drift**2) - np.log(drift)
    return float(np.log(np.exp(log - log.max()).sum()) + log.max())


@pytest.mark.parametrize("wins", [(20, 20), (10, 30)])
def test_the_evidence_of_drifts_is_that_of_the_integral(wins):
    knots = two_times(wins)
    drifts = (0.6, 1.2, 2.4)
    found = np.array([fit_curves(knots, drift, 1.0).evidence for drift in drifts])
    wanted = np.array([integral(knots, drift, 1.0) for drift in drifts])
    np.testing.assert_allclose(np.diff(found), np.diff(wanted), atol=0.1)


def test_an_average_over_drifts_has_the_means_and_what_differs_in_its_variance():
    knots = two_times((10, 30))
    fit, probable = averaged(knots, 1.0)
    weight = np.array(list(probable.values()))
    fits = [fit_curves(knots, drift, 1.0) for drift in probable]
    change = np.array([one.change for one in fits])
    second = np.array([one.change_deviation**2 + one.change**2 for one in fits])
    np.testing.assert_allclose(fit.change, weight @ change)
    np.testing.assert_allclose(fit.change_deviation**2, weight @ second - (weight @ change) ** 2)
    assert max(probable, key=probable.get) > 0.5
