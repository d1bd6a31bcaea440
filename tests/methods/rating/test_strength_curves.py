"""Strengths as curves: truth recovered, intervals that cover, and what is refused."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath import Battles
from beatpath.methods.rating import whole_history
from beatpath.methods.rating.whole_history import strength_curves
from helpers.schemas import validated


def wandering(seed, agents=6, battles=900, span=100.0, drift=0.15):
    """Battles of agents whose strengths wander, and their strengths at the end."""
    rng = np.random.default_rng(seed)
    time = np.sort(rng.integers(0, int(span), battles)).astype(float)
    steps = rng.normal(0, drift, (int(span), agents))
    steps[0] = rng.normal(0, 1, agents)
    theta = np.cumsum(steps, axis=0)
    a = rng.integers(0, agents, battles)
    b = (a + rng.integers(1, agents, battles)) % agents
    gap = theta[time.astype(int), a] - theta[time.astype(int), b]
    won = (rng.random(battles) < 1 / (1 + np.exp(-gap))).astype(float)
    return Battles(tuple(f"agent {i}" for i in range(agents)), a, b, won, time=time), theta


def test_intervals_of_differences_between_curves_cover_the_truth():
    inside = total = changed = changes = 0
    for seed in range(12):
        season, theta = wandering(seed)
        curves = strength_curves(season, drift=0.15)
        begun, ended = (curves.knots.time[which].astype(int) for which in (curves.knots.first, curves.knots.last))
        who = curves.knots.agent[curves.knots.last]
        changed += (
            np.abs(curves.change - theta[ended, who] + theta[begun, who]) < 1.96 * curves.change_deviation
        ).sum()
        changes += len(who)
        true = theta[curves.knots.time.astype(int), curves.knots.agent]
        true = true - np.mean([true[curves.knots.agent == i].mean() for i in range(6)])
        inside += (np.abs(curves.strength - true) < 1.96 * curves.deviation).sum()
        total += len(true)
    assert 0.91 < inside / total < 0.99
    assert 0.89 < changed / changes <= 1


def test_the_drift_is_estimated_by_the_evidence_and_by_later_battles(monkeypatch):
    season, _ = wandering(3, battles=3000)
    curves = strength_curves(season)
    assert curves.drift.by == "evidence"
    assert sum(curves.drift.tried.values()) == pytest.approx(1)
    monkeypatch.setattr(whole_history, "DENSE", 0)
    later = strength_curves(season)
    assert later.drift.by == "later battles"
    assert len(later.drift.tried) == 6
    for one in (curves, later):  # the truth is 0.15, and the values tried lie a factor of two apart
        assert 0.05 < one.drift.value < 0.5


def test_where_nobody_knows_the_drift_intervals_cover_the_truth_too():
    inside = total = 0
    for seed in range(20):
        season, theta = wandering(seed, battles=300)
        curves = strength_curves(season)
        begun, ended = (curves.knots.time[which].astype(int) for which in (curves.knots.first, curves.knots.last))
        who = curves.knots.agent[curves.knots.last]
        error = curves.change - theta[ended, who] + theta[begun, who]
        inside += (np.abs(error) < 1.96 * curves.change_deviation).sum()
        total += len(who)
    assert inside / total > 0.86  # by the drift that predicts best alone it was 0.72


def test_a_riser_is_seen_to_rise_and_expected_to_win():
    rows = [("up", "steady", s) for s in (0,) * 8 + (1,) * 8]
    curves = strength_curves(Battles.of(rows, time=range(16)), drift=0.5)
    curve = [point["strength"] for point in curves.curve("up")]
    assert curve[0] < -0.5 < 0.5 < curve[-1]
    assert curves.predict("up", "steady") > 0.7
    assert curves.predict("up", "steady") == pytest.approx(1 - curves.predict("steady", "up"))
    assert curves.predict("new", "other") == 0.5
    assert curves.rows()[0]["agent"] == "up"


def test_agents_alike_are_named_together():
    curves = strength_curves(Battles.of([("x", "y", 0.5)], time=[0]), drift=1.0)
    assert curves.sentences[0].startswith("Strongest at the last battle: 'x', 'y', 0.00 log odds above the mean of all")
    assert curves.sentences[1] == "No agent changed."


def test_its_plain_data_are_what_the_schema_says():
    curves = strength_curves(wandering(1, battles=120)[0])
    data = validated(json.loads(json.dumps(curves.to_dict())))
    assert len(data["curves"]) == 6
    assert "<table>" in curves._repr_html_()


@pytest.mark.parametrize(
    ("battles", "settings", "message"),
    [
        (Battles.of([("x", "y", 1)]), {}, "need the time of every battle; 1 battle of 1 without one"),
        (Battles((), [], [], []), {}, "need at least one battle"),
        (Battles.of([("x", "y", 1)], time=[1]), {"drift": 0}, "`drift` must be a number above 0"),
        (Battles.of([("x", "y", 1)], time=[1]), {"prior": -1}, "`prior` must be a number above 0"),
        (Battles.of([("x", "y", 1)], time=[1]), {"level": 95}, "`level` must lie between 0 and 1"),
        ("battles", {}, "'battles' must be a file, folder or glob; there is none"),
    ],
)
def test_what_cannot_be_fitted_is_a_sentence(battles, settings, message):
    with pytest.raises(bp.BeatpathError, match=message):
        strength_curves(battles, **settings)


def test_an_unknown_agent_is_named_with_the_nearest():
    with pytest.raises(bp.UsageError, match=r"'ad' must be one of the agents\. Did you mean 'ada'\?"):
        strength_curves(Battles.of([("ada", "bob", 1)], time=[1]), drift=1.0).curve("ad")


def test_where_the_largest_drift_is_best_larger_ones_are_tried():
    rng, n, span = np.random.default_rng(0), 3000, 40.0
    walk = np.cumsum(rng.normal(0, 30 / np.sqrt(n), (n, 3)), axis=0)
    a = rng.integers(3, size=n)
    b = (a + rng.integers(1, 3, size=n)) % 3
    at = np.arange(n)
    won = rng.random(n) < 1 / (1 + np.exp(walk[at, b] - walk[at, a]))
    drift = strength_curves(Battles(("ada", "bob", "cyd"), a, b, won.astype(float), time=at * span / n)).drift
    assert drift.by == "later battles"
    assert len(drift.tried) > 6
    assert drift.value > 8 / np.sqrt(span)
    assert drift.value == min(drift.tried, key=drift.tried.get)


@pytest.mark.parametrize(("less", "by"), [(0, "evidence"), (1, "later battles")])
def test_up_to_a_number_of_points_the_drift_is_chosen_by_its_evidence(monkeypatch, less, by):
    battles, _ = wandering(4, battles=200)
    monkeypatch.setattr(whole_history, "DENSE", len(strength_curves(battles, drift=0.5).knots) - less)
    assert strength_curves(battles).drift.by == by
