"""Two roads to the same counts."""

import numpy as np
import pytest

from beatpath import Pairs


@pytest.mark.parametrize("n_rows", [8, 300, 140_000])
@pytest.mark.parametrize("n_soft", [0, 1])
def test_counting_whole_outcomes_equals_adding_weights_of_one(n_rows, n_soft):
    rng = np.random.default_rng(n_rows)
    a = rng.integers(6, size=n_rows)
    b = (a + rng.integers(1, 6, size=n_rows)) % 6
    outcome = rng.choice([0.0, 0.5, 1.0], size=n_rows)
    both_bad = (outcome == 0.5) & (rng.random(n_rows) < 0.3)
    outcome[:n_soft] = 0.25
    both_bad[:n_soft] = False
    names = tuple("abcdefg")  # the last never meets anybody
    counted = Pairs.from_outcomes(names, a, b, outcome, both_bad=both_bad)
    added = Pairs.from_outcomes(names, a, b, outcome, both_bad=both_bad, weight=np.ones(n_rows))
    for field in ("a", "b", "counts", "battles"):
        np.testing.assert_array_equal(getattr(counted, field), getattr(added, field))
