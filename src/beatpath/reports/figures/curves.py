"""Lines with bands, one an agent: the shape of performance profiles and of strengths over time."""

from collections.abc import Sequence

from beatpath.reports.drawing.scales import rounded
from beatpath.reports.figures.common import COLOURED, Spec, colour_by_row, layer, part_of, picture, short, whole

WIDTH, HEIGHT = 400, 280
YEAR = 31_556_952.0  # seconds
YEARS = "year"  # numbers that are written without a comma
DATED = 1e8  # seconds since 1970: times of which the last is later than that, in 1973, are taken for dates
Point = tuple[float, float, float, float]  # where, and there the value and the ends of its interval


def strength_curves(
    agents: Sequence[str],
    points: Sequence[Sequence[Point]],
    *,
    confidence: str = "95 %",
    title: str = "Strengths over time",
    most: int = COLOURED,
) -> Spec:
    """Return a line an agent over time, with a band; times that are dates are shown as years.

    Parameters
    ----------
    agents : sequence of str
        The strongest first, by whatever order: it says who is drawn.
    points : sequence of (time, strength, low, high), one an agent
    confidence : str
        What the bands are, in front of the word interval.
    title : str
    most : int
        At most so many agents are drawn, the first ones.

    Examples
    --------
    >>> spec = strength_curves(["ada"], [[(0.0, 0.1, -0.4, 0.6), (2.0, 0.5, 0.1, 0.9)]])
    >>> spec["layer"][1]["data"]["values"][1], spec["layer"][1]["encoding"]["y"]["scale"]["domain"]
    ({'row': 0, 'x': 2.0, 'y': 0.5}, [-0.4, 1.0])
    """
    drawn = points[:most]
    dated = max((one[0] for curve in drawn for one in curve), default=0.0) > DATED
    curves = [[(1970 + t / YEAR if dated else t, x, low, high) for t, x, low, high in curve] for curve in drawn]
    lows, highs = ([one[k] for curve in curves for one in curve] for k in (2, 3))
    y = axis("strength in log odds", rounded(min(lows, default=0.0), max(highs, default=1.0), 5))
    said = f"band: {confidence} interval of each point by itself"
    return banded_lines(agents, curves, YEARS if dated else "time", y, title=title, said=said, most=most)


def banded_lines(
    agents: Sequence[str],
    points: Sequence[Sequence[Point]],
    across: str,
    y: Spec,
    *,
    title: str,
    said: str,
    most: int = COLOURED,
) -> Spec:
    """Return lines with bands, their agents named beside them.

    Parameters
    ----------
    agents : sequence of str
    points : sequence of (x, y, low, high), one an agent
    across : str
        What the horizontal axis is.
    y : Spec
        The vertical axis, as `axis` makes it.
    title, said : str
    most : int
    """
    n = min(len(agents), most)
    flat = [(i, *one) for i in range(n) for one in points[i]]
    lines = [{"row": i, "x": float(x), "y": float(value)} for i, x, value, _, _ in flat]
    bands = [{"row": i, "x": float(x), "low": float(low), "high": float(high)} for i, x, _, low, high in flat]
    ends = [{"row": i, "place": 12 + 18 * i, "label": short(agents[i]), "agent": whole(agents[i])} for i in range(n)]
    first, last = (end((one["x"] for one in lines), default=0.0) for end in (min, max))
    x = {**axis(across, [first, last] if first < last else [first - 1, first + 1]), "field": "x"}
    colour = colour_by_row(n)
    text = {
        "x": {"value": WIDTH + 12},
        "y": {"field": "place", "type": "quantitative", "scale": None, "axis": None},
        "text": {"field": "label"},
        "tooltip": {"field": "agent"},
        "color": colour,
    }
    return picture(
        title,
        said,
        part_of(n, len(agents)),
        width=WIDTH,
        height=HEIGHT,
        layer=[
            layer(
                "area",
                "bright",
                bands,
                {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
                opacity=0.18,
            ),
            layer("line", "bright", lines, {"x": x, "y": {**y, "field": "y"}, "color": colour}),
            layer("text", "label", ends, text, align="left", baseline="middle", limit=150),
        ],
    )


def axis(title: str, domain: Sequence[float]) -> Spec:
    """Return a numeric axis between two ends."""
    scale = {"domain": list(domain), "zero": False, "nice": False}
    written = {"format": "d" if domain[1] - domain[0] > 6 else ".2f"} if title == YEARS else {}
    return {"type": "quantitative", "scale": scale, "axis": {"title": title, "tickCount": 6, **written}}
