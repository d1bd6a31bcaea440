"""Axes, legends and titles: the words that Vega writes, and nothing over each other."""

import re

import pytest

from beatpath.reports.figures import svg
from helpers.every_picture import figure_specs
from helpers.vega import vega_svg


def words(text):
    return sorted(re.findall(r">([^<>]+)</t(?:ext|span)>", text))


@pytest.mark.parametrize("name", sorted(figure_specs(3)))
@pytest.mark.parametrize("n", [1, 12])
def test_a_picture_has_the_words_that_vega_writes(name, n):
    assert words(svg(figure_specs(n)[name])) == words(vega_svg(figure_specs(n)[name]))


def test_a_legend_stands_below_all_marks_and_a_title_above():
    text = svg(figure_specs(12)["win_rates"])
    height = {
        word: float(re.search(rf'y="([-\d.]+)"[^>]*>{word}<', text)[1])
        for word in ("Who beats whom", "100 %", "agent-11")
    }
    assert height["Who beats whom"] < 0 < height["agent-11"] < height["100 %"]
