"""What changes with time: curves of the leading agents, and the finding about drift."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.analysis.over_time import MOST, over_time


def battles(n=3000, rise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    time = np.sort(rng.uniform(0, 100, n))
    strength = np.array([0.0, 0.5, 1.0, 1.5])[None, :] + np.array([rise, 0, 0, 0])[None, :] * time[:, None] / 100
    rows = np.arange(n)
    won = rng.random(n) < 1 / (1 + np.exp(strength[rows, b] - strength[rows, a]))
    return bp.Battles(("ada", "bob", "cyd", "<i>dan"), a, b, won.astype(float), time=time)


def looked_at(evidence, leaders=("<i>dan", "cyd", "bob", "ada"), level=0.95):
    return over_time(evidence, bp.check(evidence), leaders, level)


def test_an_agent_that_was_made_to_rise_rises_as_much():
    trend = looked_at(battles(12_000, rise=3.0))
    ada, others = (
        np.array([[one["strength"] for one in trend.curves.curve(name)] for name in names])
        for names in (["ada"], ["bob", "cyd", "<i>dan"])
    )
    lead = ada[0] - others.mean(axis=0)
    assert lead[-1] - lead[0] == pytest.approx(3.0, abs=0.5)
    assert "'ada' rose" in trend.sentences[0]
    assert trend.periods == 20


def test_agents_that_do_not_change_are_reported_as_unchanged():
    trend = looked_at(battles())
    assert trend.sentences[0].startswith("No change over time is significant")
    assert "of the 4 agents with battles in the last period: '<i>dan'" in trend.sentences[1]


def test_the_board_says_who_is_shown_and_those_seen_once_are_not():
    evidence = battles()
    late = evidence.take(np.flatnonzero((evidence.a != 0) & (evidence.b != 0) | (np.arange(len(evidence)) == 0)))
    assert looked_at(late).agents == ("<i>dan", "cyd", "bob")


def test_without_times_or_battles_there_is_nothing_to_follow():
    evidence = battles(50)
    assert looked_at(evidence) is None
    assert looked_at(bp.Battles(evidence.agents, evidence.a, evidence.b, evidence.outcome)) is None


def test_too_many_battles_are_left_out_with_the_reason():
    few = battles(1000)
    many = few.take(np.resize(np.arange(1000), MOST + 1))
    with pytest.raises(bp.DataError, match="at most 200,000"):
        over_time(many, bp.check(few), (), 0.95)


def test_the_page_has_the_section_and_the_picture_with_names_escaped():
    made = bp.report(battles(), methods=["bradley_terry"])
    assert "over_time" in made.figures()
    text = made.text("html")
    assert 'id="time"' in text
    assert "<i>dan" not in text
    assert made.to_dict()["over_time"]["curves"][0]["agent"] == "<i>dan"
    plain = bp.report(bp.Pairs(("x", "y"), [0], [1], [[6, 4, 0, 0]]))
    assert 'id="time"' not in plain.text("html")
