"""Figures of square matrices: win rates, numbers of battles, and distances between methods."""

from collections.abc import Iterator, Mapping, Sequence
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
    short,
    texts,
)

ROOMY = 12  # most agents for which cells are wide enough to hold a number
HATCH = "M-1,0L0,-1M-1,1L1,-1M0,1L1,0"  # the path of a hatched cell
STOPS = [0, 0.25, 0.5, 0.75, 1]  # stops of the diverging colors
HOVERED = 48  # characters of a name that hovering over a cell shows: both names stand in every cell
DARK = 0.62  # share of a ramp from which a cell is dark enough for text in the color of the paper


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
    unit: str = "battle",
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
    unit : str
        What is counted.
    most : int or None
        Maximum number of agents drawn, the first ones.

    Examples
    --------
    >>> spec = win_rate_matrix(["ada", "bob"], [[None, 0.75], [0.25, None]], [[0, 8], [8, 0]])
    >>> spec["layer"][3]["data"]["values"][0]["tooltip"]
    'ada against bob: won 75.0 % of 8 battles'
    """
    plotted = list(agents)[:most]
    values = []
    for i, j, share in _entries(rates, len(plotted)):
        sure = None if resolved is None else bool(resolved[i][j])
        tooltip = f"won {percent(share)} of {f'their {unit}s' if counts is None else counted(counts[i][j], unit)}"
        ends = () if low is None or high is None else (number(low[i][j]), number(high[i][j]))
        if ends and None not in ends:
            tooltip += f" ({confidence} interval {' to '.join(percent(end or 0) for end in ends)})"
        if sure is not None:
            verdict = "certainly ahead" if share > 0.5 else "certainly behind"
            tooltip += f"; {verdict if sure else 'not resolved'}"
        cell = _cell(i, j, tooltip, f"{100 * share:.0f}", sure is not False and abs(share - 0.5) > 0.36)
        values.append({**cell, "share": round(share, 4), "open": sure is False})
    notes = [
        f"percentage of {unit}s that the row's agent won, a tie as half",
        f"{'' if resolved is None else 'hatched: not resolved; '}empty: not compared",
        part_of(len(plotted), len(agents)),
    ]
    scale = {"domain": STOPS, "range": "diverging"}
    color = _color("share", scale, "row's win rate", STOPS, labelExpr=PERCENT)
    return _matrix(title, notes, plotted, values, color, "against")


def _entries(grid: Grid, n: int) -> Iterator[tuple[int, int, float]]:
    """The finite numbers off the diagonal of the first rows and columns of a matrix."""
    for i in range(n):
        for j in range(n):
            value = number(grid[i][j]) if i != j else None
            if value is not None:
                yield i, j, value


def sampling(agents: Sequence[str], counts: Grid, *, unit: str = "battle", most: int | None = MOST) -> Spec:
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
    >>> [cell["tooltip"] for cell in spec["layer"][3]["data"]["values"]][1:3]
    ['bob and ada: 8 battles', 'bob and cyd: 1 battle']
    """
    plotted = list(agents)[:most]
    played = [(i, j, count) for i, j, count in _entries(counts, len(plotted)) if count > 0]
    powers = max(1, ceil(log10(max((10.0, *(count for *_, count in played))))))  # of the end of the scale
    values = [
        {**_cell(i, j, counted(count, unit), _compact(count), count > 10 ** (DARK * powers)), "count": count}
        for i, j, count in played
    ]
    subtitles = [
        f"{unit}s of each pair, on a logarithmic scale; empty: not compared",
        part_of(len(plotted), len(agents)),
    ]
    scale = {"type": "log", "domain": [1, 10**powers], "range": "ramp", "clamp": True}
    color = _color("count", scale, f"{unit}s", [10**k for k in range(powers + 1)], format=",")
    return _matrix(f"{unit.capitalize()}s per pair", subtitles, plotted, values, color)


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
    >>> spec["layer"][3]["data"]["values"][0]["tooltip"]
    'borda and copeland: 12.5 % of pairs ordered differently'
    """
    apart = list(_entries(distances, len(methods)))
    top = max((distance for *_, distance in apart), default=0.0)
    end = next(limit for limit in (0.1, 0.2, 0.5, 1.0) if top <= limit)
    values = []
    for i, j, distance in apart:
        tooltip = f"{percent(distance)} of pairs ordered differently"
        cell = _cell(i, j, tooltip, f"{100 * distance:.0f}", distance > DARK * end)
        values.append({**cell, "distance": round(distance, 4)})
    color = _color("distance", {"domain": [0, end], "range": "ramp"}, "distance", [0, end / 2, end], labelExpr=PERCENT)
    notes = ["percentage of pairs of agents that two methods order differently, a tie as half"]
    return _matrix("How much methods differ", notes, methods, values, color)


def _cell(row: int, column: int, tooltip: str, text: str, strong: bool) -> Spec:
    """A cell with its number, and whether its color is so strong that the number has the color of the paper."""
    return {"row": row, "column": column, "tooltip": tooltip, "text": text, "strong": strong}


def _color(field: str, scale: Mapping[str, Any], title: str, stops: Sequence[float], **text: Any) -> Spec:
    """The color of cells, with a legend of squares below the matrix, which unlike a gradient needs no SVG identifier."""
    legend = {
        "title": title,
        "orient": "bottom",
        "direction": "horizontal",
        "type": "symbol",
        "symbolType": "square",
        "symbolStrokeWidth": 0,
        "symbolSize": 180,
        "values": list(stops),
        **text,
    }
    return {"field": field, "type": "quantitative", "scale": {**scale, "interpolate": "rgb"}, "legend": legend}


def _matrix(
    title: str,
    subtitles: Sequence[str],
    agents: Sequence[str],
    values: Sequence[Spec],
    color: Spec,
    between: str = "and",
) -> Spec:
    """A square matrix: names at both sides, the diagonal, and colored cells, those that are `open` pale and hatched.

    Hovering over a cell shows both names, joined by the word `between`, and its tooltip.
    """
    n, labels = len(agents), names(agents)
    step, unused = (36, ["open"]) if n <= ROOMY else (18, ["open", "text", "strong"])  # pixels between rows
    area, no_legend = (step - 2) ** 2, {key: one for key, one in color.items() if key != "legend"}
    sure: list[Spec] = []
    unsure: list[Spec] = []
    hovered_names = [short(name, HOVERED) for name in agents]
    for cell in values:
        pair = f" {between} ".join(hovered_names[cell[name]] for name in ("row", "column"))
        kept = {key: one for key, one in cell.items() if key not in unused}
        side = unsure if cell.get("open") else sure
        side.append({**kept, "tooltip": f"{pair}: {cell['tooltip']}"})
    hatched = [{"row": cell["row"], "column": cell["column"]} for cell in unsure]
    at = rows_down(n, x=place("column", n))
    hovered = {**at, **channels(tooltip="tooltip")}
    above = channels(x=place("row", n), y=-8, text="label", tooltip="agent")
    weak, strong = ([cell for cell in (*sure, *unsure) if cell.get("strong") is dark] for dark in (False, True))
    written = {**hovered, **channels(text="text")}
    figures = [texts(weak, "figure", written, "center"), texts(strong, "figure-inverse", written, "center")]
    return picture(
        title,
        *subtitles,
        width=step * n,
        height=step * n,
        layer=[
            row_labels(labels),
            texts(labels, "label", above, angle=-60, limit=200),
            layer("square", "band", labels, rows_down(n, x=place("row", n)), size=area),
            layer("square", "mark", sure, {**hovered, "color": color}, size=area),
            layer("point", "hatch", hatched, at, shape=HATCH, size=(step - 3) ** 2),
            layer("square", "mark-pale", unsure, {**hovered, "color": no_legend}, size=area),
            *figures[: 2 * (n <= ROOMY)],
        ],
    )
