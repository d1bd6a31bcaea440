"""Margins, win rates and majorities."""

import pytest
from hypothesis import given

from beatpath import DataError, Margins, Pairs, WinRates
from helpers.strategies import battles


@given(battles())
def test_win_rates_and_margins_say_the_same_of_who_wins(b):
    pairs = b.pairs()
    margins, rates = pairs.margins(), pairs.win_rates()
    assert [rates.margins().beats(name) for name in b.agents] == [margins.beats(name) for name in b.agents]


def test_a_matrix_that_is_not_minus_its_transpose_names_the_pair():
    with pytest.raises(DataError, match="got 1 for 'ada' over 'bob' but 2 the other way"):
        Margins([[0, 1], [2, 0]], ("ada", "bob"))


def test_pairs_with_a_count_of_zero_have_not_been_compared():
    """A resample or a part of the data may have no battle of a pair that the whole has."""
    pairs = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 2, 0]])
    assert pairs.margins(ties="half").played.tolist() == [
        [False, False, True],
        [False, False, True],
        [True, True, False],
    ]


def test_win_rates_add_up_to_one():
    with pytest.raises(DataError, match="add up to 1"):
        WinRates([[0.5, 0.7], [0.7, 0.5]], ("ada", "bob"))
