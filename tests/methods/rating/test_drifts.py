"""How fast agents change: the evidence against integrals by brute force, and what an average over drifts is."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath import Battles
from beatpath.methods.rating import curve_fit
from beatpath.methods.rating.curve_fit import fit_curves, knots_of
from beatpath.methods.rating.online_state import schedule
from beatpath.methods.rating.whole_history import averaged, strength_curves


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
    evidence = np.array([fit_curves(knots, drift, 1.0).evidence for drift in drifts])
    wanted = np.array([integral(knots, drift, 1.0) for drift in drifts])
    np.testing.assert_allclose(np.diff(evidence), np.diff(wanted), atol=0.1)


def test_an_average_over_drifts_has_the_means_and_what_differs_in_its_variance():
    knots = two_times((10, 30))
    fit, probable = averaged(knots, 1.0)
    weight = np.array(list(probable.values()))
    fits = [fit_curves(knots, drift, 1.0, own_drifts=True) for drift in probable]
    change = np.array([one.change for one in fits])
    second = np.array([one.change_deviation**2 + one.change**2 for one in fits])
    np.testing.assert_allclose(fit.change, weight @ change)
    np.testing.assert_allclose(fit.change_deviation**2, weight @ second - (weight @ change) ** 2)
    assert max(probable, key=probable.get) > 0.5


def test_a_drift_of_an_agents_own_agrees_with_a_fit_in_which_its_time_runs_faster(monkeypatch):
    """A drift four times as large is a time sixteen times as long; many battles at a point make the posterior normal."""
    rng = np.random.default_rng(3)
    theta = np.cumsum(rng.normal(0, 0.3, (6, 4)), axis=0)
    time, a = np.repeat(np.arange(6), 1500), rng.integers(0, 4, 9000)
    b = (a + rng.integers(1, 4, 9000)) % 4
    won = rng.random(9000) < 1 / (1 + np.exp(theta[time, b] - theta[time, a]))
    battles = Battles(tuple("wxyz"), a, b, won.astype(float), time=time.astype(float))
    knots = knots_of(battles, schedule(battles))
    common = fit_curves(knots, 0.1)
    monkeypatch.setattr(curve_fit, "OWN_CHANCE", 1 - 1e-12)
    monkeypatch.setattr(curve_fit, "OWN_FACTORS", np.array([4.0]))
    own = fit_curves(knots, 0.1, own_drifts=True)
    gained = 0.0
    for i in range(4):
        alone = fit_curves(replace(knots, time=np.where(knots.agent == i, 16.0, 1.0) * knots.time), 0.1)
        gained += alone.evidence - common.evidence
        some = knots.agent == i
        assert own.change[i] == pytest.approx(alone.change[i], abs=0.02)
        assert own.change_deviation[i] == pytest.approx(alone.change_deviation[i], rel=0.03)
        assert own.relative[some] == pytest.approx(alone.relative[some], abs=0.02)
        assert own.relative_deviation[some] == pytest.approx(alone.relative_deviation[some], rel=0.03)
    assert own.evidence - common.evidence == pytest.approx(gained, abs=0.5)
    assert abs(gained) > 5


def test_one_agent_that_jumps_widens_its_own_interval_and_not_those_of_agents_that_stay():
    rng = np.random.default_rng(4)
    time, a = rng.integers(0, 20, 3000), rng.integers(0, 12, 3000)
    b = (a + rng.integers(1, 12, 3000)) % 12
    theta = np.where((np.arange(20)[:, None] >= 10) & (np.arange(12) == 0), 1.5, 0.0)
    won = rng.random(3000) < 1 / (1 + np.exp(theta[time, b] - theta[time, a]))
    names = tuple("abcdefghijkl")
    curves = strength_curves(Battles(names, a, b, won.astype(float), time=time.astype(float)))
    low, high = (curves.change + sign * 1.96 * curves.change_deviation for sign in (-1, 1))
    assert 0 < low[0] < 1.5 < high[0]
    assert curves.change_deviation[0] > 1.5 * curves.change_deviation[1:].max()
