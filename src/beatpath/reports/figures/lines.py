"""Figures with one line per agent: methods side by side, strengths over time, performance profiles, mixtures."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import floor, log10
from typing import Any

from beatpath._text import counted, percent
from beatpath.reports.drawing.scales import PERCENT, rounded, tick_step
from beatpath.reports.figures.common import (
    COLORED,
    MOST,
    Grid,
    Spec,
    channels,
    color_by_row,
    layer,
    measured,
    names,
    number,
    part_of,
    picture,
    row_labels,
    rows_down,
    short,
    texts,
    whole,
)

# Height of a row and width of a column, in pixels.
STEP = 20
COLUMN = 74
BY_ITSELF = "interval of each point by itself"  # what a band is that is not simultaneous
FAN = 34  # pixels in which lines fan out from a shared position to their labels


def bump(
    agents: Sequence[str],
    methods: Sequence[str],
    ranks: Grid,
    *,
    marked: Iterable[str] = (),
    most: int | None = MOST,
    title: str = "Methods side by side",
) -> Spec:
    """Return a bump chart: the rank of each agent by each method, or in each of an ordered list of contexts.

    Parameters
    ----------
    agents : sequence of str
        Best first; the order selects who is drawn.
    methods : sequence of str
        Names of the methods, or of the contexts, such as seasons.
    ranks : (n, k)
        Rank of each agent by each method; tied agents have equal ranks.
    marked : iterable of str
        Agents to draw in color; hovering highlights the line of any other.
    most : int or None
        Maximum number of agents drawn, the first ones, positioned by their order among themselves.
    title : str
        The title.

    Examples
    --------
    >>> spec = bump(["ada", "bob"], ["borda", "copeland"], [[1, 1], [2, 1]])
    >>> spec["title"]["subtitle"]
    ['bar: agents that a method ties']
    """
    plotted = list(agents)[:most]
    n, k, labels = len(plotted), len(methods), names(plotted)
    columns = [[ranks[i][j] for i in range(n)] for j in range(k)]
    tied = [Counter(ranks[i][j] for i in range(len(agents))) for j in range(k)]
    points = [
        {
            "row": i,
            "x": j * COLUMN,
            "y": STEP * (place + 0.5),
            "tooltip": f"{labels[i]['agent']}: {_place_text(columns[j][i], methods[j], tied[j][columns[j][i]] - 1)}",
        }
        for j in range(k)
        for i, place in enumerate(positions(columns[j]))
    ]
    ends = [_ends(labels, columns[j], j * COLUMN, side) for j, side in ((0, -1), (k - 1, 1))] if k else []
    colors = {name: c for c, name in enumerate(dict.fromkeys(marked))}
    color_of = {i: colors[name] for i, name in enumerate(plotted) if name in colors}
    heads = [{"x": j * COLUMN, "label": short(method), "method": method} for j, method in enumerate(methods)]
    end = channels(x="x", y="y", text="label", tooltip="agent")
    head = channels(x="x", y=-6, text="label", tooltip="method")
    select = {"type": "point", "on": "pointerover", "clear": "pointerout", "fields": ["row"]}  # highlights a line
    dots = layer("circle", "dot", points, channels(x="x", y="y", tooltip="tooltip"), size=36)
    return picture(
        title,
        "bar: agents that a method ties" if any(len(set(one)) < n for one in columns) else "",
        part_of(n, len(agents), which=", ranked among themselves"),
        width=COLUMN * max(k - 1, 0),
        height=STEP * n,
        layer=[
            _tie_marks(columns),
            *_bump_lines([*points, *(one for side in ends for one in side)], color_of),
            {**dots, "params": [{"name": "over", "select": select}]},
            *(
                texts(some, "label", end, align, dx=dx, limit=200)
                for some, align, dx in zip(ends, ("right", "left"), (-6, 6), strict=False)
            ),
            texts(heads, "label", head, angle=-35, limit=200),
        ],
    )


def positions(ranks: Sequence[float]) -> list[float]:
    """Return the position of each agent, counted from 0; tied agents share the middle of the places they occupy.

    >>> positions([1, 5, 5, 9])
    [0.0, 1.5, 1.5, 3.0]
    """
    return [sum(r < own for r in ranks) + (sum(r == own for r in ranks) - 1) / 2 for own in ranks]


def _place_text(rank: float, method: str, tied: int) -> str:
    """The rank, and how many others share it.

    >>> _place_text(2, "borda", 0), _place_text(1, "copeland", 1)
    ('rank 2 by borda', 'rank 1 by copeland, tied with 1 agent')
    """
    text = f"rank {rank:g} by {short(method)}"
    return f"{text}, tied with {counted(tied, 'agent')}" if tied else text


def _ends(labels: Sequence[Spec], ranks: Sequence[float], x: int, side: int) -> list[Spec]:
    """A separate place for every label, next to the position that its agent may share."""
    order = sorted(range(len(ranks)), key=lambda i: (ranks[i], i))
    return [{**labels[i], "x": x + side * FAN, "y": STEP * (slot + 0.5)} for slot, i in enumerate(order)]


def _tie_marks(columns: Sequence[Sequence[float]]) -> Spec:
    """A bar over the places that tied agents occupy."""
    values = [
        {"x": j * COLUMN, "y": STEP * (middle - (size - 1) / 2 + 0.5), "end": STEP * (middle + size / 2)}
        for j, ranks in enumerate(columns)
        for middle, size in sorted(Counter(positions(ranks)).items())
        if size > 1
    ]
    return layer("rule", "grid", values, channels(x="x", y="y", y2="end"), strokeWidth=9, strokeCap="round")


def _bump_lines(points: Sequence[Spec], color_of: dict[int, int]) -> list[Spec]:
    """Gray lines, with colored ones on top."""
    bare = [{"row": p["row"], "x": p["x"], "y": p["y"]} for p in sorted(points, key=lambda p: (p["row"], p["x"]))]
    encoding = channels(x="x", y="y", detail="row", order="x")
    over = {"condition": {"param": "over", "empty": False, "value": 3}, "value": 1}
    quiet = [p for p in bare if p["row"] not in color_of]
    bright = [{**p, "color": color_of[p["row"]]} for p in bare if p["row"] in color_of]
    scale = {"domain": sorted(color_of.values()), "range": "category"}
    color = {"field": "color", "type": "ordinal", "scale": scale, "legend": None}
    return [
        layer("line", "line", quiet, {**encoding, "strokeWidth": over}),
        layer("line", "bright", bright, {**encoding, "color": color}),
    ]


WIDTH, HEIGHT = 400, 280  # size of a figure in pixels
YEAR = 31_556_952.0  # seconds
YEARS = "year"  # an axis whose numbers have no thousands separator
DATED = 1e8  # seconds since 1970: times whose last is later than this, in 1973, are taken for dates
Point = tuple[float, float, float, float]  # position, value, and the ends of the interval


def strength_curves(
    agents: Sequence[str], points: Sequence[Sequence[Point]], *, confidence: str = "95 %", most: int = COLORED
) -> Spec:
    """Return one line per agent over time, with a confidence band; times that are dates are shown as years.

    Parameters
    ----------
    agents : sequence of str
        Strongest first; the order selects who is drawn.
    points : sequence of (time, strength, low, high), one per agent
        The curves.
    confidence : str
        Confidence level of the bands, as text before the word interval.
    most : int
        Maximum number of agents drawn, the first ones.

    Examples
    --------
    >>> spec = strength_curves(["ada"], [[(0.0, 0.1, -0.4, 0.6), (2.0, 0.5, 0.1, 0.9)]])
    >>> spec["layer"][1]["data"]["values"][1], spec["layer"][1]["encoding"]["y"]["scale"]["domain"]
    ({'row': 0, 'x': 2.0, 'y': 0.5, 'low': 0.1, 'high': 0.9}, [-0.4, 1.0])
    """
    plotted = points[:most]
    dated = max((one[0] for curve in plotted for one in curve), default=0.0) > DATED
    curves = [[(1970 + t / YEAR if dated else t, x, low, high) for t, x, low, high in curve] for curve in plotted]
    lows, highs = ([one[k] for curve in curves for one in curve] for k in (2, 3))
    y = axis("strength in log odds", rounded(min(lows, default=0.0), max(highs, default=1.0), 5))
    return _named_lines(
        "Strengths over time", agents, curves, YEARS if dated else "time", y, f"{confidence} {BY_ITSELF}"
    )


def performance_profiles(
    agents: Sequence[str],
    tau: Sequence[float],
    share: Grid,
    low: Grid,
    high: Grid,
    *,
    confidence: str = "95 %",
    most: int = COLORED,
) -> Spec:
    """Return performance profiles: one line per agent over the values, with a confidence band.

    Parameters
    ----------
    agents : sequence of str
        Best first; the order selects who is drawn.
    tau : (k,)
        The values.
    share, low, high : (n, k)
        Share of an agent's runs above each value, and the ends of its interval.
    confidence : str
        Confidence level of the bands, as text before the word interval.
    most : int
        Maximum number of agents drawn, the first ones.

    Examples
    --------
    >>> spec = performance_profiles(["ada"], [0.0, 1.0], [[1.0, 0.5]], [[0.9, 0.4]], [[1.0, 0.6]])
    >>> spec["layer"][1]["data"]["values"][1]
    {'row': 0, 'x': 1.0, 'y': 0.5, 'low': 0.4, 'high': 0.6}
    """
    points = [list(zip(tau, share[i], low[i], high[i], strict=True)) for i in range(min(len(agents), most))]
    y = axis("share of runs above it", [0, 1])
    return _named_lines("Share of runs above a score", agents, points, "score", y, f"{confidence} {BY_ITSELF}")


def pass_curves(
    curves: Mapping[str, Sequence[Sequence[float]]], *, confidence: str = "95 %", most: int = COLORED
) -> Spec:
    """Return pass@k and pass^k over the number of samples, with simultaneous bands.

    Parameters
    ----------
    curves : mapping of str to sequence of (share, low, high)
        By label, for 1 to k samples.
    confidence : str
        Confidence level of the bands, as text before the word interval.
    most : int
        Maximum number of curves drawn, the first ones.

    Examples
    --------
    >>> pass_curves({"ada pass@k": [(0.5, 0.4, 0.6), (0.7, 0.6, 0.8)]})["title"]["subtitle"]
    ['band: simultaneous 95 % interval']
    """
    points = [[(k, one[0], one[1], one[2]) for k, one in enumerate(curve, 1)] for curve in list(curves.values())[:most]]
    y = axis("share of items", [0, 1])
    title, band = "Solved at least once (pass@k) and always (pass^k)", f"simultaneous {confidence} interval"
    return _named_lines(title, list(curves), points, "samples", y, band)


def _named_lines(
    title: str, agents: Sequence[str], points: Sequence[Sequence[Point]], across: str, y: Spec, band: str
) -> Spec:
    """Lines with bands of the agents that have points, labeled next to them; `across` is the horizontal axis."""
    n = len(points)
    flat = [
        {"row": i, **{name: float(value) for name, value in zip(("x", "y", "low", "high"), one, strict=True)}}
        for i, curve in enumerate(points)
        for one in curve
    ]
    ends = [{**end, "place": 12 + 18 * end["row"]} for end in names(agents[:n])]
    first, last = (end((one["x"] for one in flat), default=0.0) for end in (min, max))
    x = axis(across, [first, last] if first < last else [first - 1, first + 1])
    text = channels(x=WIDTH + 12, y="place", text="label", tooltip="agent", color=color_by_row(n))
    return picture(
        title,
        f"band: {band}",
        part_of(n, len(agents)),
        width=WIDTH,
        height=HEIGHT,
        layer=[*_banded(flat, x, y, n, 0.18), texts(ends, "label", text, limit=150)],
    )


def _banded(points: Sequence[Spec], x: Spec, y: Spec, n: int, opacity: float, **more: Any) -> list[Spec]:
    """A band and a line over it for every row of the points, which have ``x``, ``y``, ``low`` and ``high``."""
    line = channels(x={**x, "field": "x"}, y={**y, "field": "y"}, color=color_by_row(n))
    area = {**line, **channels(y={**y, "field": "low"}, y2="high")}
    return [
        layer("area", "bright", points, area, opacity=opacity),
        layer("line", "bright", points, {**line, **channels(**more)}),
    ]


def axis(title: str, domain: Sequence[float], **more: Any) -> Spec:
    """Return a numeric axis between two ends, its labels with the decimals that its ticks need."""
    places = max(0, -floor(log10(tick_step(domain[0], domain[1], 6)) + 1e-9))
    form = f".{places}f" if title == YEARS else f",.{places}f"
    return measured("", domain, {"title": title, "tickCount": 6, "format": form, **more}, zero=False, nice=False)


MIX_WIDTH, MIX_HEIGHT = 300, 220  # size of the curves over a mixture, in pixels
ROW, BELOW = 30, 60  # strips under the curves: height including the name, and distance below
CELL, GAP, BAR = 11, 14, 130  # width of a step of a strip, gap between strips, and width of the bars, in pixels


def first_by_mixture(
    agents: Sequence[str],
    share: Sequence[float],
    score: Sequence[Sequence[float]],
    low: Sequence[Sequence[float]],
    high: Sequence[Sequence[float]],
    highest: Sequence[tuple[float, float, str]],
    may_be_first: Sequence[Sequence[str]],
    *,
    way: str,
    in_percent: bool = True,
    band: str = "95 % interval of each score by itself",
    most: int = COLORED,
) -> Spec:
    """Return one line with a band per agent over the share of a context, and strips that show where it may be first.

    Parameters
    ----------
    agents : sequence of str
        The contenders; those who are first most often are drawn.
    share : (k,)
        Share of the context.
    score, low, high : (k, n)
        Scores by share and agent, and the ends of their intervals.
    highest : sequence of (float, float, str)
        Who has the highest score between two shares.
    may_be_first : (k,) of agents
        Who may be first at each share.
    way : str
        Label of the axis of shares.
    in_percent : bool
        Whether scores are shares, shown in percent.
    band : str
        What the bands show.
    most : int
        Maximum number of agents drawn.

    Examples
    --------
    >>> lines = [[0.4, 0.6], [0.6, 0.4]]
    >>> first, may = [(0.0, 0.5, "bob"), (0.5, 1.0, "ada")], [["bob"], ["ada"]]
    >>> spec = first_by_mixture(["ada", "bob"], [0.0, 1.0], lines, lines, lines, first, may, way="share of code")
    >>> [one["row"] for one in spec["layer"][2]["data"]["values"]], spec["title"]["subtitle"][0]
    ([0, 1], 'band: 95 % interval of each score by itself')
    """

    def often(j: int) -> tuple[float, ...]:
        here = agents[j]
        return (-sum(to - at for at, to, who in highest if who == here), -sum(here in one for one in may_be_first), j)

    plotted = sorted(range(len(agents)), key=often)[:most]
    text = percent if in_percent else "{:.3g}".format
    points: list[Spec] = [
        {
            "row": row,
            "x": float(t),
            "y": number(score[k][j]),
            "low": number(low[k][j]),
            "high": number(high[k][j]),
            "tooltip": f"{whole(agents[j])} at {percent(float(t))}: {text(float(score[k][j]))}",
        }
        for row, j in enumerate(plotted)
        for k, t in enumerate(share)
    ]
    values = [one[name] for one in points for name in ("y", "low", "high") if one[name] is not None]
    x = axis(way, [0, 1], labelExpr=PERCENT, tickCount=5, titleLimit=MIX_WIDTH, grid=False)
    ends = rounded(min(values, default=0.0), max(values, default=1.0), 5)
    y = axis("score", ends, tickCount=5, **({"labelExpr": PERCENT} if in_percent else {}))
    return picture(
        "Who is first as the mixture changes",
        f"band: {band}",
        "strips: full where the score is highest, pale where an agent may be first",
        part_of(len(plotted), len(agents), "contender"),
        width=MIX_WIDTH,
        height=MIX_HEIGHT,
        layer=[
            *_banded(points, x, y, len(plotted), 0.16, tooltip="tooltip"),
            *_strips([agents[j] for j in plotted], share, highest, may_be_first),
        ],
    )


def _strips(
    agents: Sequence[str],
    share: Sequence[float],
    highest: Sequence[tuple[float, float, str]],
    may: Sequence[Sequence[str]],
) -> list[Spec]:
    """Names with a strip below each: pale where the agent may be first, solid where its score is highest."""
    row = {agent: k for k, agent in enumerate(agents)}
    cuts = [0.0, *((a + b) / 2 for a, b in pairwise(share)), 1.0]
    open_to = [(cuts[k], cuts[k + 1], agent) for k, here in enumerate(may) for agent in here]
    top = {agent: MIX_HEIGHT + BELOW + ROW * k for agent, k in row.items()}
    labels = [{**label, "y": y} for label, y in zip(names(agents, 44), top.values(), strict=True)]

    def pieces(where: Sequence[tuple[float, float, str]]) -> list[Spec]:
        return [
            {
                "row": row[agent],
                "left": MIX_WIDTH * start,
                "right": MIX_WIDTH * end,
                "y": top[agent] + 8,
                "end": top[agent] + 18,
                "tooltip": f"{whole(agent)}: {percent(start)} to {percent(end)}",
            }
            for start, end, agent in where
            if agent in row
        ]

    color = color_by_row(len(agents))
    at = channels(x="left", x2="right", y="y", y2="end", color=color, tooltip="tooltip")
    named = channels(x=0, y="y", text="label", tooltip="agent", color=color)
    return [
        texts(labels, "label", named, limit=MIX_WIDTH),
        layer("rect", "bright", pieces(open_to), at, opacity=0.3, strokeWidth=0),
        layer("rect", "bright", pieces(highest), at, strokeWidth=0),
    ]


def first_over_mixtures(
    rows: Sequence[Mapping[str, Any]], ways: Sequence[Mapping[str, Any]], *, mixtures: int, most: int = MOST
) -> Spec:
    """Return one row per agent.

    A row has the share of mixtures in which the agent is first, and strips from equal weights to each context.

    Parameters
    ----------
    rows : sequence of mapping
        ``agent``, ``first`` and ``may_be_first``, shares of mixtures, in drawing order.
    ways : sequence of mapping
        ``context``, and ``highest`` and ``may_be_first``, the agents at every step toward it.
    mixtures : int
        Number of mixtures sampled.
    most : int
        Maximum number of agents drawn.

    Examples
    --------
    >>> way = {"context": "code", "highest": [["ada"], ["bob"]], "may_be_first": [["ada", "bob"], ["bob"]]}
    >>> spec = first_over_mixtures([{"agent": "ada", "first": 0.7, "may_be_first": 1.0}], [way], mixtures=10)
    >>> [one["step"] for one in spec["layer"][-1]["data"]["values"]]
    [0]
    """
    plotted = list(rows[:most])
    n, agents = len(plotted), [row["agent"] for row in plotted]
    left = [BAR + 56 + k * (CELL * len(ways[0]["highest"]) + GAP) for k in range(len(ways))]
    bars = [
        {
            "row": i,
            "first": BAR * row["first"],
            "may": BAR * row["may_be_first"],
            "zero": 0,
            "label": percent(row["first"]) if row["first"] else "0 %",
            "tooltip": f"{whole(row['agent'])}: highest score in {percent(row['first'])} of mixtures, may be first in "
            f"{percent(row['may_be_first'])}",
        }
        for i, row in enumerate(plotted)
    ]
    bar, cell = rows_down(n, x="zero", tooltip="tooltip"), rows_down(n, x="x", tooltip="tooltip")
    heads = [{**head, "x": x} for head, x in zip(names([way["context"] for way in ways], 18), left, strict=True)]
    head = channels(x="x", y=-10, text="label", tooltip="agent")
    evenly = f"{mixtures:,} mixtures drawn uniformly"
    over = [{"x": 0, "label": "of all mixtures", "agent": evenly}]
    return picture(
        "Who is first in which mixture",
        f"bars: share of {evenly}",
        "strips: from all contexts weighted equally, left, to one alone, right",
        "full where the score is highest, pale where an agent may be first",
        part_of(n, len(rows), "contender"),
        width=left[-1] + CELL * len(ways[0]["highest"]) if ways else BAR + 56,
        height=max(n, 1) * 22,
        layer=[
            row_labels(names(agents), n=n),
            layer("text", "label-quiet", over, head, align="left", baseline="bottom"),
            layer("text", "label-quiet", heads, head, align="left", baseline="bottom", angle=-35),
            layer("bar", "mark-pale", bars, {**bar, "x2": {"field": "may"}}, height=11),
            layer("bar", "mark", bars, {**bar, "x2": {"field": "first"}}, height=11),
            texts(bars, "figure-quiet", rows_down(n, x=BAR + 8, text="label")),
            layer("rect", "mark-pale", _cells(agents, ways, left, "may_be_first"), cell, width=CELL - 1, height=13),
            layer("rect", "mark", _cells(agents, ways, left, "highest"), cell, width=CELL - 1, height=13),
        ],
    )


def _cells(agents: Sequence[str], ways: Sequence[Mapping[str, Any]], left: Sequence[float], which: str) -> list[Spec]:
    word = "highest score" if which == "highest" else "may be first"
    return [
        {
            "row": i,
            "step": k,
            "x": x + CELL * (k + 0.5),
            "tooltip": f"{whole(agent)}, {percent(k / max(len(way[which]) - 1, 1))} of the way to {whole(way['context'])}: {word}",
        }
        for i, agent in enumerate(agents)
        for x, way in zip(left, ways, strict=True)
        for k in range(len(way[which]))
        if agent in way[which][k]
    ]
