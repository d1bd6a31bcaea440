"""The smallest number that changes an answer, held to trying every number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.stats.codes import equal_sets
from beatpath.stats.smallest import bisected, first_units, predicted_number, shortest_prefix


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 5)), min_size=1, max_size=5),
    st.floats(0.1, 100),
)
def test_predicted_numbers_are_where_effects_one_by_one_reach_the_gap(kinds, gap):
    kinds = sorted(kinds, reverse=True)
    effect, many = (np.array(column) for column in zip(*kinds, strict=True))
    one_by_one = np.cumsum(np.repeat(effect, many))
    predicted = predicted_number(effect.astype(float), many, gap)
    if one_by_one[-1] <= gap:
        assert predicted == np.inf
    else:
        assert int(predicted) + 1 == np.argmax(one_by_one > gap) + 1


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(0, 20))
def test_the_first_units_are_those_of_a_list_of_all(many, number):
    taken = np.repeat(np.arange(len(many)), many)[:number]
    assert first_units(np.array(many), number).tolist() == np.bincount(taken, minlength=len(many)).tolist()


@given(st.integers(1, 40), st.integers(0, 50), st.integers(0, 60))
def test_the_shortest_prefix_is_the_first_that_is_enough_whatever_the_guess(enough, guess, most):
    prefix = shortest_prefix(lambda k: (k >= enough, k), guess, most)
    assert prefix == ((enough, enough) if enough <= most else None)


def test_too_many_units_leave_no_result_and_fewer_are_tried():
    assert shortest_prefix(lambda k: (k >= 5, None if k > 8 else k), 20, 50) == (5, 5)
    assert shortest_prefix(lambda k: (k >= 5, None), 20, 50) is None


def test_an_interval_is_halved_around_the_point():
    low, high = bisected(lambda x: x**2 < 2, 0.0, 2.0, 40)
    assert low == pytest.approx(2**0.5, abs=1e-11)
    assert 0 < high - low < 1e-11


@given(st.lists(st.frozensets(st.integers(0, 6)), min_size=1, max_size=8))
def test_groups_are_equal_where_their_sets_are(sets):
    group = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    code = np.array([code for one in sets for code in one], dtype=np.int64)
    number, first = equal_sets(group, code, len(sets))
    assert [sets[i] for i in first[number]] == sets
    assert len(first) == len(set(sets))
