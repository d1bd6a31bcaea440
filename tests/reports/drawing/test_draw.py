"""Figures rendered: with everything inside their frame, at once, and saved."""

import re
import sys
import time
from xml.etree import ElementTree

import pytest

from beatpath import MissingExtra
from beatpath.reports.drawing.draw import save_picture, svg
from beatpath.reports.drawing.marks import text_width
from helpers.every_picture import HOSTILE, figure_specs, pictures

NAMES = sorted(figure_specs(3))


def test_a_picture_is_saved_as_svg_and_as_png(tmp_path):
    pytest.importorskip("vl_convert", reason="the extra `png` is not installed")
    spec = figure_specs(3)["win_rates"]
    save_picture(spec, tmp_path / "one.svg")
    save_picture(spec, tmp_path / "one.png")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert f'role="img" aria-label="{spec["description"].replace(chr(39), "&#x27;")}"' in text
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_a_png_without_the_extra_is_a_sentence_with_the_line_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"^a picture as PNG needs .*: pip install 'beatpath\[png\]'\.$"):
        save_picture(figure_specs(3)["win_rates"], tmp_path / "one.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_every_line_of_text_lies_within_the_frame(name):
    for spec in (figure_specs(12)[name], figure_specs(45)[name], pictures(list(HOSTILE))[name]):
        root = ElementTree.fromstring(svg(spec))
        width, height = (float(root.get(side)) for side in ("width", "height"))
        moved = re.match(r"translate\(([-\d.]+),([-\d.]+)\)", root[-1].get("transform"))
        left, top = float(moved[1]), float(moved[2])
        for group in root[-1]:
            for one in group.iter("{http://www.w3.org/2000/svg}text"):
                if "transform" in one.attrib:
                    continue
                words = one[-1].tail if len(one) else one.text
                wide = text_width(words, float(group.get("font-size")))
                anchor = one.get("text-anchor") or group.get("text-anchor") or "start"
                start = left + float(one.get("x")) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
                assert 0 <= start <= start + wide <= width
                assert 0 <= top + float(one.get("y")) <= height


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_has_a_title_of_its_own_unless_the_page_gives_it(name):
    spec = figure_specs(12)[name]
    bare = {key: value for key, value in spec.items() if key != "title"}
    assert f">{spec['title']['text']}</text>" in svg(spec)
    assert f">{spec['title']['text']}</text>" not in svg(bare)
    assert spec["title"]["text"] in re.search('aria-label="([^"]*)"', svg(bare))[1]


def test_all_figures_of_forty_agents_are_rendered_in_half_a_second():
    before = time.process_time()
    for spec in figure_specs(45).values():
        svg(spec)
    assert time.process_time() - before < 0.5
