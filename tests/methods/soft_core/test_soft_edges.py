import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath import DataError, UsageError
from beatpath.methods.soft_core.edges import evidence_edge, probabilistic_tournament
from beatpath.methods.soft_core.operators import (
    soft_majority_edge,
    softmax,
    softmin,
)
from helpers.tournaments import CYCLE, tournaments

FINITE = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(FINITE, st.floats(1e-4, 10))
def test_soft_extrema_lie_between_the_mean_and_the_extremum_within_gamma_log_m(z, gamma):
    slack = gamma * np.log(len(z)) + 1e-12
    assert max(z) - slack <= softmax(z, gamma) <= max(z) + 1e-12
    assert min(z) - 1e-12 <= softmin(z, gamma) <= min(z) + slack
    assert softmin(z, gamma) <= np.mean(z) + 1e-12 <= softmax(z, gamma) + 2e-12


def test_soft_extrema_follow_their_equations_along_any_axis():
    z = np.random.default_rng(0).random((3, 4, 5))
    assert np.allclose(softmax(z, 0.3, axis=1), 0.3 * np.log(np.exp(z / 0.3).mean(axis=1)))
    assert np.allclose(softmin(z, 0.3, axis=0), -0.3 * np.log(np.exp(-z / 0.3).mean(axis=0)))


def test_soft_extrema_do_not_overflow_at_tiny_temperatures():
    assert softmax([0.0, 1.0], 1e-300) == 1.0
    assert 0 <= softmin([0.0, 1.0], 1e-300) < 1e-299


@given(tournaments(margin=0.0), st.floats(0.01, 1))
def test_the_two_edges_of_a_pair_add_up_to_one(P, tau):
    D = soft_majority_edge(P, tau)
    assert np.allclose((D + D.T)[~np.eye(len(P), dtype=bool)], 1)
    assert not D.diagonal().any()


def test_weights_divide_the_temperature():
    weight = np.full((3, 3), 4.0)
    assert np.allclose(soft_majority_edge(CYCLE, 0.2, weight=weight), soft_majority_edge(CYCLE, 0.05))


def test_an_absent_pair_has_no_edge_and_a_pair_of_no_weight_an_even_one():
    absent = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool)
    assert soft_majority_edge(CYCLE, 0.1, present=absent)[1, 2] == 0
    assert soft_majority_edge(CYCLE, 0.1, weight=absent)[1, 2] == 0.5


def test_the_input_is_not_written_to():
    P = CYCLE.copy()
    soft_majority_edge(P, 0.1), evidence_edge(P), probabilistic_tournament(P, "abc")
    assert (P == CYCLE).all()


@pytest.mark.parametrize("tau", [0, -0.1, float("nan"), float("inf"), True, "hot", None])
def test_a_temperature_that_is_not_positive_is_refused_by_name(tau):
    with pytest.raises(UsageError, match="`tau` must be a temperature above 0; got"):
        soft_majority_edge(CYCLE, tau)


@pytest.mark.parametrize(
    ("value", "message"),
    [(1.2, "got 1.2 for 'ada' over 'cyd'"), (np.nan, "got nan for 'ada' over 'cyd'"), (-0.1, "got -0.1 for")],
)
def test_a_value_that_is_no_probability_is_refused_with_the_pair(value, message):
    P = CYCLE.copy()
    P[0, 2] = value
    with pytest.raises(DataError, match=message):
        probabilistic_tournament(P, ["ada", "bob", "cyd"])


def test_probabilities_of_a_pair_that_do_not_add_up_are_refused_with_the_pair():
    P = CYCLE.copy()
    P[0, 2] = 0.4
    with pytest.raises(DataError, match=r"0\.4 for 'ada' over 'c\\nd' and 0\.7 for 'c\\nd' over 'ada'"):
        probabilistic_tournament(P, ["ada", "bob", "c\nd"])
    with pytest.raises(DataError, match=r"shape \(2, 2\)"):
        probabilistic_tournament(P, ["ada", "bob"])
