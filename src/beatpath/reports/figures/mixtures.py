"""How first place depends on the mixture of contexts: curves between two, a table of ways and shares for more."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from beatpath._text import percent
from beatpath.reports.drawing.scales import PERCENT, rounded
from beatpath.reports.figures.common import (
    COLOURED,
    MOST,
    Spec,
    colour_by_row,
    layer,
    names,
    number,
    part_of,
    picture,
    pixel,
    place,
    row_labels,
    short,
    whole,
)

WIDTH, HEIGHT = 300, 220
ROW, BELOW = 30, 60  # of the strips under the curves: their height with the name, and how far below they begin
CELL, GAP, BAR = 11, 14, 130


def first_by_mixture(
    agents: Sequence[str],
    share: Sequence[float],
    score: Sequence[Sequence[float]],
    low: Sequence[Sequence[float]],
    high: Sequence[Sequence[float]],
    highest: Sequence[tuple[float, float, str]],
    may_be_first: Sequence[Sequence[str]],
    *,
    axis: str,
    in_percent: bool = True,
    band: str = "95 % interval of each score by itself",
    title: str = "Who is first as the mixture changes",
    most: int = COLOURED,
) -> Spec:
    """Return a line with a band an agent over the share of a context, and below it a strip: where it may be first.

    Parameters
    ----------
    agents : sequence of str
        The contenders; those who are first most often are drawn.
    share : (k,)
        Of the context.
    score, low, high : (k, n)
        By share and agent, and the ends of intervals.
    highest : sequence of (float, float, str)
        Who has the highest score from which share to which.
    may_be_first : (k,) of agents
        Who may be first at each share.
    axis : str
        What the share is one of.
    in_percent : bool
        Whether scores are shares, which people read in per cent.
    band : str
        What the bands are.
    title : str
    most : int
        At most so many agents are drawn.

    Examples
    --------
    >>> lines = [[0.4, 0.6], [0.6, 0.4]]
    >>> first, may = [(0.0, 0.5, "bob"), (0.5, 1.0, "ada")], [["bob"], ["ada"]]
    >>> spec = first_by_mixture(["ada", "bob"], [0.0, 1.0], lines, lines, lines, first, may, axis="share of code")
    >>> [one["row"] for one in spec["layer"][2]["data"]["values"]], spec["title"]["subtitle"][0]
    ([0, 1], 'band: 95 % interval of each score by itself')
    """

    def often(j: int) -> tuple[float, ...]:
        here = agents[j]
        return (-sum(to - at for at, to, who in highest if who == here), -sum(here in one for one in may_be_first), j)

    kept = sorted(range(len(agents)), key=often)[:most]
    points = [
        {
            "row": row,
            "share": float(t),
            "score": number(score[k][j]),
            "low": number(low[k][j]),
            "high": number(high[k][j]),
            "said": f"{whole(agents[j])} at {percent(float(t))}: {_score_said(score[k][j], in_percent)}",
        }
        for row, j in enumerate(kept)
        for k, t in enumerate(share)
    ]
    x = {"field": "share", "type": "quantitative", "scale": {"domain": [0, 1], "nice": False}}
    x["axis"] = {"title": axis, "labelExpr": PERCENT, "tickCount": 5, "titleLimit": WIDTH, "grid": False}
    ends = {"labelExpr": PERCENT} if in_percent else {}
    given = (number(one[k][j]) for one in (score, low, high) for k in range(len(share)) for j in kept)
    seen = [value for value in given if value is not None]
    scale = {"domain": rounded(min(seen, default=0.0), max(seen, default=1.0), 5), "zero": False, "nice": False}
    y = {"type": "quantitative", "scale": scale, "axis": {"title": "score", "tickCount": 5, **ends}}
    line = {"x": x, "y": {**y, "field": "score"}, "color": colour_by_row(len(kept)), "tooltip": {"field": "said"}}
    area = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour_by_row(len(kept))}
    strips = _strips([agents[j] for j in kept], share, highest, may_be_first)
    return picture(
        title,
        f"band: {band}",
        "strips: full where the score is highest, pale where an agent may be first",
        part_of(len(kept), len(agents), "contender"),
        width=WIDTH,
        height=HEIGHT,
        layer=[
            layer("area", "bright", points, area, opacity=0.16),
            layer("line", "bright", points, line),
            *strips,
        ],
    )


def _strips(
    agents: Sequence[str],
    share: Sequence[float],
    highest: Sequence[tuple[float, float, str]],
    may: Sequence[Sequence[str]],
) -> list[Spec]:
    """Names, and a strip below each: pale where it may be first, full where its score is highest."""
    row = {agent: k for k, agent in enumerate(agents)}
    cuts = [0.0, *((a + b) / 2 for a, b in pairwise(share)), 1.0]
    open_to = [(cuts[k], cuts[k + 1], agent) for k, here in enumerate(may) for agent in here]
    labels = [
        {"row": k, "y": HEIGHT + BELOW + ROW * k, "label": short(agent, 44), "agent": whole(agent)}
        for agent, k in row.items()
    ]

    def pieces(where: Sequence[tuple[float, float, str]]) -> list[Spec]:
        return [
            {
                "row": row[agent],
                "left": WIDTH * start,
                "right": WIDTH * end,
                "y": HEIGHT + BELOW + ROW * row[agent] + 8,
                "end": HEIGHT + BELOW + ROW * row[agent] + 18,
                "said": f"{whole(agent)}: {percent(start)} to {percent(end)}",
            }
            for start, end, agent in where
            if agent in row
        ]

    colour = colour_by_row(len(agents))
    at = {"x": pixel("left"), "x2": {"field": "right"}, "y": pixel("y"), "y2": {"field": "end"}}
    at |= {"color": colour, "tooltip": {"field": "said"}}
    named = {"x": {"value": 0}, "y": pixel("y"), "text": {"field": "label"}, "tooltip": {"field": "agent"}}
    return [
        layer("text", "label", labels, {**named, "color": colour}, align="left", baseline="middle", limit=WIDTH),
        layer("rect", "bright", pieces(open_to), at, opacity=0.3, strokeWidth=0),
        layer("rect", "bright", pieces(highest), at, strokeWidth=0),
    ]


def _score_said(value: float, in_percent: bool) -> str:
    return percent(float(value)) if in_percent else f"{float(value):.3g}"


def first_over_mixtures(
    rows: Sequence[Mapping[str, Any]],
    ways: Sequence[Mapping[str, Any]],
    *,
    mixtures: int,
    title: str = "Who is first in which mixture",
    most: int = MOST,
) -> Spec:
    """Return a row an agent: in how many mixtures it is first, and a strip for every context, from all alike to that context alone.

    Parameters
    ----------
    rows : sequence of mapping
        ``agent``, ``first`` and ``may_be_first``, shares of mixtures, in the order to draw.
    ways : sequence of mapping
        ``context``, and ``highest`` and ``may_be_first``, agents at every step of the way to it.
    mixtures : int
        How many were drawn.
    title : str
    most : int
        At most so many agents are drawn.

    Examples
    --------
    >>> way = {"context": "code", "highest": [["ada"], ["bob"]], "may_be_first": [["ada", "bob"], ["bob"]]}
    >>> spec = first_over_mixtures([{"agent": "ada", "first": 0.7, "may_be_first": 1.0}], [way], mixtures=10)
    >>> [one["step"] for one in spec["layer"][-1]["data"]["values"]]
    [0]
    """
    kept = list(rows[:most])
    n, agents = len(kept), [row["agent"] for row in kept]
    labels = names(agents)
    left = [BAR + 56 + k * (CELL * len(ways[0]["highest"]) + GAP) for k in range(len(ways))]
    bars = [
        {
            "row": i,
            "first": BAR * row["first"],
            "may": BAR * row["may_be_first"],
            "zero": 0,
            "label": percent(row["first"]) if row["first"] else "0 %",
            "said": f"{whole(row['agent'])}: highest score in {percent(row['first'])} of mixtures, may be first in "
            f"{percent(row['may_be_first'])}",
        }
        for i, row in enumerate(kept)
    ]
    y = place("row", n, down=True)
    bar = {"y": y, "x": pixel("zero"), "tooltip": {"field": "said"}}
    texts = {"y": y, "x": {"value": BAR + 8}, "text": {"field": "label"}}
    heads = [
        {"x": x, "text": short(way["context"], 18), "agent": whole(way["context"])}
        for x, way in zip(left, ways, strict=True)
    ]
    head = {"x": pixel("x"), "y": {"value": -10}, "text": {"field": "text"}, "tooltip": {"field": "agent"}}
    over = [{"x": 0, "text": "of all mixtures", "agent": f"{mixtures:,} mixtures drawn evenly from all there are"}]
    return picture(
        title,
        f"bars: share of {mixtures:,} mixtures drawn evenly from all there are",
        "strips: from all contexts alike, left, to one alone, right",
        "full where the score is highest, pale where an agent may be first",
        part_of(n, len(rows), "contender"),
        width=left[-1] + CELL * len(ways[0]["highest"]) if ways else BAR + 56,
        height=max(n, 1) * 22,
        layer=[
            row_labels(labels, n=n),
            layer("text", "label-quiet", over, head, align="left", baseline="bottom"),
            layer("text", "label-quiet", heads, head, align="left", baseline="bottom", angle=-35),
            layer("bar", "mark-pale", bars, {**bar, "x2": {"field": "may"}}, height=11),
            layer("bar", "mark", bars, {**bar, "x2": {"field": "first"}}, height=11),
            layer("text", "figure-quiet", bars, texts, align="left", baseline="middle"),
            layer("rect", "mark-pale", _cells(agents, ways, left, "may_be_first"), _cell(y), width=CELL - 1, height=13),
            layer("rect", "mark", _cells(agents, ways, left, "highest"), _cell(y), width=CELL - 1, height=13),
        ],
    )


def _cell(y: Spec) -> Spec:
    return {"y": y, "x": pixel("x"), "tooltip": {"field": "said"}}


def _cells(agents: Sequence[str], ways: Sequence[Mapping[str, Any]], left: Sequence[float], which: str) -> list[Spec]:
    word = "highest score" if which == "highest" else "may be first"
    return [
        {
            "row": i,
            "step": k,
            "x": x + CELL * (k + 0.5),
            "said": f"{whole(agent)}, {percent(k / max(len(way[which]) - 1, 1))} of the way to {whole(way['context'])}: {word}",
        }
        for i, agent in enumerate(agents)
        for x, way in zip(left, ways, strict=True)
        for k in range(len(way[which]))
        if agent in way[which][k]
    ]
