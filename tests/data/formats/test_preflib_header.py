"""Headers of PrefLib files in both forms."""

import pytest

from beatpath._errors import ReadError
from beatpath.data.formats.preflib import parsed_file, require_total
from beatpath.data.sources.source import find

NEW = "# TITLE: Lunch\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: pie: hot\n# ALTERNATIVE NAME 2: soup\n3: 1,2\n"
OLD = "2\n1,pie, hot\n2,soup\n3,3,1\n3,1,2\n"


def taken_apart(write, text, name="x.soc"):
    return parsed_file(find(write(text, name))[0], None)


def test_both_forms_name_the_alternatives_and_leave_the_orders(write):
    new, old = taken_apart(write, NEW), taken_apart(write, OLD)
    assert (new.alternatives, old.alternatives) == ({1: "pie: hot", 2: "soup"}, {1: "pie, hot", 2: "soup"})
    assert (new.orders, new.separator) == ([(5, "3: 1,2")], ":")
    assert (old.orders, old.separator) == ([(5, "3,1,2")], ",")
    assert new.header["TITLE"] == "Lunch"
    assert old.header["NUMBER VOTERS"] == "3"


def test_the_type_is_that_of_the_ending_else_of_the_header(write):
    assert taken_apart(write, NEW, "x.toi").type == "toi"
    assert taken_apart(write, "# DATA TYPE: soi\n" + NEW, "x.txt").type == "soi"
    with pytest.raises(ReadError, match="data type is 'cat'"):
        taken_apart(write, "# DATA TYPE: cat\n" + NEW, "x.txt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("lunch\n", "must begin with `#` or with the number"),
        ("2\n1,pie\n", "must have 2 alternatives and a line of totals"),
        ("1\n1,pie\n3,3\n", "must be `voters,sum,distinct orders`"),
        (NEW.replace("NAME 2", "NAME 1"), "whole numbers, each once"),
        (NEW.replace("soup", "pie: hot"), "'pie: hot' stands for 1 and 2"),
        (NEW.replace("ALTERNATIVES: 2", "ALTERNATIVES: 3"), "says NUMBER ALTERNATIVES 3 and names 2"),
    ],
)
def test_a_bad_header_is_refused_with_a_sentence(write, text, message):
    with pytest.raises(ReadError, match=message):
        taken_apart(write, text)


def test_a_header_that_does_not_count_is_taken_as_it_is(write):
    require_total(taken_apart(write, NEW), "NUMBER VOTERS", 99, "holds")
