"""Conditions on rows."""

import pytest

import beatpath as bp
from beatpath.data.tables.cells import chosen, condition


def test_conditions_that_no_row_meets_are_refused(write):
    with pytest.raises(bp.ReadError, match=r"must leave rows to read; 'left=nobody' leaves none of 3 rows"):
        bp.read(write("left,right,winner\nada,bob,left\nbob,cyd,tie\nada,cyd,right\n"), where=["left=nobody"])


@pytest.mark.parametrize(
    ("text", "parts"),
    [("a=b", ("a", "=", "b")), (" turn >= 2 ", ("turn", ">=", "2")), ("a b!=c=d", ("a b", "!=", "c=d"))],
)
def test_a_condition_is_a_column_a_sign_and_a_value(text, parts):
    parsed = condition(text)
    assert (parsed.column, parsed.operator, parsed.value) == parts


@pytest.mark.parametrize("text", ["turn", "=2", ""])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(bp.UsageError, match="must read COLUMN=VALUE"):
        condition(text)


def test_rows_of_evidence_are_chosen_by_the_same_rules():
    battles = bp.Battles.of(
        [("x", "y", 1)] * 4, factors={"lang": bp.Factor.of(["EN", "de", None, "en"]), "turn": bp.Factor.of("1213")}
    )
    assert len(chosen(battles, ["lang=en"])) == 2
    assert len(chosen(battles, ["lang!=en"])) == 2  # a missing name equals nothing
    assert len(chosen(battles, ["turn<3", "lang=En"])) == 1
    with pytest.raises(bp.UsageError, match="after <; got 'many'"):
        chosen(battles, ["turn<many"])
