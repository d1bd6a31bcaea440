"""Words for people: names that cannot act, lists that end, numbers in the right number."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath._text import confidence, counted, listed, percent, quoted, shown, suggestion


@given(st.text(), st.integers(5, 80))
def test_a_shown_name_is_one_printable_line(name, width):
    text = shown(name, width)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text)
    assert quoted(name, width) == f"'{text}'"


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=40))
def test_a_plain_short_name_is_shown_as_it_is(name):
    assert shown(name) == name


def test_a_long_name_keeps_its_two_ends():
    text = shown("begin" + "x" * 500 + "end", 20)
    assert len(text) == 20
    assert text.startswith("begin")
    assert text.endswith("end")


def test_a_long_list_says_how_many_more():
    assert listed("abcdefg", 3) == "'a', 'b', 'c' and 4 more"
    assert listed([]) == ""


def test_a_near_name_is_suggested_and_a_far_one_is_not():
    assert suggestion("copland", ["copeland", "borda"]) == " Did you mean 'copeland'?"
    assert suggestion("kemeny", ["borda"]) == ""


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 battles"), (1, "1 battle"), (2000, "2,000 battles"), (1.5, "1.5 battles")]
)
def test_a_count_has_its_noun_in_the_right_number(number, text):
    assert counted(number, "battle") == text


def test_shares_near_the_ends_have_a_digit_more():
    assert [percent(x) for x in (0.004, 0.5, 0.996)] == ["0.4 %", "50.0 %", "99.6 %"]
    assert confidence(0.999) == "99.9 %"
