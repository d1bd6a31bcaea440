"""What `judges` says."""

import numpy as np
import pytest

import beatpath as bp
from helpers.judged import judged_battles


@pytest.fixture(scope="module")
def many():
    return bp.judges(judged_battles(np.random.default_rng(0), judges=60, each=25))


def test_honest_judges_are_reported_with_the_error(many):
    assert many.sentences[0] == "None of 60 judges is flagged (5 % chance of any false alarm)."


def test_every_judge_has_a_row(many):
    assert len(many.rows()) == len(many.to_dict()["judges"]) == 60


def test_judges_with_few_votes_are_counted_and_not_judged():
    panel = bp.judges(judged_battles(np.random.default_rng(1), judges=8, each=12))
    assert panel.examined == ()
    assert panel.sentences[0].startswith("None of 8 judges gave 20 votes or more")
    assert "is first with all judges weighted equally" in panel.sentences[1]


def test_hostile_names_are_shown_safely():
    rng = np.random.default_rng(2)
    battles = judged_battles(rng, judges=3, agents=3)
    names = ["<b>\x1b", "k", "l"]
    judge = bp.Factor.of([names[j] for j in battles.factors["judge"].codes])
    renamed = bp.Battles(battles.agents, battles.a, battles.b, battles.outcome, factors={"judge": judge})
    panel = bp.judges(renamed)
    assert "\x1b" not in str(panel) + panel._repr_html_()
    assert "<b>" not in panel._repr_html_()


def test_first_place_says_what_it_allows_for_where_rank_differs():
    """Ada is shown first and wins by position alone; `rank` counts position as strength and puts her first."""
    rng = np.random.default_rng(3)
    n = 600
    won = rng.random(n) < np.where(np.arange(n) % 6 == 0, 0.05, 0.85)  # shown first in five battles of six
    position = np.where(np.arange(n) % 6 == 0, -1, 1)
    judge = bp.Factor.of([f"j{i % 3}" for i in range(n)])
    rows = [("ada", "bob", float(x)) for x in won]
    battles = bp.Battles.of(rows, position=position, factors={"judge": judge})
    panel = bp.judges(battles)
    assert bp.rank(battles, "bradley_terry").winners == ("ada",)
    assert panel.first == ("bob",)
    start = "By Bradley-Terry strength on decided votes (allowing for the side shown first), 'bob' is first"
    assert panel.sentences[1].startswith(start)
    assert panel.settings["allowed_for"] == ["position"]
