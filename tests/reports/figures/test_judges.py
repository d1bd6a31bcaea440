"""The judges plotted: where bars stand, who is orange, and what is reported for those with too few votes."""

import json

import pytest

import beatpath as bp
from beatpath.reports import figures
from beatpath.reports.figures.pictures import judges_of
from beatpath.reports.figures.rows import RELIABILITY, judges
from helpers.every_picture import HOSTILE, values, without_data


def row(name="j", votes=50, reliability=(1.0, 0.5, 1.5), position=None, alarms=()):
    return {"judge": name, "votes": votes, "reliability": reliability, "position": position, "alarms": alarms}


def bars(spec, style):
    return [
        v for part in spec["layer"] if part["mark"].get("style") == style for v in part["data"]["values"] if "low" in v
    ]


def test_bars_stand_where_the_scale_puts_them():
    """From 0 to 1.5 over the whole column: one half is a third of it."""
    one = bars(judges([row()]), "mark")[0]
    assert (one["low"], one["x"], one["high"]) == pytest.approx(
        (RELIABILITY / 3, RELIABILITY * 2 / 3, RELIABILITY), abs=0.01
    )


def test_an_unbounded_interval_is_cut_in_the_figure_and_whole_in_the_tooltip():
    spec = judges([row(reliability=(2.0, -9.0, 13.0))])
    one = bars(spec, "mark")[0]
    assert (one["low"], one["high"]) == (0, RELIABILITY)
    assert "2.00 (-9.00 to 13.00)" in one["tooltip"]


def test_only_flagged_judges_are_orange():
    spec = judges([row("good"), row("bad", alarms=("answers as if at random",))])
    assert {one["row"] for one in bars(spec, "mark-contrast")} == {1}
    assert bars(spec, "mark-contrast")[0]["tooltip"].endswith("answers as if at random")


def test_a_judge_with_too_few_votes_has_a_name_a_number_and_no_bar():
    spec = judges([row(), row("few", votes=1, reliability=None)])
    assert {one["row"] for style in ("mark", "mark-contrast") for one in bars(spec, style)} == {0}
    assert "few: 1 vote; too few votes to examine" in values(spec["layer"], "tooltip")


def test_without_positions_there_is_no_column_for_them():
    assert "first side" not in json.dumps(judges([row()]))
    assert "first side" in json.dumps(judges([row(position=(0.5, 0.4, 0.6))]))


def test_names_are_data_and_nothing_else():
    plain = json.dumps(without_data(judges([row()])))
    assert all(json.dumps(without_data(judges([row(name)]))) == plain for name in HOSTILE)
    assert "<script>" not in figures.svg(judges([row("</svg><script>")]))


def test_the_picture_of_a_result_has_its_figures():
    panel = bp.judges(bp.example())
    tooltips = values(judges_of(panel)["layer"], "tooltip")
    echo = panel.judges[0]
    assert any(text.startswith(f"echo: {echo.votes:,} votes; reliability {echo.reliability}") for text in tooltips)
