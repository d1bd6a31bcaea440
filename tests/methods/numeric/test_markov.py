"""Stationary distributions, against an eigenvector."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from beatpath.methods.numeric.markov import stationary


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_mass_that_flows_in_flows_out(n, seed):
    rates = np.random.default_rng(seed).random((n, n)) + 0.01
    np.fill_diagonal(rates, 0.0)
    distribution = stationary(csr_array(rates))
    np.testing.assert_allclose(distribution.mass @ rates, distribution.mass * rates.sum(axis=1), atol=1e-10)
    assert abs(distribution.mass.sum() - 1) < 1e-12


def test_two_closed_classes_are_listed():
    rates = np.array([[0, 1, 1.0], [0, 0, 0], [0, 0, 0]])
    assert sorted(len(one) for one in stationary(csr_array(rates)).classes) == [1, 1]
