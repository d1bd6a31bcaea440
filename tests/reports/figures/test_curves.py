"""Lines with bands: dates become years, few agents are plotted, and names are data."""

import json
from datetime import UTC, datetime

from beatpath.reports import figures
from beatpath.reports.figures.common import COLORED
from beatpath.reports.figures.lines import strength_curves
from helpers.every_picture import HOSTILE, without_data

CURVE = [(0.0, 0.1, -0.4, 0.6), (2.0, 0.5, 0.1, 0.9)]


def test_times_since_1970_are_years_and_others_stay():
    june = datetime(2020, 7, 1, tzinfo=UTC).timestamp()
    spec = strength_curves(["ada"], [[(june, 0.0, -1.0, 1.0)]])
    assert abs(spec["layer"][1]["data"]["values"][0]["x"] - 2020.5) < 0.01
    assert spec["layer"][1]["encoding"]["x"]["axis"]["title"] == "year"
    assert strength_curves(["ada"], [CURVE])["layer"][1]["encoding"]["x"]["axis"]["title"] == "time"


def test_no_more_agents_are_plotted_than_there_are_distinct_colors():
    spec = strength_curves([f"agent-{i}" for i in range(9)], [CURVE] * 9)
    assert len(spec["layer"][-1]["data"]["values"]) == COLORED
    assert "6 of 9 agents" in spec["description"]


def test_the_axis_holds_every_band():
    low, high = strength_curves(["ada"], [CURVE])["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low <= -0.4
    assert high >= 0.9


def test_names_are_data_and_nothing_else():
    plain = json.dumps(without_data(strength_curves([f"agent-{i}" for i in range(6)], [CURVE] * 6)))
    for at in range(0, len(HOSTILE) - 6, 6):
        assert json.dumps(without_data(strength_curves(list(HOSTILE[at : at + 6]), [CURVE] * 6))) == plain


def test_it_becomes_svg():
    assert figures.svg(strength_curves(["ada", "</svg><script>"], [CURVE] * 2)).count("<script>") == 0


def test_nobody_is_plotted_where_nobody_is_rated():
    assert "<svg" in figures.svg(strength_curves([], []))
