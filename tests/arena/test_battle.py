"""Battles and what can come of them."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.arena.battles import Answer, Battle, outcome_of

BATTLE = Battle("key", "ada", "bob", "bob", "why?")


def test_a_battle_is_answered_by_the_object_or_by_its_key():
    assert Answer.of(BATTLE, "a") == Answer.of("key", "a") == Answer("key", 1.0, False, None)
    assert BATTLE.to_dict() == {"battle": "key", "a": "ada", "b": "bob", "first": "bob", "prompt": "why?"}


def test_every_outcome_has_a_value():
    assert [outcome_of(one) for one in ("a", "b", "tie", "both_bad", 0.2, 1, np.float32(0.5))] == [
        (1.0, False), (0.0, False), (0.5, False), (0.5, True), (0.2, False), (1.0, False), (0.5, False),
    ]  # fmt: skip
    assert Answer.of(BATTLE, "failed").outcome is None


def test_the_judge_of_a_battle_goes_before_that_of_all():
    assert Answer.of(BATTLE, "a", "eve", judge="fin").judge == "eve"
    assert Answer.of(BATTLE, "a", judge="fin").judge == "fin"


@pytest.mark.parametrize("wrong", ["A", "", "won", 1.01, -0.1, float("nan"), True, None, [1], {"gpt": "won"}])
def test_any_other_outcome_is_refused_by_name(wrong):
    with pytest.raises(
        bp.UnknownLabel, match="an outcome must be one of 'a', 'b', 'tie', 'both_bad', 'failed' or a number"
    ):
        Answer.of(BATTLE, wrong)


@pytest.mark.parametrize("wrong", [7, None, ["key"], b"key"])
def test_a_key_is_a_text(wrong):
    with pytest.raises(bp.DataError, match="named by its key, a text"):
        Answer.of(wrong, "a")


@pytest.mark.parametrize("wrong", [7, "half a \ud800", "a zero \0"])
def test_a_judge_is_a_text_that_every_database_holds(wrong):
    with pytest.raises(bp.DataError, match="a judge must be"):
        Answer.of(BATTLE, "a", judge=wrong)
