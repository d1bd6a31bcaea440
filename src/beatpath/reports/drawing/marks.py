"""Marks as elements of SVG: each a string, with the box that it fills."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import cos, inf, radians, sin, sqrt
from typing import Any

from beatpath.reports.drawing.text_width import fitted, text_width

Point = tuple[float, float]

SLACK = 1.16  # a reader's font may be wider than the one that text is measured by, as DejaVu Sans is
ANCHORS = {"left": "start", "center": "middle", "right": "end"}
BASELINES = {"alphabetic": 0.0, "middle": 0.3, "bottom": -0.21}
SHAPES = {
    "circle": "",
    "square": "M-1,-1L1,-1L1,1L-1,1Z",
    "diamond": "M-1,0L0,-1L1,0L0,1Z",
    "triangle-up": "M0,-0.866L-1,0.866L1,0.866Z",
    "triangle": "M0,-1.155L-1,0.577L1,0.577Z",
}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(slots=True)
class Box:
    """The smallest box around everything that was drawn."""

    left: float = inf
    top: float = inf
    right: float = -inf
    bottom: float = -inf

    def hold(self, *points: Point, around: float = 0.0) -> None:
        """Grow to hold points, and so much around them."""
        for x, y in points:
            self.left, self.right = min(self.left, x - around), max(self.right, x + around)
            self.top, self.bottom = min(self.top, y - around), max(self.bottom, y + around)


@dataclass(slots=True)
class Sheet:
    """What was drawn so far, and the box around it."""

    parts: list[str] = field(default_factory=list)
    box: Box = field(default_factory=Box)

    def group(self, attributes: Mapping[str, Any], elements: Sequence[str]) -> None:
        """Put elements that share attributes into a group; none where there are none."""
        if elements:
            self.parts.append(f"<g{written(attributes)}>{''.join(elements)}</g>")


def written(attributes: Mapping[str, Any]) -> str:
    """Return attributes as they stand in a tag, numbers to a hundredth; those that are None are left out.

    >>> written({"x": 1.0, "y": 1 / 3, "fill": None, "name": '"<'})
    ' x="1" y="0.33" name="&quot;&lt;"'
    """
    return "".join(f' {name}="{_value(value)}"' for name, value in attributes.items() if value is not None)


def _value(value: Any) -> str:
    return short(value) if isinstance(value, float) else escape(str(value))


def short(value: float) -> str:
    """Return a number to a hundredth.

    >>> short(2.0), short(-0.001), short(10.126)
    ('2', '0', '10.13')
    """
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def element(tag: str, attributes: Mapping[str, Any], said: str | None = None, inside: str = "") -> str:
    """Return an element; what is said of it is its title, which hovering shows."""
    title = "" if said is None else f"<title>{escape(said, quote=False)}</title>"
    held = f"{title}{inside}"
    return f"<{tag}{written(attributes)}>{held}</{tag}>" if held else f"<{tag}{written(attributes)}/>"


def symbol(shape: str, at: Point, size: float, turn: float = 0.0, **more: Any) -> tuple[str, dict[str, Any]]:
    """Return tag and attributes of a symbol, whose size is the area of the square around it.

    >>> symbol("circle", (1.0, 2.0), 16)
    ('circle', {'cx': 1.0, 'cy': 2.0, 'r': 2.0})
    >>> symbol("square", (5.0, 5.0), 16)
    ('rect', {'x': 3.0, 'y': 3.0, 'width': 4.0, 'height': 4.0})
    """
    (x, y), r = at, sqrt(size) / 2
    if shape == "circle":
        return "circle", {"cx": x, "cy": y, "r": r, **more}
    if shape == "square":
        return "rect", {"x": x - r, "y": y - r, "width": 2 * r, "height": 2 * r, **more}
    path = _NUMBER.sub(lambda number: short(r * float(number.group())), SHAPES.get(shape, shape))
    turned = f" rotate({short(turn)})" if turn else ""
    return "path", {"transform": f"translate({short(x)},{short(y)}){turned}", "d": path, **more}


def text(
    sheet: Sheet,
    line: str,
    at: Point,
    size: float,
    *,
    align: str = "center",
    baseline: str = "alphabetic",
    angle: float = 0.0,
    limit: float = inf,
    said: str | None = None,
    **more: Any,
) -> str:
    """Return a line of text, and let the sheet hold it: on its baseline, or with its middle or bottom at the place."""
    (x, y), drop = at, round(BASELINES[baseline] * size)
    line = fitted(line, size, limit)
    wide = SLACK * text_width(line, size)
    left = {"left": 0.0, "center": -wide / 2, "right": -wide}[align]
    turn = radians(angle)
    corners = [(u, v) for u in (left, left + wide) for v in (drop - 0.8 * size, drop + 0.2 * size)]
    sheet.box.hold(*((x + u * cos(turn) - v * sin(turn), y + u * sin(turn) + v * cos(turn)) for u, v in corners))
    where: dict[str, Any] = {"x": float(x), "y": float(y + drop)}
    if angle:
        where = {"transform": f"translate({short(x)},{short(y)}) rotate({short(angle)})", "y": float(drop)}
    return element("text", {**where, **more}, said, escape(line, quote=False))
