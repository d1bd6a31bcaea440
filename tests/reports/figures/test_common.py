"""What holds for every picture: names are data and nothing else, output is the same twice, nothing is left out in silence."""

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath.reports.figures import DARK, LIGHT, svg, theme, themed
from beatpath.reports.figures.common import ON_A_PAGE, css_variables, short, whole
from helpers.every_picture import HOSTILE, figure_specs, named, pictures, values, without_data
from helpers.vega import vega_svg

NAMES = sorted(figure_specs(3))
LONG = "an-agent-with-quite-a-long-name-{:03}-instruct-2026-10-01-preview"
TEXT = st.text(st.characters(codec="utf-8"), max_size=60)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [1, 12, 45])
def test_a_picture_draws_any_number_of_agents_without_a_warning(name, n, capfd):
    assert vega_svg(figure_specs(n)[name], show_warnings=True).startswith("<svg")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_of_hostile_names_shows_them_as_text(name):
    text = svg(pictures(list(HOSTILE))[name])
    assert ElementTree.fromstring(text).tag.endswith("svg")  # well formed
    assert "<script" not in text
    assert not re.search("[\u202e\x00-\x08]", text)
    assert "&lt;script" in text or name == "predicted"  # where only the worst pairs are named


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXT, min_size=5, max_size=5, unique=True))
def test_names_change_the_data_of_a_picture_and_nothing_else(names):
    plain, strange = figure_specs(5), pictures(names)
    for name in NAMES:
        assert without_data(strange[name]) == without_data(plain[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_the_same_twice_and_needs_nothing_from_elsewhere(name):
    first, second = svg(figure_specs(12)[name]), svg(pictures(named(12))[name])
    assert first == second
    assert " id=" not in first  # so that several pictures can stand in one page
    assert "url(" not in first
    assert "href=" not in first.replace('xmlns:xlink="http://www.w3.org/1999/xlink"', "")


@pytest.mark.parametrize("name", NAMES)
def test_colors_stand_in_the_config_alone(name):
    spec = figure_specs(12)[name]
    dark = themed(spec, DARK)
    assert {key for key in spec if spec[key] != dark[key]} == {"config"}
    assert not re.search("#[0-9a-f]{6}", json.dumps({key: spec[key] for key in spec if key != "config"}))
    used = set(re.findall("#[0-9a-f]{6}", svg(dark)))
    assert used
    assert not used & set(re.findall("#[0-9a-f]{6}", json.dumps(theme(LIGHT)))) - set(
        re.findall("#[0-9a-f]{6}", json.dumps(theme(DARK)))
    )


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"agreement", "predicted"}))
def test_a_picture_of_200_agents_says_how_many_it_shows(name):
    spec = figure_specs(200)[name]
    n = 12 if name == "majority_graph" else 40
    subtitle = spec["title"]["subtitle"][-1]
    assert subtitle.startswith(f"{n} of 200 {'judges' if name == 'judges' else 'agents'} shown")
    assert subtitle in spec["description"]
    assert len(set(values(spec, "label")) & {short(agent) for agent in named(200)}) == n


def test_a_picture_of_pairs_says_how_many_it_shows():
    assert figure_specs(60)["predicted"]["title"]["subtitle"][-1].startswith("800 of ")


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_of_129_agents_with_long_names_is_small(name):
    spec = figure_specs(129, LONG)[name]
    assert len(json.dumps(spec)) < 400_000
    json.loads(json.dumps(spec, allow_nan=False))


@given(TEXT, st.integers(5, 60))
def test_a_label_is_one_printable_line_that_fits(name, width):
    label = short(name, width)
    assert 1 <= len(label) <= max(width, 2)
    assert label.isprintable() or " " in label or "\u3000" in label or not name.isprintable()
    assert len(label.splitlines()) == 1


def test_a_short_name_is_its_own_label_and_a_long_one_is_whole_on_hover():
    assert short("gpt-4") == whole("gpt-4") == "gpt-4"
    name = HOSTILE[7]
    assert "…" in short(name)
    spec = pictures(list(HOSTILE))["win_rates"]
    assert name in values(spec, "agent")
    assert short(name) in values(spec, "label")


def test_marks_stacked_on_a_letter_stay_on_its_line():
    assert short("a" + "\u0301" * 40) == "a\u0301\u0301"


def luminance(colour):
    """Relative luminance by the Web Content Accessibility Guidelines 2.1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_text_is_legible_on_its_paper(palette):
    assert contrast(palette.ink, palette.background) >= 7
    assert contrast(palette.quiet, palette.background) >= 4.5
    assert contrast(palette.ink, palette.faint) >= 7
    for colour in (palette.accent, palette.contrast, *palette.category):
        assert contrast(colour, palette.background) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_a_page_holds_every_color_that_a_picture_on_it_calls(name):
    themed_image = svg(themed(figure_specs(12)[name], ON_A_PAGE))
    assert not re.search(r"#[0-9a-f]{6}|rgb\(", themed_image)
    for palette in (LIGHT, DARK):
        assert set(re.findall(r"var\((--[\w-]+)\)", themed_image)) <= set(
            re.findall(r"(--[\w-]+):", css_variables(palette))
        )
