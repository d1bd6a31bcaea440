"""Marks where another program puts them: Vega, by way of vl-convert, draws the same specifications."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from beatpath.reports import figures
from beatpath.reports.drawing.layers import layers_of
from helpers.every_picture import figure_specs
from helpers.svg_marks import SVG, alike, by_us, by_vega
from helpers.vega import vega_svg

NAMES = sorted(figure_specs(3))


def profiles():
    share = np.linspace(1, 0, 9)[None].repeat(2, axis=0).tolist()
    return figures.performance_profiles(["ada", "bob"], np.linspace(0.5, 4, 9).tolist(), share, share, share)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 3, 12, 45])
def test_every_mark_stands_where_vega_puts_it(name, n):
    spec = figure_specs(n)[name]
    assert alike(by_us(spec), by_vega(vega_svg(spec)))


def test_profiles_stand_where_vega_puts_them():
    assert alike(by_us(profiles()), by_vega(vega_svg(profiles())))


def test_lines_and_bands_are_the_paths_that_vega_draws():
    for spec in (figure_specs(12)["bump"], profiles()):
        numbers = [
            sorted(
                [round(float(number), 1) + 0.0 for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", one.get("d"))]
                for one in ElementTree.fromstring(text).iter(f"{SVG}path")
                if one.get("d", "").count("L") + one.get("d", "").count("C") > 1 and marked(one)
            )
            for text, marked in (
                (figures.svg(spec), lambda one: True),
                (vega_svg(spec), lambda one: "Z" not in one.get("d") or one.get("d").count("L") > 4),
            )
        ]
        assert len(numbers[0]) == len(numbers[1]) > 0
        for ours, theirs in zip(*numbers, strict=True):
            assert ours == pytest.approx(theirs, abs=0.11)


@pytest.mark.parametrize("name", NAMES)
def test_fills_are_those_of_vega(name):
    spec = figure_specs(12)[name]
    fills = [set(re.findall(r'fill="(rgb[^"]*)"', text)) for text in (figures.svg(spec), vega_svg(spec))]
    assert fills[0] == fills[1]


def test_cells_that_are_not_resolved_are_a_layer_of_their_own_and_hatched():
    spec = figures.win_rate_matrix(
        ["ada", "bob"], [[None, 0.75], [0.25, None]], [[0, 8], [8, 0]], resolved=[[False, True], [False, False]]
    )
    sure, hatches, pale = [one for one in layers_of(spec) if one.mark["type"] in ("square", "point")][1:]
    assert [row["tooltip"] for row in sure.rows] == ["ada against bob: won 75.0 % of 8 battles; certainly ahead"]
    assert [row["tooltip"] for row in pale.rows] == ["bob against ada: won 25.0 % of 8 battles; not resolved"]
    assert [(one["row"], one["column"]) for one in (*hatches.rows, *pale.rows)] == [(1, 0), (1, 0)]


def test_of_two_pale_marks_that_overlap_one_shows_through_the_other():
    """A group that is pale as a whole would hide it."""
    for text in (figures.svg(profiles()), figures.svg(figure_specs(12)["predicted"])):
        assert re.search(r'<g [^>]*fill-opacity="0\.\d+"', text)
        assert not re.search(r'<g [^>]* opacity="', text)


def test_a_bar_or_a_cell_that_has_one_place_is_as_wide_around_it_as_its_mark_says():
    ways = [{"context": "code", "highest": [["ada"]], "may_be_first": [["ada"]]}]
    spec = figures.first_over_mixtures([{"agent": "ada", "first": 0.5, "may_be_first": 1.0}], ways, mixtures=10)
    text = figures.svg(spec)
    assert text.count('<rect x="0" y="5.5" width="130" height="11"') == 1  # all mixtures, in a row of 22 pixels
    assert text.count('<rect x="0" y="5.5" width="65" height="11"') == 1
    assert text.count('width="10" height="13"') == 2
