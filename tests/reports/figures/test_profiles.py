"""Profiles: who is plotted, and what hostile names may not touch."""

import json

from beatpath.reports import figures
from beatpath.reports.figures.common import COLORED
from beatpath.reports.figures.lines import performance_profiles
from helpers.every_picture import HOSTILE, without_data


def figure_of(agents):
    n = len(agents)
    grid = [[1.0, 0.5]] * n
    return performance_profiles(agents, [0.0, 1.0], grid, [[0.9, 0.4]] * n, [[1.0, 0.6]] * n)


def test_no_more_agents_are_plotted_than_there_are_distinct_colors():
    spec = figure_of([f"agent-{i}" for i in range(9)])
    assert len(spec["layer"][-1]["data"]["values"]) == COLORED
    assert "6 of 9 agents" in spec["description"]


def test_names_are_data_and_nothing_else():
    plain = json.dumps(without_data(figure_of([f"agent-{i}" for i in range(6)])))
    for at in range(0, len(HOSTILE) - 6, 6):
        assert json.dumps(without_data(figure_of(list(HOSTILE[at : at + 6])))) == plain


def test_it_becomes_svg():
    assert figures.svg(figure_of(["ada", "</svg><script>"])).count("<script>") == 0
