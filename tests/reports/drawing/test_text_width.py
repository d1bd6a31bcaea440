"""Widths of text against a renderer's own."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.reports.drawing.marks import fitted, text_width
from helpers.vega import vega_svg

LINES = ["agent-with-a-name-2026", "WAVE & Ärger?", "1,234 of 5,678 (95 %)", "iiillljj|.,", "@Mm…_~^{}[]<>"]


def measured(line):
    """How far a renderer moves the end of a line of 100 pixels, set in Liberation Sans."""
    spec = {
        "width": 0,
        "height": 0,
        "view": {"stroke": None},
        "padding": 0,
        "config": {"font": "Liberation Sans"},
        "data": {"values": [{"t": line}]},
        "mark": {"type": "text", "fontSize": 100, "align": "left", "x": 0},
        "encoding": {"text": {"field": "t"}},
    }
    return float(re.search(r'width="([\d.]+)"', vega_svg(spec))[1])


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_as_wide_as_a_renderer_sets_it(line):
    assert text_width(line, 100) == pytest.approx(measured(line), rel=0.02)


@given(st.text(max_size=60), st.floats(8, 20), st.floats(30, 300))
def test_a_fitted_line_fits_and_a_short_one_stays(line, size, limit):
    cut = fitted(line, size, limit)
    assert text_width(cut, size) <= max(limit, size)
    assert cut == line or (cut.endswith("…") and line.startswith(cut[:-1]))
