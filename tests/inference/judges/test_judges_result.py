"""What `judges` says."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.judges.judges_result import ROWS
from helpers.judged import judged_battles


@pytest.fixture(scope="module")
def many():
    return bp.judges(judged_battles(np.random.default_rng(0), judges=60, each=25))


def test_honest_judges_are_said_to_be_so_with_the_error(many):
    assert many.sentences[0] == "None of 60 judges is flagged (5 % chance of any false alarm)."


def test_a_table_shows_a_few_judges_and_not_all(many):
    assert len(many.rows()) == ROWS
    assert len(many.to_dict()["judges"]) == 60


def test_judges_with_few_votes_are_counted_and_not_judged():
    found = bp.judges(judged_battles(np.random.default_rng(1), judges=8, each=12))
    assert found.examined == ()
    assert found.sentences[0].startswith("None of 8 judges gave 20 votes or more")
    assert "is first with all judges weighted equally" in found.sentences[1]


def test_hostile_names_are_shown_safely():
    rng = np.random.default_rng(2)
    battles = judged_battles(rng, judges=3, agents=3)
    names = ["<b>\x1b", "k", "l"]
    judge = bp.Factor.of([names[j] for j in battles.factors["judge"].codes])
    told = bp.Battles(battles.agents, battles.a, battles.b, battles.outcome, factors={"judge": judge})
    found = bp.judges(told)
    assert "\x1b" not in str(found) + found._repr_html_()
    assert "<b>" not in found._repr_html_()
