"""Comparisons that settle every majority: the bound as printed, and as often right as it says."""

import numpy as np
import pytest

import beatpath as bp


def test_so_many_comparisons_make_every_majority_right_as_often_as_stated():
    P = np.array([[0.5, 0.65, 0.8], [0.35, 0.5, 0.7], [0.2, 0.3, 0.5]])
    needed = bp.planning.comparisons_needed(P, error=0.2)
    assert needed.uniform == np.ceil(np.log(3 * 2 / 0.2) / (2 * 0.15**2))
    rng, a, b = np.random.default_rng(0), *np.triu_indices(3, 1)
    for m in (needed.each[a, b], np.full(3, needed.uniform)):
        won = rng.binomial(m.astype(int), P[a, b], size=(4000, 3))
        assert ((won > m / 2) == (P[a, b] > 0.5)).all(axis=1).mean() >= 0.8


def test_an_even_pair_is_reported_as_never_settled():
    needed = bp.planning.comparisons_needed([[0.5, 0.5], [0.5, 0.5]])
    assert needed.to_dict()["uniform"] is None
    assert "some pair is even" in str(needed)
    assert "47 comparisons of every pair" in str(bp.planning.comparisons_needed([[0.5, 0.7], [0.3, 0.5]]))


@pytest.mark.parametrize("error", [0.0, 1.0, 2, True, "x"])
def test_an_error_must_be_a_probability(error):
    with pytest.raises(bp.UsageError, match="`error` must lie between 0 and 1"):
        bp.planning.comparisons_needed([[0.5, 0.7], [0.3, 0.5]], error=error)
