"""The badge: what it says, that it is well-formed whatever agents are called, and that a screen reader has a sentence."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import beatpath as bp
from beatpath.reports.figures.badge import badge, first_text

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ('<script>alert(1)</script>"', "bob & sons", "\x1b[31mred\u202e", "=cmd()")


def resolution_of(wins, names=("ada", "bob", "cyd")):
    i, j = np.triu_indices(len(names), 1)
    return bp.resolve(bp.Pairs(names, i, j, [[won, 100 - won, 0, 0] for won in wins]))


@pytest.mark.parametrize(
    ("wins", "label"), [((80, 90, 60), "ada, 95 %"), ((50, 95, 95), "one of 2, 95 %"), ((50, 50, 50), "any of 3, 95 %")]
)
def test_it_says_who_may_be_first_and_how_surely(wins, label):
    texts = [text.text for text in ET.fromstring(badge(resolution_of(wins))).iter(f"{SVG}text")]
    assert texts == ["first", label]


def test_marginal_confidence_is_reported():
    resolution = bp.resolve(bp.example(), simultaneous=False, level=0.9)
    assert "90 % confidence, each agent by itself" in first_text(resolution)[1]


def test_a_hostile_name_stays_text_and_the_title_is_a_sentence():
    for turn in range(4):
        names = HOSTILE[turn:] + HOSTILE[:turn]
        text = badge(resolution_of((90, 90, 90, 50, 50, 50), names))
        root = ET.fromstring(text)
        assert {element.tag for element in root.iter()} <= {
            f"{SVG}{t}" for t in ["svg", "title", "clipPath", "rect", "g", "text"]
        }
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert root.find(f"{SVG}title").text.endswith("is certainly first of 4 agents (95 % confidence).")
        assert root.get("aria-label") == root.find(f"{SVG}title").text


def test_texts_lie_within_their_boxes():
    root = ET.fromstring(badge(resolution_of((80, 90, 60), ("x" * 200, "bob", "cyd"))))
    total = float(root.get("width"))
    for text in root.iter(f"{SVG}text"):
        half = float(text.get("textLength")) / 2
        assert half < float(text.get("x")) < total - half
    assert total < 400
