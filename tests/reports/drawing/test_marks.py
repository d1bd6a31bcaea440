"""Elements: numbers short, text escaped, boxes that hold what is rendered."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.reports.drawing.marks import SHAPES, Sheet, element, symbol, text

SAFE = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=30
)


@given(SAFE, SAFE)
def test_any_label_comes_back_as_text(line, text):
    made = element("text", {"aria-label": line}, text, "x")
    root = ElementTree.fromstring(made)
    assert root.get("aria-label") == line
    assert (root[0].text or "") == text
    assert len(root) == 1


def test_a_turned_line_fills_a_box_that_is_as_high_as_it_is_long():
    sheet = Sheet()
    text(sheet, "a long line of text", (0.0, 0.0), 10, align="left", angle=-90)
    assert sheet.box.top < -80
    assert sheet.box.right - sheet.box.left == pytest.approx(10)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape not in ("circle", "square")])
def test_a_symbol_is_as_large_as_its_size(shape):
    tag, attributes = symbol(shape, (3.0, 4.0), 64.0, 90.0)
    assert tag == "path"
    assert attributes["transform"] == "translate(3,4) rotate(90)"
    assert "4" in attributes["d"] or "3.46" in attributes["d"]


@pytest.mark.parametrize(("align", "before"), [("left", 0.0), ("center", 0.5), ("right", 1.0)])
def test_the_box_of_a_line_lies_where_it_is_aligned(align, before):
    sheet = Sheet()
    text(sheet, "a long line of text", (50.0, 0.0), 10, align=align)
    wide = sheet.box.right - sheet.box.left
    assert wide > 80
    assert 50 - sheet.box.left == pytest.approx(before * wide)
