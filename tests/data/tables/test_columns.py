"""Fetched columns as numbers and factors."""

import numpy as np
import pytest

from beatpath.data.tables.cells import (
    are_numbers,
    array_of_column,
    factors_of_codes,
    factors_of_texts,
    finite_numbers,
    is_blank,
    number_of,
    number_share,
)


def texts(*values):
    """A column as DuckDB hands it over: what is missing is masked."""
    return np.ma.array(np.array(values, dtype=object), mask=[value is None for value in values])


@pytest.mark.parametrize(
    ("text", "number"), [(" 1e3 ", 1000), ("TRUE", 1), ("false", 0), ("-0.5", -0.5), ("1,5", 1.5), ("0,125", 0.125)]
)
def test_texts_that_are_numbers(text, number):
    assert number_of(text) == number


def test_texts_that_are_none():
    assert np.isnan([number_of("one"), number_of(""), number_of("1,500"), number_of("1,5,0")]).all()
    assert (is_blank(" \t"), is_blank("0")) == (True, False)


@pytest.mark.parametrize(
    ("values", "all_numbers", "share"),
    [
        (("1", "2.5", None), True, 1.0),
        (("true", "False"), True, 1.0),
        (("1", "2", "x", None), False, 2 / 3),
        (("x", "y"), False, 0.0),
        ((None, None), False, 0.0),
        (("1", " ", "inf"), False, 0.5),
    ],
)
def test_which_columns_hold_numbers(values, all_numbers, share):
    assert are_numbers(texts(*values)) == all_numbers
    assert number_share(texts(*values)) == pytest.approx(share)


def test_numbers_with_holes_and_columns_that_are_none():
    np.testing.assert_array_equal(finite_numbers(texts("1", None, "2")), [1, np.nan, 2])
    assert finite_numbers(texts("1", "x")) is None
    assert finite_numbers(texts("1", "inf")) is None
    np.testing.assert_array_equal(array_of_column(np.ma.array([1, 2], mask=[0, 1]), -1, np.int32), [1, -1])


def test_factors_share_sorted_levels():
    first, second = factors_of_texts([texts("b", None), texts("a", "b")])
    assert first.levels == second.levels == ("a", "b")
    assert (first.codes.tolist(), second.codes.tolist()) == ([1, -1], [0, 1])


def test_hashes_are_looked_up_and_agents_share_their_levels():
    columns = [np.array(c, dtype=np.uint64) for c in ([9, 7], [5, 5])]
    a, b = factors_of_codes(columns, {7: "b", 9: None, 5: "a"})
    assert a.levels == b.levels == ("a", "b")
    assert (a.codes.tolist(), b.codes.tolist()) == ([-1, 1], [0, 0])
    (label,) = factors_of_codes([np.array([1, 2], dtype=np.uint64)], {1: "x", 2: "w"})
    assert label.names() == ["x", "w"]
