"""Renaming agents renames what is reported for them, and changes nothing else."""

from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp


@pytest.mark.parametrize("seed", range(8))
def test_renaming_agents_changes_no_statement(seed):
    rng = np.random.default_rng(seed)
    n, number = 14, 900
    strength = rng.normal(0, 0.5, n)
    a = rng.integers(0, n, number)
    b = (a + rng.integers(1, n, number)) % n
    won = (rng.random(number) < 1 / (1 + np.exp(strength[b] - strength[a]))).astype(float)
    battles = bp.Battles(tuple(f"agent {i:02d}" for i in range(n)), a, b, won)
    other = rng.permutation(n)
    renamed = replace(battles, agents=tuple(f"name {i:02d}" for i in other))
    one, two = bp.resolve(battles), bp.resolve(renamed)
    again = [two.agents.index(f"name {other[int(name[-2:])]:02d}") for name in one.agents]
    np.testing.assert_array_equal(one.best, two.best[again])
    np.testing.assert_array_equal(one.ranks.first, two.ranks.first[again])
    np.testing.assert_allclose(one.first_probability, two.first_probability[again], atol=1e-6)
