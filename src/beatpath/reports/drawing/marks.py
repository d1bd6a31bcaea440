"""Marks as SVG elements, each a string with its bounding box: symbols, lines of text, paths through points."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import cos, inf, radians, sin, sqrt
from typing import Any
from unicodedata import category, east_asian_width

# Characters by their width in thousandths of the font size, as in Liberation Sans.
_BY_WIDTH = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    556: "#$0123456789?L_abdeghnopqu",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "…",
    1015: "@",
}
# The width of every character, in shares of the font size.
_WIDTH = {sign: width for width, signs in _BY_WIDTH.items() for sign in signs}


def text_width(text: str, size: float) -> float:
    """Return the width of a line of text in pixels, for a font of this size.

    >>> text_width("ada", 10), text_width("模型", 10)
    (16.68, 20.0)
    """
    return sum(map(_sign, text)) * size / 1000


def _sign(sign: str) -> int:
    """Width of a character outside the table.

    It is zero for a combining mark, a square for East Asian characters, and otherwise wide.
    """
    known = _WIDTH.get(sign)
    if known is not None:
        return known
    if category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 1000 if east_asian_width(sign) in "WF" else 650


def fitted(text: str, size: float, limit: float) -> str:
    """Return a line that is no wider than a limit, truncated if necessary.

    >>> fitted("WWWWWW", 10, 40), fitted("ada", 10, 40)
    ('WWW…', 'ada')
    """
    if text_width(text, size) <= limit:
        return text
    length = len(text)
    while length and text_width(text[:length], size) + size > limit:
        length -= 1
    return f"{text[:length]}…"


# A position in pixels.
Point = tuple[float, float]

SLACK = 1.16  # a reader's font may be wider than the measured one, as DejaVu Sans is
# SVG values of alignments, offsets of baselines in units of the font size, and paths of symbols.
ANCHORS = {"left": "start", "center": "middle", "right": "end"}
BASELINES = {"alphabetic": 0.0, "middle": 0.3, "bottom": -0.21}
SHAPES = {
    "diamond": "M-1,0L0,-1L1,0L0,1Z",
    "triangle-up": "M0,-0.866L-1,0.866L1,0.866Z",
    "triangle": "M0,-1.155L-1,0.577L1,0.577Z",
}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")  # a coordinate in the data of a path


@dataclass(slots=True)
class Box:
    """The bounding box of everything that was drawn."""

    left: float = inf
    top: float = inf
    right: float = -inf
    bottom: float = -inf

    def hold(self, *points: Point, around: float = 0.0) -> None:
        """Extend the box to contain points and a margin around them."""
        for x, y in points:
            self.left, self.right = min(self.left, x - around), max(self.right, x + around)
            self.top, self.bottom = min(self.top, y - around), max(self.bottom, y + around)


@dataclass(slots=True)
class Sheet:
    """The elements drawn so far, and their bounding box."""

    parts: list[str] = field(default_factory=list)
    box: Box = field(default_factory=Box)

    def group(self, attributes: Mapping[str, Any], elements: Sequence[str]) -> None:
        """Add a group of elements that share attributes; nothing if there are none."""
        if elements:
            self.parts.append(f"<g{written(attributes)}>{''.join(elements)}</g>")


def written(attributes: Mapping[str, Any]) -> str:
    """Return attributes as they appear in a tag, numbers rounded to hundredths, without those that are None.

    >>> written({"x": 1.0, "y": 1 / 3, "fill": None, "name": '"<'})
    ' x="1" y="0.33" name="&quot;&lt;"'
    """
    return "".join(f' {name}="{_value(value)}"' for name, value in attributes.items() if value is not None)


def _value(value: Any) -> str:
    return short(value) if isinstance(value, float) else escape(str(value))


def short(value: float) -> str:
    """Return a number rounded to hundredths.

    >>> short(2.0), short(-0.001), short(10.126)
    ('2', '0', '10.13')
    """
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def element(tag: str, attributes: Mapping[str, Any], tooltip: str | None = None, inside: str = "") -> str:
    """Return an element; its tooltip becomes its title, which hovering shows."""
    title = "" if tooltip is None else f"<title>{escape(tooltip, quote=False)}</title>"
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
    tooltip: str | None = None,
    **more: Any,
) -> str:
    """Return a line of text and extend the sheet's box; `baseline` is what lies at the position."""
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
    return element("text", {**where, **more}, tooltip, escape(line, quote=False))


def straight(points: Sequence[Point]) -> str:
    """Return the path of straight lines through points.

    >>> straight([(0.0, 1.0), (2.0, 3.0)])
    'M0,1L2,3'
    """
    return "M" + "L".join(f"{short(x)},{short(y)}" for x, y in points)
