"""`svg`: a specification drawn, as text that can stand in a page; and `save_picture`, which writes it to a file."""

from html import escape
from math import ceil
from pathlib import Path
from typing import Any

from beatpath._atomic_write import write_whole
from beatpath._errors import MissingExtra
from beatpath.reports.drawing.guides import draw_axes, draw_legends, draw_title
from beatpath.reports.drawing.layers import draw_layer, layers_of
from beatpath.reports.drawing.marks import Sheet, short, written
from beatpath.reports.drawing.scales import Spec

PAD = 5  # pixels around everything


def svg(spec: Spec) -> str:
    """Return a picture as SVG: named by its description, without identifiers; hovering over a mark tells what it says.

    Understood of Vega-Lite are layers (also inside layers) of the marks area, bar, circle, line, point, rect, rule, square, text and
    tick; scales with a domain; axes and legends of symbols; lookups, filters by the value of a field, and sums of words and fields.

    Examples
    --------
    >>> from beatpath.reports.figures import rank_intervals
    >>> drawn = svg(rank_intervals([{"agent": "<b>", "rank": 1, "best": 1, "worst": 1, "group": 0}]))
    >>> "<title>&lt;b&gt;: rank 1, with 95 % confidence no other</title>" in drawn
    True
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
    """Everything that was drawn, on paper of its size."""
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
    """Write a picture to an SVG file, or to a PNG file where the extra ``png`` is installed."""
    if path.suffix == ".svg":
        write_whole(path, svg(spec))
        return
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("vl-convert-python", "png", "a picture as PNG") from None
    write_whole(path, vl_convert.svg_to_png(svg(spec), scale=2))
