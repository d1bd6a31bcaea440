"""Krippendorff's alpha and the percentage of agreement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.stats.agreement import alpha, grade_interval, percent_agreement, side_blind_alpha, terms

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C: four observers, twelve units, 0 missing.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]


def test_alpha_of_krippendorffs_four_observers_is_0_743():
    counts = np.array([[column.count(v) for v in range(1, 6)] for column in zip(*FOUR_OBSERVERS, strict=True)])
    assert alpha(terms(counts).sum(axis=0)).round(3) == 0.743


def test_alpha_of_the_same_observers_as_grades_is_0_849():
    grades = np.array(FOUR_OBSERVERS, dtype=float)
    observer, unit = np.nonzero(grades)
    interval = grade_interval(unit, grades[observer, unit], 0.95)
    assert round(interval.estimate, 3) == 0.849  # the same paper, section E: interval data
    assert interval.low < 0.849 < interval.high


def test_grades_that_never_differ_have_no_alpha():
    assert np.isnan(grade_interval(np.array([0, 0, 1, 1]), np.ones(4), 0.95).estimate)


def alpha_by_definition(units):
    """Disagreeing pairs observed within units, over those among all values put together."""
    units = [unit for unit in units if len(unit) > 1]
    pool = [v for unit in units for v in unit]
    n = len(pool)
    observed = sum(
        sum(u != v for i, u in enumerate(unit) for j, v in enumerate(unit) if i != j) / (len(unit) - 1)
        for unit in units
    )
    expected = sum(u != v for i, u in enumerate(pool) for j, v in enumerate(pool) if i != j) / (n - 1)
    return 1 - observed / expected if expected else np.nan


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5), min_size=1, max_size=8))
def test_alpha_agrees_with_its_definition(units):
    counts = np.array([[unit.count(v) for v in range(3)] for unit in units])
    expected = alpha_by_definition(units) if any(len(unit) > 1 for unit in units) else np.nan
    assert alpha(terms(counts).sum(axis=0)) == pytest.approx(expected, nan_ok=True)


def test_alpha_does_not_depend_on_which_agent_of_a_pair_comes_first():
    counts = np.random.default_rng(0).integers(0, 4, (30, 3))
    turned = counts.copy()
    turned[::2] = turned[::2][:, [1, 0, 2]]
    assert side_blind_alpha(turned) == pytest.approx(side_blind_alpha(counts))


def test_judges_that_guess_have_an_alpha_near_zero():
    rng = np.random.default_rng(1)
    counts = np.stack([rng.multinomial(3, [0.4, 0.4, 0.2]) for _ in range(5000)])
    assert side_blind_alpha(counts) == pytest.approx(0, abs=0.03)


def test_percent_agreement_by_hand():
    # three judges: a, a, b agree in one pair of three; two judges: tie, tie agree
    assert percent_agreement(np.array([[2, 1, 0], [0, 0, 2], [1, 0, 0]])) == pytest.approx(2 / 4)
