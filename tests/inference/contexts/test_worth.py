"""What a battle is worth: ties vary less, battles of one cluster more."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.contexts.context_boards import dispersion
from beatpath.inference.contexts.context_data import context_counts
from beatpath.inference.contexts.shrunken import shrunken


def _dispersion(seed, *, repeat=1, ties=0.0):
    rng = np.random.default_rng(seed)
    m = 600 // repeat
    a = rng.integers(5, size=m)
    b = (a + rng.integers(1, 5, size=m)) % 5
    outcome = np.where(rng.random(m) < ties, 0.5, (rng.random(m) < 0.5).astype(float))
    a, b, outcome, cluster = (np.repeat(x, repeat) for x in (a, b, outcome, np.arange(m)))
    factors = {"task": bp.Factor.of(np.repeat(rng.integers(3, size=m), repeat)), "cluster": bp.Factor.of(cluster)}
    counts = context_counts(bp.Battles(tuple("abcde"), a, b, outcome, factors=factors), "task", cluster="cluster")
    return dispersion(counts.seen, shrunken(counts.seen), undecided=counts.undecided, clustered=counts.clustered)


def test_independent_decided_battles_are_worth_one_each():
    assert np.mean([_dispersion(seed) for seed in range(8)]) == pytest.approx(1, abs=0.06)


def test_battles_repeated_four_times_are_worth_a_quarter():
    assert np.mean([_dispersion(seed, repeat=4) for seed in range(8)]) == pytest.approx(4, rel=0.15)


def test_with_half_of_equal_battles_tied_outcomes_vary_half_as_much():
    assert np.mean([_dispersion(seed, ties=0.5) for seed in range(8)]) == pytest.approx(0.5, abs=0.06)
