"""Figures of square matrices: win rates, numbers of battles, and distances between methods."""

from collections.abc import Sequence
from math import ceil, log10
from typing import Any

from beatpath._text import counted, percent
from beatpath.reports.drawing.scales import PERCENT
from beatpath.reports.figures.common import (
    MOST,
    Grid,
    Spec,
    channels,
    layer,
    names,
    number,
    part_of,
    picture,
    place,
    row_labels,
    rows_down,
    texts,
)

ROOMY = 12  # most agents for which cells are wide enough to hold a number
HATCH = "M-1,0L0,-1M-1,1L1,-1M0,1L1,0"  # the path of a hatched cell
STOPS = [0, 0.25, 0.5, 0.75, 1]  # stops of the diverging colors


def win_rate_matrix(
    agents: Sequence[str],
    rates: Grid,
    counts: Grid | None = None,
    *,
    resolved: Grid | None = None,
    low: Grid | None = None,
    high: Grid | None = None,
    confidence: str = "95 %",
    title: str = "Who beats whom",
    most: int | None = MOST,
) -> Spec:
    """Return the win-rate matrix in the given order of agents; pairs never compared directly stay empty.

    Parameters
    ----------
    agents : sequence of str
        Best first.
    rates : (n, n)
        Share of battles that the row agent won against the column agent, ties half; NaN or None if never compared
        directly.
    counts : (n, n), optional
        Battles of each pair.
    resolved : (n, n) of bool, optional
        Whether the difference is statistically significant; other cells are pale and hatched.
    low, high : (n, n), optional
        Ends of the confidence intervals of the rates.
    confidence : str
        Confidence level of the intervals, as text before the word interval.
    title : str
        Title of the figure.
    most : int or None
        Maximum number of agents drawn, the first ones.

    Examples
    --------
    >>> spec = win_rate_matrix(["ada", "bob"], [[None, 0.75], [0.25, None]], [[0, 8], [8, 0]])
    >>> spec["layer"][-1]["data"]["values"][0]["tooltip"]
    'won 75.0 % of 8 battles'
    """
    plotted = list(agents)[:most]
    n = len(plotted)
    values = []
    for i in range(n):
        for j in range(n):
            share = number(rates[i][j])
            if i == j or share is None:
                continue
            sure = None if resolved is None else bool(resolved[i][j])
            ends = None if low is None or high is None else (number(low[i][j]), number(high[i][j]))
            tooltip = _rate_text(share, None if counts is None else counts[i][j], sure, ends, confidence)
            cell = {"row": i, "column": j, "share": round(share, 4), "tooltip": tooltip, "sure": sure is not False}
            values.append(_with_figure(cell, f"{100 * share:.0f}", sure is not False and abs(share - 0.5) > 0.36, n))
    notes = [
        "percentage of battles that the row's agent won, a tie as half",
        f"{'' if resolved is None else 'hatched: not resolved; '}empty: not compared",
        part_of(n, len(agents)),
    ]
    pale = {"condition": {"test": {"field": "sure", "equal": True}, "value": 1}, "value": 0.4}
    scale = {"domain": STOPS, "range": "diverging", "interpolate": "rgb"}
    guide = legend("row's win rate", STOPS, {"labelExpr": PERCENT})
    color = {"field": "share", "type": "quantitative", "scale": scale, "legend": guide}
    marks = [squares(n, color, opacity=pale), hatches(n, {"field": "sure", "equal": False})]
    return matrix(title, notes, plotted, values, marks, "against")


def _rate_text(
    share: float,
    count: float | None,
    sure: bool | None,
    ends: tuple[float | None, float | None] | None,
    confidence: str,
) -> str:
    """The counts, the interval, and whether the difference is significant."""
    of = "their battles" if count is None else counted(count, "battle")
    text = f"won {percent(share)} of {of}"
    if ends is not None and None not in ends:
        text += f" ({confidence} interval {percent(ends[0] or 0)} to {percent(ends[1] or 0)})"
    if sure is None:
        return text
    verdict = "ahead" if share > 0.5 else "behind"
    return f"{text}; certainly {verdict}" if sure else f"{text}; not resolved"


def sampling(
    agents: Sequence[str],
    counts: Grid,
    *,
    unit: str = "battle",
    most: int | None = MOST,
) -> Spec:
    """Return the number of battles of each pair as a matrix; pairs never compared directly stay empty.

    Parameters
    ----------
    agents : sequence of str
        In the order to draw.
    counts : (n, n)
        Battles of each pair.
    unit : str
        What is counted.
    most : int or None
        Maximum number of agents drawn, the first ones.

    Examples
    --------
    >>> spec = sampling(["ada", "bob", "cyd"], [[0, 8, 0], [8, 0, 1], [0, 1, 0]])
    >>> [cell["tooltip"] for cell in spec["layer"][-1]["data"]["values"]]
    ['8 battles', '8 battles', '1 battle', '1 battle']
    """
    plotted = list(agents)[:most]
    n = len(plotted)
    met = [
        (i, j, count) for i in range(n) for j in range(n) if i != j and (count := number(counts[i][j])) and count > 0
    ]
    top = max((count for *_, count in met), default=1.0)
    values = [
        _with_figure(
            {"row": i, "column": j, "count": count, "tooltip": counted(count, unit)},
            _compact(count),
            count > _dark_from(top),
            n,
        )
        for i, j, count in met
    ]
    subtitles = [f"{unit}s of each pair, on a logarithmic scale; empty: not compared", part_of(n, len(agents))]
    return matrix("Battles per pair", subtitles, plotted, values, [squares(n, _count_color(top, unit))])


def _count_color(top: float, unit: str) -> Spec:
    """A color scale from 1 to the power of ten above the largest count."""
    powers = max(1, ceil(log10(max(top, 10))))
    scale = {"type": "log", "domain": [1, 10**powers], "range": "ramp", "interpolate": "rgb", "clamp": True}
    color = legend(f"{unit}s", [10**k for k in range(powers + 1)], {"format": ","})
    return {"field": "count", "type": "quantitative", "scale": scale, "legend": color}


def _dark_from(top: float) -> float:
    """The count from which a cell is dark enough for text in the color of the paper."""
    return 10 ** (0.62 * max(1, ceil(log10(max(top, 10)))))


def _compact(count: float) -> str:
    """A count in at most four characters.

    >>> _compact(950), _compact(1234), _compact(56_789), _compact(3_400_000), _compact(2.25)
    ('950', '1.2k', '57k', '3.4M', '2.2')
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.1f}{letter}" if count < 10 * size else f"{count / size:.0f}{letter}"
    return f"{count:.0f}" if float(count).is_integer() or count >= 100 else f"{count:.1f}"


def agreement(methods: Sequence[str], distances: Grid) -> Spec:
    """Return the matrix of Kendall distances between the rankings of methods.

    Parameters
    ----------
    methods : sequence of str
        Names of the methods.
    distances : (k, k)
        Share of agent pairs that two methods order differently, ties half.

    Examples
    --------
    >>> spec = agreement(["borda", "copeland"], [[0, 0.125], [0.125, 0]])
    >>> spec["layer"][-1]["data"]["values"][0]["tooltip"]
    '12.5 % of pairs ordered differently'
    """
    n = len(methods)
    apart = [(i, j, round(float(distances[i][j]), 4)) for i in range(n) for j in range(n) if i != j]
    top = max((distance for *_, distance in apart), default=0.0)
    end = next(limit for limit in (0.1, 0.2, 0.5, 1.0) if top <= limit)
    values = []
    for i, j, distance in apart:
        tooltip = f"{percent(float(distances[i][j]))} of pairs ordered differently"
        cell = {"row": i, "column": j, "distance": distance, "tooltip": tooltip}
        values.append(_with_figure(cell, f"{100 * float(distances[i][j]):.0f}", distance > 0.62 * end, n))
    guide = legend("distance", [0, end / 2, end], {"labelExpr": PERCENT})
    scale = {"domain": [0, end], "range": "ramp", "interpolate": "rgb"}
    color = {"field": "distance", "type": "quantitative", "scale": scale, "legend": guide}
    notes = ["percentage of pairs of agents that two methods order differently, a tie as half"]
    return matrix("How much methods differ", notes, methods, values, [squares(n, color)])


def step(n: int) -> int:
    """Return the distance between rows in pixels."""
    return 36 if n <= ROOMY else 18


def matrix(
    title: str,
    subtitles: Sequence[str],
    agents: Sequence[str],
    values: Sequence[Spec],
    marks: Sequence[Spec],
    between: str = "and",
) -> Spec:
    """Return a square matrix: names at both sides, as a dataset that cells look up; the diagonal; marks over the cells.

    Cells have ``row``, ``column`` and ``tooltip``. Hovering shows both names, joined by the word `between`, and the
    tooltip.
    """
    n = len(agents)
    above = channels(x=place("row", n), y=-8, text="label", tooltip="agent")
    sides = [
        row_labels([], n=n),
        texts(None, "label", above, angle=-60, limit=200),
        layer("square", "band", None, rows_down(n, x=place("row", n)), size=side(n) ** 2),
    ]
    sentence = f"datum.agent + ' {between} ' + datum.rival + ': ' + datum.tooltip"
    looked_up = [_looked_up("row", "agent"), _looked_up("column", "rival")]
    cells = {
        "data": {"values": list(values)},
        "transform": [*looked_up, {"calculate": sentence, "as": "sentence"}],
        "encoding": rows_down(n, x=place("column", n), tooltip="sentence"),
        "layer": [*marks, *figures(n)],
    }
    return picture(
        title,
        *subtitles,
        width=step(n) * n,
        height=step(n) * n,
        datasets={"names": names(agents)},
        layer=[*({**one, "data": {"name": "names"}} for one in sides), cells],
    )


def side(n: int) -> int:
    """Return the side of a cell in pixels: two less than the step."""
    return step(n) - 2


def _looked_up(key: str, name: str) -> Spec:
    source = {"data": {"name": "names"}, "key": "row", "fields": ["agent"]}
    return {"lookup": key, "from": source, "as": [name]}


def squares(n: int, color: Spec, **encoding: Any) -> Spec:
    """Return colored cells."""
    return {"mark": {"type": "square", "opacity": 1, "size": side(n) ** 2}, "encoding": {"color": color, **encoding}}


def hatches(n: int, test: Spec) -> Spec:
    """Return diagonal strokes over the cells for which a test holds."""
    mark = {"type": "point", "style": "hatch", "shape": HATCH, "size": (side(n) - 1) ** 2}
    return {"transform": [{"filter": test}], "mark": mark}


def _with_figure(cell: Spec, text: str, strong: bool, n: int) -> Spec:
    """A cell with its number, if cells are wide enough, and whether its color is strong."""
    return {**cell, "text": text, "strong": bool(strong)} if n <= ROOMY else cell


def figures(n: int) -> list[Spec]:
    """Return the numbers in cells, if wide enough: in the color of the paper on strong cells, otherwise in ink."""
    return [
        {
            "transform": [{"filter": {"field": "strong", "equal": strong}}],
            "mark": {"type": "text", "style": style, "baseline": "middle"},
            "encoding": {"text": {"field": "text"}},
        }
        for style, strong in (("figure", False), ("figure-inverse", True))
        if n <= ROOMY
    ]


def legend(title: str, values: Sequence[float], text: Spec) -> Spec:
    """Return a legend of colored squares below the matrix, which unlike a gradient needs no SVG identifier."""
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
