"""The design effect of clusters: one for independent battles, by its definition, and what repeats make of it."""

import numpy as np
import pytest

from beatpath.stats.design_effect import Dependence, cells_by_code, dependence


def design_effect(cells, level, least):
    return dependence(cells).interval(level, least)


def test_battles_that_repeat_each_other_count_once():
    """Every cluster holds four battles of one pair that all end alike: the variance is four times that of one in four."""
    rng = np.random.default_rng(0)
    outcome = np.repeat((rng.random(400) < 0.5).astype(float), 4)
    zero, one, codes = np.zeros(1600, int), np.ones(1600, int), np.repeat(np.arange(400), 4)
    effect = design_effect(cells_by_code(zero, one, outcome, codes, 2), 0.95, 20)
    assert effect.estimate == pytest.approx(4, rel=0.02)
    assert effect.low > 1


def test_independent_battles_have_none():
    rng = np.random.default_rng(1)
    effects = [
        design_effect(
            cells_by_code(np.zeros(300, int), np.ones(300, int), (rng.random(300) < 0.6) * 1.0, np.arange(300) // 3, 2),
            0.95,
            20,
        )
        for _ in range(200)
    ]
    assert np.mean([one.estimate for one in effects]) == pytest.approx(1, abs=0.02)
    assert np.mean([one.low <= 1 <= one.high for one in effects]) > 0.9


def test_too_few_clusters_tell_nothing():
    cells = cells_by_code(np.zeros(8, int), np.ones(8, int), np.arange(8) % 2 * 1.0, np.arange(8) // 2, 2)
    assert design_effect(cells, 0.95, 20) is None


def test_a_ratio_of_equal_totals_is_known_exactly():
    interval = Dependence(2.0, 1.0, np.full(30, 2.0), np.full(30, 1.0), 30).interval(0.95, 20)
    assert (interval.low, interval.estimate, interval.high) == pytest.approx((2, 2, 2))
