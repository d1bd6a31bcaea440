"""Boundaries against simulated walks that are looked at after every step."""

import numpy as np
import pytest

from beatpath.inference.anytime.boundary import head_to_head_e_value, mixture_bound


def test_gaussian_walks_cross_the_bound_as_seldom_as_it_says():
    walks = np.cumsum(np.random.default_rng(5).standard_normal((2000, 3000)), axis=1)
    bound = mixture_bound(np.arange(1.0, 3001.0), 50.0, 0.1)
    crossed = (np.abs(walks) >= bound).any(axis=1).mean()
    assert 0.03 < crossed < 0.1 + 3 * np.sqrt(0.1 * 0.9 / 2000)  # below a tenth; and not idly wide: time is finite


def test_an_interval_for_one_look_would_be_crossed_by_half_of_them():
    walks = np.cumsum(np.random.default_rng(5).standard_normal((2000, 3000)), axis=1)
    assert (np.abs(walks) >= 1.645 * np.sqrt(np.arange(1.0, 3001.0))).any(axis=1).mean() > 0.5


def test_equal_agents_make_no_gambler_rich_however_long_they_play():
    rng = np.random.default_rng(8)
    rich = 0
    for _ in range(1000):
        wins = np.cumsum(rng.random(400) < 0.5)
        played = np.arange(1, 401)
        rich += max(map(head_to_head_e_value, wins.tolist(), (played - wins).tolist())) >= 20
    assert rich / 1000 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)


def test_an_e_value_averages_to_one_over_all_sequences():
    """By brute force: the mean over all 2^10 sequences of fair battles."""
    from math import comb

    assert sum(comb(10, w) * head_to_head_e_value(w, 10 - w) for w in range(11)) / 2**10 == pytest.approx(1.0)
