"""Cohen's and Fleiss' kappa and intervals of agreement."""

import numpy as np
import pytest

from beatpath.stats.agreement import (
    alpha,
    alpha_interval,
    cohen,
    cohen_interval,
    fleiss,
    fleiss_interval,
    terms,
)

# Fleiss (1971), as reprinted widely: 10 subjects, 14 raters, 5 categories; kappa 0.210.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
THREE = np.array(
    [
        [2, 1, 2, 2, 1, 2, 2, 0, 0, 0, 2, 2],
        [2, 1, 2, 0, 1, 2, 2, 0, 1, 0, 0, 2],
        [2, 1, 2, 1, 0, 2, 2, 0, 1, 0, 0, 2],
    ]
)


def units_of(values):
    return np.array([[(column == v).sum() for v in range(3)] for column in values.T])


def test_fleiss_kappa_of_fourteen_raters_is_0_210():
    assert fleiss(terms(np.array(FLEISS)).sum(axis=0)).round(3) == 0.210


def test_kappas_are_those_of_other_libraries():
    """scikit-learn 1.9.1, statsmodels 0.15.0 and krippendorff 0.9.0 on the same three judges."""
    kappas = [cohen(_table(THREE[i], THREE[j])) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert kappas == pytest.approx([0.6043956043956045, 0.4725274725274725, 0.7446808510638299])
    assert fleiss(terms(units_of(THREE)).sum(axis=0)) == pytest.approx(0.6058394160583941)
    assert alpha(terms(units_of(THREE)).sum(axis=0)) == pytest.approx(0.6167883211678832)


def _table(first, second):
    return np.bincount(first * 3 + second, minlength=9).reshape(3, 3)


def test_which_agent_comes_first_means_nothing():
    rng = np.random.default_rng(0)
    values = rng.integers(3, size=(3, 40))
    turned = values.copy()
    some = rng.random(40) < 0.5
    turned[:, some] = np.array([1, 0, 2])[values[:, some]]
    for interval in (fleiss_interval, alpha_interval):
        assert interval(units_of(values), 0.95).estimate == pytest.approx(interval(units_of(turned), 0.95).estimate)
    pair = [cohen_interval(v[0], v[1], 0.95).estimate for v in (values, turned)]
    assert pair[0] == pytest.approx(pair[1])


def test_the_jackknife_in_closed_form_is_that_over_single_units():
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=50)
    values = np.array([np.where(rng.random(50) < 0.7, truth, rng.integers(3, size=50)) for _ in range(2)])
    interval = cohen_interval(values[0], values[1], 0.95)
    left = np.array([cohen_interval(*np.delete(values, u, axis=1), 0.95).estimate for u in range(50)])
    error = np.sqrt(49 / 50 * ((left - left.mean()) ** 2).sum())
    assert interval.high - interval.estimate == pytest.approx(2.0096 * error, rel=1e-3)


def test_intervals_of_kappa_hold_the_truth():
    """Judges that know with probability q and else guess: kappa is q squared, both sides alike."""
    rng = np.random.default_rng(2)
    held = []
    for _ in range(200):
        truth = rng.integers(3, size=100)
        values = np.array([np.where(rng.random(100) < 0.8, truth, rng.integers(3, size=100)) for _ in range(2)])
        ends = [cohen_interval(*values, 0.95), fleiss_interval(units_of(values), 0.95)]
        held.append([end.low <= 0.64 <= end.high for end in ends])
    assert (np.abs(np.mean(held, axis=0) - 0.95) <= 0.05).all()


def test_verdicts_that_are_all_the_same_have_no_kappa():
    assert np.isnan(cohen(np.array([[5, 0], [0, 0]])))
    assert np.isnan(fleiss(terms(np.array([[2, 0], [2, 0]])).sum(axis=0)))
    assert np.isnan(fleiss(terms(np.array([[1, 0]])).sum(axis=0)))
