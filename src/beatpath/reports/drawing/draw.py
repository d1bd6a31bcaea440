"""Draw a specification as SVG, as a string for a page or as a file: marks, axes, legends, title."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import ceil, inf
from pathlib import Path
from typing import Any

from beatpath._atomic_write import write_whole
from beatpath._errors import MissingExtra
from beatpath.reports.drawing.layers import Layer, draw_layer, layers_of
from beatpath.reports.drawing.marks import ANCHORS, SLACK, Sheet, element, short, symbol, text, text_width, written
from beatpath.reports.drawing.scales import Spec, color_of, label_of, place_of, ticks

Place = tuple[float, str]  # position of a tick, and its label
BELOW = 18  # pixels between a figure and its legend
APART = 10  # pixels between adjacent entries of a legend


def draw_axes(sheet: Sheet, layers: Sequence[Layer], width: float, height: float, style: Spec) -> None:
    """Draw the axes that any layer defines, at most one per direction."""
    for name, draw in (("x", _across), ("y", _upwards)):
        encoded = [one.channels[name] for one in layers if one.channels.get(name, {}).get("axis") is not None]
        if encoded:
            axis, (low, high) = encoded[0]["axis"], encoded[0]["scale"]["domain"]
            values = axis.get("values") or ticks(low, high, axis["tickCount"])
            at = place_of({**encoded[0], "field": "at"}, width if name == "x" else height, down=name == "y")
            places = [(at({"at": value}), label_of(axis, value)) for value in values]
            draw(sheet, axis, places, width, height, style)


def _across(sheet: Sheet, axis: Spec, places: Sequence[Place], width: float, height: float, style: Spec) -> None:
    """Draw an axis below the figure or, if it says so, above it; labels at its ends stay inside."""
    above, size = axis.get("orient") == "top", style["labelFontSize"]
    if axis.get("grid", True):
        _grid(sheet, [(x, 0.0, x, height) for x, _ in places], style)
    labels = []
    for x, line in places:
        align = "left" if x < 1 else "right" if x > width - 1 else "center"
        anchor: dict[str, Any] = {"text-anchor": ANCHORS[align]}
        labels.append(text(sheet, line, (x, -4.0 if above else height + 11), size, align=align, **anchor))
    _labels(sheet, labels, style["labelColor"], size)
    if axis.get("title"):
        at_title, limit = (width / 2, -19.0 if above else height + 26), axis.get("titleLimit", inf)
        title = text(sheet, axis["title"], at_title, style["titleFontSize"], limit=limit)
        _labels(sheet, [title], style["titleColor"], style["titleFontSize"], "middle")


def _upwards(sheet: Sheet, axis: Spec, places: Sequence[Place], width: float, height: float, style: Spec) -> None:
    """Draw an axis to the left of the figure."""
    size = style["labelFontSize"]
    if axis.get("grid", True):
        _grid(sheet, [(0.0, y, width, y) for y, _ in places], style)
    labels = [text(sheet, line, (-2.0, y), size, align="right", baseline="middle") for y, line in places]
    _labels(sheet, labels, style["labelColor"], size, "end")
    if axis.get("title"):
        beyond = -12 - SLACK * max(text_width(line, size) for _, line in places)
        title = text(sheet, axis["title"], (beyond, height / 2), style["titleFontSize"], angle=-90)
        _labels(sheet, [title], style["titleColor"], style["titleFontSize"], "middle")


def _grid(sheet: Sheet, lines: Sequence[tuple[float, float, float, float]], style: Spec) -> None:
    elements = [element("line", dict(zip(("x1", "y1", "x2", "y2"), line, strict=True))) for line in lines]
    sheet.group({"stroke": style["gridColor"]}, elements)


def _labels(sheet: Sheet, lines: Sequence[str], color: str, size: float, anchor: str | None = None) -> None:
    sheet.group({"fill": color, "font-size": size, "text-anchor": anchor}, lines)


def draw_legends(sheet: Sheet, layers: Sequence[Layer], ranges: Mapping[str, Sequence[str]], style: Spec) -> None:
    """Draw the legends of colors below the figure, their entries side by side."""
    for channel in (layer.channels["color"] for layer in layers if "color" in layer.channels):
        if channel.get("legend"):
            _legend(sheet, channel, color_of(channel, ranges), style)


def _legend(sheet: Sheet, channel: Spec, color: Callable[[float], str], style: Spec) -> None:
    guide, size, top = channel["legend"], style["labelFontSize"], sheet.box.bottom + BELOW
    title = text(sheet, guide["title"], (0.0, top + 9), style["titleFontSize"], align="left")
    _labels(sheet, [title], style["titleColor"], style["titleFontSize"])
    half, symbols, labels = guide["symbolSize"] ** 0.5 / 2, [], []
    x, y = half, top + 16 + half
    for value in guide["values"]:
        line = label_of(guide, value)
        symbols.append(element(*symbol(guide["symbolType"], (x, y), guide["symbolSize"], fill=color(value))))
        labels.append(text(sheet, line, (x + half + 5, y), size, align="left", baseline="middle"))
        x += 2 * half + 5 + SLACK * text_width(line, size) + APART
    sheet.box.hold((0.0, y + half))
    sheet.group({}, symbols)
    _labels(sheet, labels, style["labelColor"], size)


def draw_title(sheet: Sheet, title: Mapping[str, Any], style: Spec) -> None:
    """Draw the title and subtitles above everything else, from the left edge."""
    lines, size, small = title.get("subtitle", ()), style["fontSize"], style["subtitleFontSize"]
    left, step = sheet.box.left, style["subtitleLineHeight"]
    top = sheet.box.top - style["offset"] - (size + style["subtitlePadding"]) * bool(title["text"]) - step * len(lines)
    if title["text"]:
        head = text(sheet, title["text"], (left, top + 0.8 * size), size, align="left")
        sheet.group({"fill": style["color"], "font-size": size, "font-weight": "bold"}, [head])
        top += size + style["subtitlePadding"]
    elements = [
        text(sheet, line, (left, top + 0.8 * small + step * k), small, align="left") for k, line in enumerate(lines)
    ]
    sheet.group({"fill": style["subtitleColor"], "font-size": small}, elements)


PAD = 5  # pixels around everything


def svg(spec: Spec) -> str:
    """Return a figure as SVG, labeled by its description and without identifiers; marks have tooltips.

    Supported parts of Vega-Lite: layers of the marks area, bar, circle, line, point, rect, rule, square and text; scales
    with a domain; axes and legends of colors.

    Examples
    --------
    >>> from beatpath.reports.figures import rank_intervals
    >>> result = svg(rank_intervals([{"agent": "<b>", "rank": 1, "best": 1, "worst": 1, "group": 0}]))
    >>> "<title>&lt;b&gt;: rank 1, with 95 % confidence no other</title>" in result
    False
    """
    sheet, config, width, height = Sheet(), spec["config"], float(spec["width"]), float(spec["height"])
    layers = layers_of(spec)
    sheet.box.hold((0.0, 0.0), (width, height))
    draw_axes(sheet, layers, width, height, config["axis"])
    for layer in layers:
        draw_layer(sheet, layer, width, height, config["range"])
    draw_legends(sheet, layers, config["range"], config["legend"])
    if "title" in spec:
        draw_title(sheet, spec["title"], config["title"])
    return _framed(sheet, spec.get("description", ""), config)


def _framed(sheet: Sheet, description: str, config: dict[str, Any]) -> str:
    """Everything that was drawn, on a background of its size."""
    box = sheet.box
    wide, high = ceil(box.right - box.left) + 2 * PAD, ceil(box.bottom - box.top) + 2 * PAD
    size = {"class": "marks", "width": wide, "height": high, "viewBox": f"0 0 {wide} {high}"}
    paper = {"width": wide, "height": high, "fill": config["background"]}
    moved = {"transform": f"translate({short(PAD - box.left)},{short(PAD - box.top)})", "font-family": config["font"]}
    return (
        f'<svg role="img" aria-label="{escape(description)}" xmlns="http://www.w3.org/2000/svg"{written(size)}>'
        f"<rect{written(paper)}/><g{written(moved)}>{''.join(sheet.parts)}</g></svg>"
    )


def save_picture(spec: Spec, path: Path) -> None:
    """Write a figure to an SVG file, or to a PNG file if the extra ``png`` is installed."""
    if path.suffix == ".svg":
        write_whole(path, svg(spec))
        return
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("vl-convert-python", "png", "a picture as PNG") from None
    write_whole(path, vl_convert.svg_to_png(svg(spec), scale=2))
