"""Shared code of the figures: light and dark colors, the frame, labels that fit, and notes on what was left out.

A figure is a Vega-Lite specification: a plain dict. Colors are only in its ``config``, under named styles and ranges,
so replacing the config turns a light figure into a dark one. Agent names are data values only: no field, expression,
scale or sort is built from them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Protocol

from beatpath._text import counted, shown

# The version of Vega-Lite, and the fonts that are tried.
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
FONT = "system-ui, 'Liberation Sans', Arial, sans-serif"
MOST = 40  # agents drawn by default
COLORED = 6  # agents that are distinguished by color
SHORT = 30  # characters of a label
WHOLE = 200  # characters of a name in a tooltip
# more than two combining marks on one letter
STACKED = re.compile("([\u0300-\u036f\u0489\u20d0-\u20ff]{2})[\u0300-\u036f\u0489\u20d0-\u20ff]+")

Spec = dict[str, Any]  # a Vega-Lite specification


class Grid(Protocol):
    """A matrix: nested sequences or an array, indexed as ``table[i][j]``."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Palette:
    """The colors of a figure; blue and orange are distinguishable with every kind of color vision.

    Parameters
    ----------
    background, ink, quiet, grid, faint : str
        Paper; text; secondary text and unresolved items; grid lines; bands.
    accent, contrast : str
        Blue and orange.
    diverging : tuple of five str
        From orange through neutral to blue, for 0, 1/4, 1/2, 3/4, 1.
    ramp : tuple of two str
        From low to high.
    category : tuple of str
        For a few lines among many.
    """

    background: str
    ink: str
    quiet: str
    grid: str
    faint: str
    accent: str
    contrast: str
    diverging: tuple[str, str, str, str, str]
    ramp: tuple[str, str]
    category: tuple[str, ...]


LIGHT = Palette(
    background="#ffffff",
    ink="#1d2126",
    quiet="#6a7079",
    grid="#d5d9de",
    faint="#eceef1",
    accent="#1a5899",
    contrast="#a54a05",
    diverging=("#a54a05", "#e0954a", "#f6f6f4", "#6fa5d6", "#1a5899"),
    ramp=("#dbe6f1", "#174f8b"),
    category=("#1a5899", "#b4540a", "#0b7f66", "#9a4d94", "#7d6b00", "#2c8fc2"),
)
DARK = Palette(
    background="#15181d",
    ink="#e7e9ec",
    quiet="#939aa4",
    grid="#3b424c",
    faint="#262b33",
    accent="#6db3f2",
    contrast="#f39a45",
    diverging=("#f39a45", "#7d4f27", "#2b2f36", "#315a84", "#6db3f2"),
    ramp=("#202a37", "#6db3f2"),
    category=("#6db3f2", "#f39a45", "#41c4a4", "#d08fca", "#d3bd4a", "#9fd4f5"),
)


def css_variables(palette: Palette) -> str:
    """Return the colors as CSS variables, which `ON_A_PAGE` refers to.

    >>> css_variables(LIGHT)[:42]
    '--p-background:#ffffff;--p-ink:#1d2126;--p'
    """
    text = ""
    for name, colors in asdict(palette).items():
        several = {name: colors} if isinstance(colors, str) else {f"{name}{k}": color for k, color in enumerate(colors)}
        text += "".join(f"--p-{key}:{color};" for key, color in several.items())
    return text


def _called(name: str, colors: str | Sequence[str]) -> Any:
    """The color, or the colors, as references to CSS variables, numbered if there are several."""
    numbered = tuple(f"var(--p-{name}{k})" for k in range(len(colors)))
    return f"var(--p-{name})" if isinstance(colors, str) else numbered


# the same in light and dark mode
ON_A_PAGE = Palette(**{name: _called(name, color) for name, color in asdict(LIGHT).items()})


def theme(palette: Palette = LIGHT) -> Spec:
    """Return the Vega-Lite config that colors a figure."""
    p = palette
    text = {"labelColor": p.ink, "titleColor": p.quiet, "labelFontSize": 11, "titleFontSize": 11}
    title = {"color": p.ink, "subtitleColor": p.quiet, "fontSize": 15, "subtitleFontSize": 12}
    return {
        "background": p.background,
        "font": FONT,
        "view": {"stroke": None},
        "mark": {"aria": False},
        "title": {**title, "anchor": "start", "subtitlePadding": 5, "offset": 12, "subtitleLineHeight": 16},
        "axis": {**text, "titleFontWeight": "normal", "gridColor": p.grid, "domain": False, "ticks": False},
        "legend": {**text, "titleFontWeight": "normal", "symbolStrokeWidth": 1.5, "titleLimit": 400, "labelLimit": 400},
        "range": {"diverging": list(p.diverging), "ramp": list(p.ramp), "category": list(p.category)},
        "style": {name: {"opacity": 1, **style} for name, style in _styles(p).items()},
    }


def _styles(p: Palette) -> dict[str, Spec]:
    return {
        "label": {"color": p.ink, "fontSize": 12},
        "label-quiet": {"color": p.quiet, "fontSize": 12},
        "figure": {"color": p.ink, "fontSize": 11},
        "figure-inverse": {"color": p.background, "fontSize": 11},
        "figure-quiet": {"color": p.quiet, "fontSize": 11},
        "band": {"color": p.faint},
        "grid": {"color": p.grid, "strokeWidth": 1},
        "hatch": {"color": p.quiet, "strokeWidth": 1, "opacity": 0.5},
        "line": {"color": p.quiet, "strokeWidth": 1, "opacity": 0.6},
        "bright": {"strokeWidth": 2.5},
        "dot": {"color": p.background, "stroke": p.quiet, "strokeWidth": 1.5},
        "mark": {"color": p.accent},
        "mark-pale": {"color": p.accent, "opacity": 0.4},
        "mark-contrast": {"color": p.contrast},
        "mark-quiet": {"color": p.quiet, "opacity": 0.55},
        "point": {"color": p.ink},
        "halo": {
            "color": p.background,
            "stroke": p.background,
            "strokeWidth": 4,
            "strokeJoin": "round",
            "fontSize": 12,
        },
        "outline": {"color": p.background, "stroke": p.accent, "strokeWidth": 1.5},
        "edge": {"color": p.quiet, "strokeWidth": 1},
        "edge-open": {"color": p.quiet, "strokeWidth": 1, "strokeDash": [1.5, 3]},
        "edge-cycle": {"color": p.contrast, "strokeWidth": 2.5},
        "head": {"color": p.quiet},
        "head-cycle": {"color": p.contrast},
    }


def themed(spec: Spec, palette: Palette) -> Spec:
    """Return the same figure in other colors.

    >>> themed(picture("A title", layer=[]), DARK)["config"]["background"]
    '#15181d'
    """
    return {**spec, "config": theme(palette)}


def picture(title: str, *subtitles: str, **parts: Any) -> Spec:
    """Return a specification: a title, one subtitle per sentence, and the parts.

    The same text is the description, which screen readers read. With an empty title only the subtitles remain.

    >>> picture("Ranks", "40 of 200 agents shown", width=10)["description"]
    'Ranks. 40 of 200 agents shown.'
    """
    lines = [line for line in subtitles if line]
    words = " ".join(f"{line}." for line in (title, *lines) if line)
    heading = {"title": {"text": title, "subtitle": lines}} if title or lines else {}
    return {"$schema": SCHEMA, "description": words, **heading, **parts, "config": theme()}


def short(name: object, width: int = SHORT) -> str:
    r"""Return a name as a label: escaped, on one line, shortened in the middle.

    Characters that cannot be shown are escaped first, so escapes count toward the width; at most two combining marks
    per letter stay.

    >>> short("an-agent-with-a-very-long-name-2026-10-01", 26)
    'an-agent-with…e-2026-10-01'
    >>> short("\u202e" * 9, 14)
    '\\u202e\\…\\u202e'
    """
    return shown(STACKED.sub(r"\1", shown(name, WHOLE)), width) or "''"


def whole(name: object) -> str:
    """Return a name for a tooltip, whole unless it is very long."""
    return shown(name, WHOLE)


def part_of(n: int, total: int, noun: str = "agent", which: str = "") -> str:
    """State how much is shown, and which part; empty if that is everything.

    >>> part_of(40, 200), part_of(3, 3)
    ('40 of 200 agents shown', '')
    """
    return "" if n >= total else f"{n:,} of {counted(total, noun)} shown{which}"


def number(value: Any) -> float | None:
    """Return a finite number rounded to six decimals, otherwise None.

    >>> number(1 / 3), number(float("nan")), number(None)
    (0.333333, None, None)
    """
    return None if value is None or not isfinite(value) else round(float(value), 6)


def layer(mark: str, style: str, values: Sequence[Mapping[str, Any]], encoding: Spec, **properties: Any) -> Spec:
    """Return one layer: marks of a named style for the values."""
    return {
        "data": {"values": list(values)},
        "mark": {"type": mark, "style": style, **properties},
        "encoding": encoding,
    }


def texts(values: Sequence[Mapping[str, Any]], style: str, at: Spec, align: str = "left", **properties: Any) -> Spec:
    """Return a layer of text, centered vertically at its position."""
    return layer("text", style, values, at, align=align, baseline="middle", **properties)


def measured(field: str, domain: Sequence[float], axis: Spec | None, **scale: Any) -> Spec:
    """Return the position of a number on a scale between two ends, with or without an axis."""
    return {"field": field, "type": "quantitative", "scale": {"domain": list(domain), **scale}, "axis": axis}


def place(field: str, n: int, *, down: bool = False) -> Spec:
    """Return the position of item ``field`` of ``n`` in equal steps, from left to right or from top to bottom."""
    return measured(field, [-0.5, n - 0.5], None, nice=False, zero=False, reverse=down)


def pixel(field: str) -> Spec:
    """Return a position that the data give in pixels."""
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def channels(**definitions: Any) -> Spec:
    """Return the channels of marks, each as a field name, a position in pixels, or a definition.

    >>> channels(x="left", y=-6, x2="right", tooltip="tooltip")["y"], channels(text="label")
    ({'value': -6}, {'text': {'field': 'label'}})
    """
    return {name: _channel(name, value) for name, value in definitions.items()}


def _channel(name: str, value: Any) -> Spec:
    if isinstance(value, str):
        return pixel(value) if name in ("x", "y") else {"field": value}
    return value if isinstance(value, dict) else {"value": value}


def rows_down(n: int, row: str = "row", **definitions: Any) -> Spec:
    """Return channels of marks on one of ``n`` rows, by the field `row`."""
    return channels(y=place(row, n, down=True), **definitions)


def color_by_row(n: int) -> Spec:
    """Return a color for every agent, by the field `row` of the data."""
    scale = {"domain": list(range(n)), "range": "category"}
    return {"field": "row", "type": "ordinal", "scale": scale, "legend": None}


def names(agents: Sequence[str], width: int = SHORT) -> list[Spec]:
    """Return the rows of labels: a number, a label that fits, and the whole name."""
    return [{"row": i, "label": short(name, width), "agent": whole(name)} for i, name in enumerate(agents)]


def row_labels(labels: Sequence[Mapping[str, Any]], style: str = "label", *, n: int | None = None) -> Spec:
    """Return names to the left of ``n`` rows, with the whole name on hover."""
    at = rows_down(len(labels) if n is None else n, x=-8, text="label", tooltip="agent")
    return texts(labels, style, at, "right", limit=200)
