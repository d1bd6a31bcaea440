"""Calibration: bins against their definition, and temperatures against planted ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from beatpath import DataError, UsageError
from beatpath.inference.sensitivity.calibration import (
    pairwise_reliability,
    reliability,
    temperature_scaling,
)

cases = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40)


def by_definition(score, outcome, bins):
    """Section 4.1.1, one bin at a time."""
    total = 0.0
    for m in range(bins):
        inside = [(s, y) for s, y in zip(score, outcome, strict=True) if min(int(s * bins), bins - 1) == m]
        if inside:
            stated, came = np.mean(inside, axis=0)
            total += len(inside) / len(score) * abs(came - stated)
    return total


@given(rows=cases, bins=st.integers(1, 12))
def test_the_expected_calibration_error_is_its_definition(rows, bins):
    score, outcome = map(list, zip(*rows, strict=True))
    assert reliability(score, outcome, bins=bins).error == pytest.approx(by_definition(score, outcome, bins))


@given(rows=cases, repeats=st.integers(1, 4))
def test_a_weight_counts_as_that_many_cases(rows, repeats):
    score, outcome = np.array(rows).T
    weighted = reliability(score, outcome, weight=np.full(len(score), repeats))
    repeated = reliability(np.repeat(score, repeats), np.repeat(outcome, repeats))
    assert weighted.error == pytest.approx(repeated.error)
    assert weighted.weight.sum() == repeated.weight.sum()


@given(rows=cases)
def test_which_agent_a_row_names_first_does_not_matter(rows):
    p, y = np.array(rows).T
    p = 1 - (1 - p)  # rounded as turning a row round rounds
    assert pairwise_reliability(p, y).error == pytest.approx(pairwise_reliability(1 - p, 1 - y).error)


def test_calibrated_probabilities_have_a_small_error_and_overconfident_ones_a_large():
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    y = rng.random(20_000) < p
    assert reliability(p, y).error < 0.015
    sharpened = expit(3 * np.log(p / (1 - p)))
    assert reliability(sharpened, y).error > 0.1


@pytest.mark.parametrize("planted", [0.5, 1.0, 3.0])
def test_temperature_scaling_finds_the_planted_temperature(planted):
    rng = np.random.default_rng(1)
    z = rng.normal(0, 2 * planted, 40_000)
    y = rng.random(40_000) < expit(z / planted)
    scaling = temperature_scaling(z, y)
    assert scaling.temperature == pytest.approx(planted, rel=0.05)
    assert scaling.after <= scaling.before
    assert reliability(scaling.probabilities(z), y).error < 0.015


def test_no_other_temperature_does_better():
    rng = np.random.default_rng(2)
    z, w = rng.normal(0, 2, 200), rng.random(200)
    y = np.where(rng.random(200) < 0.2, 0.5, rng.random(200) < expit(z))
    best = temperature_scaling(z, y, weight=w)
    for factor in (0.9, 0.99, 1.01, 1.1):
        p = expit(z / (best.temperature * factor))
        assert -np.average(y * np.log(p) + (1 - y) * np.log1p(-p), weights=w) > best.after


def test_the_limits_of_the_temperature_are_answers():
    sure = temperature_scaling([2.0, -1.0, 0.0], [1, 0, 0.5])
    assert sure.temperature == 0
    assert sure.probabilities([3.0, 0.0, -3.0]).tolist() == [1.0, 0.5, 0.0]
    assert sure.after == pytest.approx(np.log(2) / 3)
    wrong = temperature_scaling([2.0, -1.0], [0, 1])
    assert wrong.temperature == np.inf
    assert wrong.probabilities([3.0, -3.0]).tolist() == [0.5, 0.5]
    assert wrong.to_dict()["temperature"] is None


def test_what_cannot_be_binned_is_refused_in_sentences():
    with pytest.raises(DataError, match=r"`probability` must lie from 0 to 1; got 1\.5"):
        reliability([1.5], [1])
    with pytest.raises(DataError, match="`outcome` must lie from 0 to 1; got nan"):
        reliability([0.5], [np.nan])
    with pytest.raises(DataError, match=r"one a case; got \(1,\), \(2,\)"):
        reliability([0.5], [1, 0])
    with pytest.raises(DataError, match="at least one case"):
        reliability([], [])
    with pytest.raises(UsageError, match="`bins` must be a whole number"):
        reliability([0.5], [1], bins=0)
    with pytest.raises(DataError, match="`logit` must be finite"):
        temperature_scaling([np.inf], [1])
