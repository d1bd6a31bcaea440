"""The frame of a square matrix: names to the left and above, and cells that say who meets whom."""

from collections.abc import Sequence
from typing import Any

from beatpath.reports.figures.common import Spec, layer, names, place, row_labels

ROOMY = 12  # agents up to which cells are wide enough to hold a number
HATCH = "M-1,0L0,-1M-1,1L1,-1M0,1L1,0"


def step(n: int) -> int:
    """Return the pixels from one row to the next."""
    return 36 if n <= ROOMY else 18


def frame(agents: Sequence[str]) -> Spec:
    """Return width, height and names of a square matrix, the names as a dataset that cells look up."""
    size = step(len(agents)) * len(agents)
    return {"width": size, "height": size, "datasets": {"names": names(agents)}}


def labels(n: int) -> list[Spec]:
    """Return the names at both sides of the matrix, and its diagonal."""
    above = {
        "x": place("row", n),
        "y": {"value": -8},
        "text": {"field": "label"},
        "tooltip": {"field": "agent"},
    }
    columns = layer("text", "label", None, above, align="left", baseline="middle", angle=-60, limit=200)
    here = {"x": place("row", n), "y": place("row", n, down=True)}
    return [
        {**row_labels([], n=n), "data": {"name": "names"}},
        {**columns, "data": {"name": "names"}},
        {**layer("square", "band", None, here, size=side(n) ** 2), "data": {"name": "names"}},
    ]


def side(n: int) -> int:
    """Return the side of a cell in pixels: two less than the step."""
    return step(n) - 2


def cells(n: int, values: Sequence[Spec], marks: Sequence[Spec], between: str = "and") -> Spec:
    """Return marks over cells, which hold ``row``, ``column`` and ``said``.

    Hovering tells both names, joined by the word `between`, and what is said.
    """
    sentence = f"datum.agent + ' {between} ' + datum.rival + ': ' + datum.said"
    return {
        "data": {"values": list(values)},
        "transform": [
            _looked_up("row", "agent"),
            _looked_up("column", "rival"),
            {"calculate": sentence, "as": "sentence"},
        ],
        "encoding": {"x": place("column", n), "y": place("row", n, down=True), "tooltip": {"field": "sentence"}},
        "layer": list(marks),
    }


def _looked_up(key: str, name: str) -> Spec:
    source = {"data": {"name": "names"}, "key": "row", "fields": ["agent"]}
    return {"lookup": key, "from": source, "as": [name]}


def squares(n: int, colour: Spec, **encoding: Any) -> Spec:
    """Return coloured cells."""
    return {"mark": {"type": "square", "opacity": 1, "size": side(n) ** 2}, "encoding": {"color": colour, **encoding}}


def hatches(n: int, test: str) -> Spec:
    """Return diagonal strokes over the cells for which a test holds."""
    mark = {"type": "point", "style": "hatch", "shape": HATCH, "size": (side(n) - 1) ** 2}
    return {"transform": [{"filter": test}], "mark": mark}


def figures(field: str, test: str) -> list[Spec]:
    """Return numbers in cells, in the colour of paper where a test says that the cell is strong, else in ink."""
    return [
        {
            "transform": [{"filter": condition}],
            "mark": {"type": "text", "style": style, "baseline": "middle"},
            "encoding": {"text": {"field": field}},
        }
        for style, condition in (("figure", f"!({test})"), ("figure-inverse", test))
    ]


def legend(title: str, values: Sequence[float], text: Spec) -> Spec:
    """Return a row of coloured squares below the matrix; unlike a gradient it needs no identifier in the picture; `text` is how to write them."""
    return {
        "title": title,
        "orient": "bottom",
        "direction": "horizontal",
        "type": "symbol",
        "symbolType": "square",
        "symbolStrokeWidth": 0,
        "symbolSize": 180,
        "values": list(values),
        **text,
    }
