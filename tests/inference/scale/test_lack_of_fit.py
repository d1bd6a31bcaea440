"""Lack of fit: its upper limit by solving the equation it stands for, and by how often it holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import chi2, norm

import beatpath as bp
from beatpath.inference.scale.lack_of_fit import MATERIAL, LackOfFit, _upper
from beatpath.inference.scale.projection import bradley_terry_projection
from beatpath.inference.win_rates.win_rates import win_rate_inference


@given(st.floats(0, 5), st.floats(0.1, 5), st.floats(0, 3), st.floats(0.1, 3))
def test_the_upper_limit_solves_its_equation(excess, variance, slope, z):
    def short(delta):
        return delta - z * np.sqrt(variance + 4 * slope * delta) - excess

    assert _upper(excess, variance, slope, z) == pytest.approx(brentq(short, excess, 1e4, xtol=1e-12), rel=1e-9)


@given(st.floats(0, 5), st.floats(0.1, 5), st.floats(0, 3), st.floats(0.1, 3))
def test_below_even_odds_the_limit_solves_it_from_the_other_side(excess, variance, slope, z):
    low = _upper(excess, variance, slope, -z)
    assert low <= excess
    if variance + 4 * slope * low > 0:
        assert low + z * np.sqrt(variance + 4 * slope * low) == pytest.approx(excess, abs=1e-9)


def ring(won, battles, n=3):
    """Every agent beats the next half of the circle as often as said."""
    a, b = np.triu_indices(n, 1)
    ahead = (b - a) % n <= n // 2
    wins = np.where(ahead, won, battles - won)
    counts = np.stack([wins, battles - wins, 0 * wins, 0 * wins], axis=1)
    return win_rate_inference(bp.Pairs(tuple(f"agent{k:02d}" for k in range(n)), a, b, counts))


def test_a_circle_of_equal_edges_has_the_statistic_and_moments_of_its_binomials():
    """Strengths are all zero, so every pair is off by the same; fitting takes up two of the three degrees of freedom."""
    found = bradley_terry_projection(ring(60, 100)).lack_of_fit
    assert found.statistic == pytest.approx(3 * 100 * 0.1**2)
    assert found.circles == 1
    assert found.expected == pytest.approx(0.25, rel=0.05)  # the circle's own share of three binomial variances
    assert found.df == pytest.approx(1, rel=0.1)
    assert found.p_value == pytest.approx(chi2.sf(found.statistic / found.expected * found.df, found.df), rel=1e-6)
    assert found.rms == pytest.approx(np.sqrt((found.statistic - found.expected) / (300 * 0.99)), rel=1e-6)


@pytest.mark.parametrize(("won", "battles"), [(500, 1000), (530, 1000)])
def test_the_upper_limit_holds_as_often_as_it_says(won, battles):
    """The lack of fit of a true circle of the given size, drawn anew a thousand times."""
    truth = won / battles - 0.5
    rng, draws = np.random.default_rng(won), 1000
    held = 0
    for wins in rng.binomial(battles, [won / battles, 1 - won / battles, won / battles], size=(draws, 3)):
        counts = [[w, battles - w, 0, 0] for w in wins.tolist()]
        told = win_rate_inference(bp.Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], counts))
        held += bradley_terry_projection(told).lack_of_fit.rms_high >= truth
    assert held / draws >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / draws)
    if truth:
        assert held / draws <= 0.95 + 3 * np.sqrt(0.95 * 0.05 / draws) + 0.02


def of(p_value, rms, rms_high):
    return LackOfFit(3, 3, 1, 300.0, 1.0, 0.95, 0.5, 0.1, 1.0, p_value, rms, rms_high)


@pytest.mark.parametrize(
    ("p_value", "rms", "rms_high", "fair"),
    [
        (0.01, 2 * MATERIAL, 3 * MATERIAL, False),
        (0.01, MATERIAL / 3, MATERIAL / 2, True),  # beyond noise, and too small to matter
        (0.01, MATERIAL / 2, 2 * MATERIAL, None),
        (0.20, 2 * MATERIAL, 3 * MATERIAL, None),
        (0.20, 0.0, MATERIAL, True),
        (0.05 + 1e-9, 2 * MATERIAL, 3 * MATERIAL, None),
        (None, None, None, None),
    ],
)
def test_one_scale_is_judged_by_size_and_by_noise(p_value, rms, rms_high, fair):
    found = of(p_value, rms, rms_high)
    assert found.defensible is fair
    assert found.significant == (p_value is not None and p_value < 0.05)


def test_sentences_say_size_chance_and_limit():
    said = of(0.0004, 0.0512, 0.061).sentence
    assert said == (
        "One scale is not defensible: the typical pair lies 5.1 percentage points from what it predicts, beyond noise "
        "(p < 0.001; at most 6.1 percentage points at 95 % confidence)."
    )
    assert "p = 0.2;" in of(0.2, 0.01, 0.02).sentence
    assert "does not fit exactly" in of(0.01, 0.01, 0.06).sentence
    assert "cannot rule out" in of(0.2, 0.01, 0.06).sentence


def test_why_nothing_can_be_told_is_said():
    assert "no pairs form a circle" in LackOfFit(3, 2, 0, 300.0, 0.0, 0.95).sentence
    assert "about 12 clusters, and 20 are needed" in LackOfFit(3, 3, 1, 12.2, 0.0, 0.95).sentence
    assert "no positive variance" in LackOfFit(3, 3, 1, 20.0, 0.0, 0.95).sentence


def test_the_chance_of_a_circle_is_that_of_the_score_test():
    """Three edges of a circle are three draws of one departure, so that its root statistic is a normal one."""
    for won in (52, 55, 58):
        found = bradley_terry_projection(ring(won * 100, 10_000)).lack_of_fit
        z = (won / 100 - 0.5) * 3 / np.sqrt(3 * 0.25 / 10_000)
        assert found.p_value == pytest.approx(2 * norm.sf(z), rel=0.35)  # both are far out in their tails
