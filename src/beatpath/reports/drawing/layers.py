"""The layers of a figure: their data, the style of their marks, and the marks themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from beatpath.reports.drawing.marks import ANCHORS, Sheet, element, straight, symbol, text
from beatpath.reports.drawing.scales import Row, Spec, color_of, place_of

# Marks drawn as strokes, and as symbols.
STROKED = ("rule", "line")
SYMBOLS = ("circle", "square", "point")


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One mark for each row, positioned and colored by channels."""

    rows: Sequence[Row]
    mark: Mapping[str, Any]
    channels: Mapping[str, Any]
    over: str | None = None  # the field whose equal values are highlighted together


def layers_of(spec: Spec) -> list[Layer]:
    """Return the layers of a figure in drawing order, with the styles of their marks."""
    styles, plain, layers = spec["config"]["style"], spec["config"]["mark"], []
    for one in spec["layer"]:
        mark, encoding = {**plain, **styles.get(one["mark"]["style"], {}), **one["mark"]}, one["encoding"]
        chosen = [field for param in one.get("params", ()) for field in param["select"]["fields"]]
        over = chosen[0] if chosen else encoding.get("detail", {}).get("field")
        layers.append(Layer(one["data"]["values"], mark, encoding, over))
    return layers


def draw_layer(sheet: Sheet, layer: Layer, width: float, height: float, ranges: Mapping[str, Sequence[str]]) -> None:
    """Draw the marks of a layer; their common attributes go on the group around them."""
    places = _places(layer, width, height)
    kind, own = layer.mark["type"], _own_attributes(layer, ranges)
    if kind in ("line", "area"):
        elements = _runs(sheet, layer, places, own)
    else:
        draw = {"rule": _rule, "rect": _rect, "bar": _rect, "text": _text}.get(kind, _symbol)
        tip = layer.channels.get("tooltip", {}).get("field")
        elements = [
            draw(sheet, layer, {name: at(row) for name, at in places.items()}, row, own(row), row[tip] if tip else None)
            for row in layer.rows
        ]
    sheet.group(_shared_attributes(layer), elements)


def _places(layer: Layer, width: float, height: float) -> dict[str, Callable[[Row], float]]:
    """Position of each row by channel; a second end uses the scale of the first."""
    positions = {}
    for name, extent in (("x", width), ("y", height)):
        first = layer.channels.get(name)
        if first is not None:
            positions[name] = place_of(first, extent, down=name == "y")
        other = layer.channels.get(f"{name}2")
        if other is not None:
            whole = other if "value" in other else {**(first or {}), **other}
            positions[f"{name}2"] = place_of(whole, extent, down=name == "y")
    return positions


def _shared_attributes(layer: Layer) -> dict[str, Any]:
    """Attributes that all marks of a layer share."""
    mark, kind = layer.mark, layer.mark["type"]
    color, hollow = mark.get("color"), kind == "point" and not mark.get("filled")
    stroked = kind in STROKED or hollow
    colored = {"stroke": color} if stroked else {"fill": color, "stroke": mark.get("stroke")}
    attributes: dict[str, Any] = {
        "fill": "none" if stroked else None,
        **colored,
        "stroke-width": mark.get("strokeWidth") if stroked or "stroke" in mark else None,
        "stroke-linecap": mark.get("strokeCap"),
        "stroke-linejoin": mark.get("strokeJoin"),
        "stroke-dasharray": " ".join(map(str, mark["strokeDash"])) if "strokeDash" in mark else None,
    }
    if mark.get("opacity", 1) != 1:  # opacity of each mark, so that overlapping marks show through
        attributes |= {"fill-opacity": mark["opacity"], "stroke-opacity": mark["opacity"]}
    if kind == "text":
        attributes |= {"font-size": mark["fontSize"], "font-weight": mark.get("fontWeight")}
        attributes["text-anchor"] = ANCHORS[mark.get("align", "center")]
    return attributes


def _own_attributes(layer: Layer, ranges: Mapping[str, Sequence[str]]) -> Callable[[Row], dict[str, Any]]:
    """Attributes of a mark from the values of its row."""
    color, over = layer.channels.get("color"), layer.over
    of = None if color is None else color_of(color, ranges)
    paint = "stroke" if layer.mark["type"] in STROKED else "fill"

    def own(row: Row) -> dict[str, Any]:
        attributes: dict[str, Any] = {} if of is None or color is None else {paint: of(row[color["field"]])}
        return attributes if over is None else {**attributes, "data-over": row[over]}

    return own


def _rule(sheet: Sheet, layer: Layer, at: Mapping[str, float], row: Row, own: Spec, tooltip: str | None) -> str:
    line = {"x1": at["x"], "y1": at["y"], "x2": at.get("x2", at["x"]), "y2": at.get("y2", at["y"])}
    sheet.box.hold((line["x1"], line["y1"]), (line["x2"], line["y2"]), around=layer.mark.get("strokeWidth", 1) / 2)
    return element("line", {**line, **own}, tooltip)


def _rect(sheet: Sheet, layer: Layer, at: Mapping[str, float], row: Row, own: Spec, tooltip: str | None) -> str:
    (left, right), (top, bottom) = _ends(at, "x", layer.mark.get("width")), _ends(at, "y", layer.mark.get("height"))
    sheet.box.hold((left, top), (right, bottom), around=layer.mark.get("strokeWidth", 0) / 2)
    box = {"x": left, "y": top, "width": right - left, "height": bottom - top, "rx": layer.mark.get("cornerRadius")}
    return element("rect", {**box, **own}, tooltip)


def _ends(at: Mapping[str, float], name: str, wide: float | None) -> tuple[float, float]:
    """From one position to the other, or of this width around the only one."""
    one, other = at[name], at.get(f"{name}2")
    if other is None:
        return one - (wide or 0.0) / 2, one + (wide or 0.0) / 2
    return min(one, other), max(one, other)


def _symbol(sheet: Sheet, layer: Layer, at: Mapping[str, float], row: Row, own: Spec, tooltip: str | None) -> str:
    size, turn = (layer.channels.get(name) for name in ("size", "angle"))
    area = layer.mark.get("size", 0)
    if size is not None:  # on a linear scale
        (low, high), (least, most) = size["scale"]["domain"], size["scale"]["range"]
        area = least + (most - least) * (row[size["field"]] - low) / (high - low)
    kind = layer.mark["type"] if layer.mark["type"] != "point" else layer.mark.get("shape", "circle")
    sheet.box.hold((at["x"], at["y"]), around=sqrt(area) / 2)
    return element(*symbol(kind, (at["x"], at["y"]), area, row[turn["field"]] if turn else 0.0, **own), tooltip)


def _text(sheet: Sheet, layer: Layer, at: Mapping[str, float], row: Row, own: Spec, tooltip: str | None) -> str:
    mark, line = layer.mark, str(row[layer.channels["text"]["field"]])
    return text(
        sheet,
        line,
        (at["x"] + mark.get("dx", 0), at["y"]),
        mark["fontSize"],
        align=mark.get("align", "center"),
        baseline=mark.get("baseline", "alphabetic"),
        angle=mark.get("angle", 0.0),
        limit=mark.get("limit", float("inf")),
        tooltip=None if tooltip == line else tooltip,
        **own,
    )


def _runs(
    sheet: Sheet, layer: Layer, places: Mapping[str, Callable[[Row], float]], own: Callable[[Row], dict[str, Any]]
) -> list[str]:
    """A line or an area for all rows with the same color and detail, ordered from left to right."""
    by = [layer.channels[name]["field"] for name in ("detail", "color") if name in layer.channels]
    runs: dict[tuple[Any, ...], list[Row]] = {}
    for row in layer.rows:
        runs.setdefault(tuple(row[field] for field in by), []).append(row)
    segments = []
    for rows in runs.values():
        x, y = places["x"], places["y"]
        points = sorted((x(row), y(row)) for row in rows)
        path = straight(points)
        if layer.mark["type"] == "area":
            back = sorted(((x(row), places["y2"](row)) for row in rows), reverse=True)
            path += f"L{straight(back)[1:]}Z"
        sheet.box.hold(*points, around=layer.mark.get("strokeWidth", 1) / 2)
        segments.append(element("path", {"d": path, **own(rows[0])}))
    return segments
