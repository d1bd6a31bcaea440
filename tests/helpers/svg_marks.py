"""What stands where in an SVG: as another program drew it, and as we do."""

import re
from collections import defaultdict
from xml.etree import ElementTree

import numpy as np
from scipy.spatial import cKDTree

from beatpath.reports.drawing.layers import SYMBOLS, draw_layer, layers_of
from beatpath.reports.drawing.marks import Sheet

SVG = "{http://www.w3.org/2000/svg}"


def _moved(text):
    match = re.match(r"translate\(([-\d.e]+),([-\d.e]+)\)", text or "")
    return (float(match[1]), float(match[2])) if match else (0.0, 0.0)


def alike(ours, theirs, within=0.02):
    """Whether there are the same marks, and each has one of the others within so many pixels."""
    assert {key: len(places) for key, places in ours.items()} == {key: len(places) for key, places in theirs.items()}
    pairs = [(np.array(ours[key]), np.array(theirs[key])) for key in ours]
    far = [float(cKDTree(one).query(other)[0].max()) for a, b in pairs for one, other in ((a, b), (b, a))]
    return max(far, default=0.0) <= within


def by_vega(text):
    """The marks of a picture that Vega drew: rules by their ends, symbols by their centres, lines of text by place and words."""
    marks = defaultdict(list)
    for group in ElementTree.fromstring(text).iter(f"{SVG}g"):
        kind = re.match(r"mark-(\w+) role-mark", group.get("class", ""))
        for one in group if kind else ():
            x, y = _moved(one.get("transform"))
            if kind[1] == "rule":
                marks["rule"].append((x, y, x + float(one.get("x2")), y + float(one.get("y2"))))
            elif kind[1] == "symbol":
                marks["symbol"].append((x, y))
            elif kind[1] == "text":
                marks["text", one.text, "rotate" in one.get("transform")].append((x, y))
    return marks


def by_us(spec):
    """The same of a picture that we draw, layer by layer."""
    marks = defaultdict(list)
    for layer in layers_of(spec):
        sheet = Sheet()
        draw_layer(sheet, layer, spec["width"], spec["height"], spec["config"]["range"])
        for one in ElementTree.fromstring("".join(sheet.parts)) if sheet.parts else ():
            at = {name: float(one.get(name, 0)) for name in ("x", "y", "cx", "cy", "width", "height")}
            moved = _moved(one.get("transform"))
            if layer.mark["type"] == "rule":
                marks["rule"].append([float(one.get(name)) for name in ("x1", "y1", "x2", "y2")])
            elif layer.mark["type"] in SYMBOLS:
                place = (at["x"] + at["width"] / 2 + at["cx"], at["y"] + at["height"] / 2 + at["cy"])
                marks["symbol"].append((place[0] + moved[0], place[1] + moved[1]))
            elif layer.mark["type"] == "text":
                words, turned = (one[-1].tail if len(one) else one.text), "transform" in one.attrib
                marks["text", words, turned].append(moved if turned else (at["x"], at["y"]))
    return marks
