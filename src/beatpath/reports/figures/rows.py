"""Figures with one row per agent or judge: rank sets, groups not significantly different, core membership, judges."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from beatpath._text import counted, percent
from beatpath.reports.figures.common import (
    MOST,
    Spec,
    channels,
    layer,
    measured,
    names,
    number,
    part_of,
    picture,
    place,
    row_labels,
    rows_down,
    short,
    texts,
    whole,
)

# Height of a row and width of the scale, in pixels.
RANK_STEP = 22
RANK_WIDTH = 340


def rank_intervals(rows: Sequence[Mapping[str, Any]], *, confidence: str = "95 %", most: int | None = MOST) -> Spec:
    """Return one row per agent: its rank set on a common scale.

    Parameters
    ----------
    rows : sequence of mapping
        In drawing order: ``agent``, ``rank`` (0 for none), ``best``, ``worst``, and ``group``, equal for agents of a
        tie group (0 for none); maybe ``may_be_first``, and ``part``, the connected component.
    confidence : str
        Confidence level of the rank sets, as text before the word confidence.
    most : int or None
        Maximum number of agents drawn, the first ones.

    Examples
    --------
    >>> rows = [{"agent": name, "rank": r, "best": 1, "worst": 2, "group": 1} for r, name in ((1, "ada"), (2, "bob"))]
    >>> rank_intervals(rows)["layer"][-2]["data"]["values"][0]["tooltip"]
    'ada: rank 1, between 1 and 2 at 95 % confidence'
    """
    plotted = rows[:most]
    n = len(plotted)
    labels = names([row["agent"] for row in plotted])
    values = [
        {name: int(row[name]) for name in ("rank", "best", "worst")}
        | {"row": label["row"], "tooltip": f"{label['agent']}: {_range_text(row, confidence)}"}
        | {"first": bool(row.get("may_be_first"))}
        for row, label in zip(plotted, labels, strict=True)
    ]
    bands = _bands(plotted)
    return picture(
        _who_is_first(rows),
        f"bar: possible ranks at {confidence} confidence; tick: rank by score",
        "band: a tie group, within which the order is not certain" if bands["data"]["values"] else "",
        part_of(n, len(rows)),
        width=RANK_WIDTH,
        height=RANK_STEP * n,
        layer=[bands, *_rank_bars(values), row_labels(labels)],
    )


def _who_is_first(rows: Sequence[Mapping[str, Any]]) -> str:
    """The finding on first place, as a title."""
    first = [row["agent"] for row in rows if row.get("may_be_first")]
    if not first or len({row.get("part") for row in rows}) > 1:
        return "Rank sets"
    return (
        f"{short(first[0])} is certainly first" if len(first) == 1 else f"{len(first):,} of {len(rows):,} may be first"
    )


def _range_text(row: Mapping[str, Any], confidence: str) -> str:
    """The rank and its range.

    >>> _range_text({"rank": 2, "best": 2, "worst": 2}, "90 %")
    'rank 2, the only possible rank at 90 % confidence'
    """
    rank = f"rank {row['rank']:g}" if row["rank"] else "no score"
    if row["best"] == row["worst"]:
        return f"{rank}, the only possible rank at {confidence} confidence"
    return f"{rank}, between {row['best']:g} and {row['worst']:g} at {confidence} confidence"


def _bands(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """A band behind each run of rows of one tie group; none behind all rows, which would set nobody apart."""
    runs = [list(run) for _, run in groupby(range(len(rows)), key=lambda i: rows[i]["group"])]
    values = [
        {"top": run[0] - 0.46, "end": run[-1] + 0.46}
        for run in runs
        if 1 < len(run) < len(rows) and rows[run[0]]["group"]
    ]
    encoding = rows_down(len(rows), "top", y2="end", x=-4, x2=RANK_WIDTH + 8)
    return layer("rect", "band", values, encoding, cornerRadius=4)


def _rank_bars(values: Sequence[Spec]) -> list[Spec]:
    n = len(values)
    last = max((value["worst"] for value in values), default=1)
    axis = {"orient": "top", "title": "rank", "format": "d", "values": ticks(last), "grid": False}
    x = measured("best", [1, max(last, 2)], axis, nice=False, zero=False, padding=10)
    wide = [value for value in values if value["best"] != value["worst"]]
    sure = [value for value in values if value["best"] == value["worst"]]
    scored = [value for value in values if value["rank"]]
    dot, bar = rows_down(n, x=x, tooltip="tooltip"), rows_down(n, x=x, x2="worst", tooltip="tooltip")
    tick = rows_down(n, x={**x, "field": "rank"}, tooltip="tooltip")
    others, first = ([value for value in wide if value["first"] is is_first] for is_first in (False, True))
    return [
        layer("rule", "grid", [{"best": rank} for rank in ticks(last)], channels(x=x, y=0, y2=RANK_STEP * n)),
        layer("rule", "mark-pale", others, bar, strokeWidth=9, strokeCap="round"),
        layer("rule", "mark", first, bar, strokeWidth=9, strokeCap="round"),
        layer("circle", "mark", sure, dot, size=90),
        layer("rect", "point", scored, tick, width=2, height=14),
    ]


def ticks(last: int) -> list[int]:
    """Return the ranks to label: the first, the last, and round ones between that do not collide.

    >>> ticks(3), ticks(12), ticks(40)
    ([1, 2, 3], [1, 5, 10, 12], [1, 10, 20, 30, 40])
    """
    if last <= 10:
        return list(range(1, last + 1))
    gap = next(g for g in (5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if last <= 6 * g)
    return [1, *(rank for rank in range(gap, last, gap) if last - rank > 0.3 * gap), last]


MOST_IN_LINE = 130  # agents drawn by default
# Heights of a row, normal and for many agents; distance between bars; agents that a bar names on hover.
LINE_STEP = 18
CLOSE = 14
BAR_STEP = 14
NAMED = 6


def cliques(
    agents: Sequence[str], bars: Sequence[Sequence[int]], *, confidence: str = "95 %", most: int = MOST_IN_LINE
) -> Spec:
    """Return one row per agent, best first, and bars next to them: agents that share no bar certainly differ.

    A dot marks an agent on a bar. A bar may skip an agent whose score is more precise than its neighbors'.

    Parameters
    ----------
    agents : sequence of str
        Best first.
    bars : sequence of sequences of int
        Indices of the agents of every bar.
    confidence : str
        Simultaneous confidence level of all certain orders, as text before the word confidence.
    most : int
        Maximum number of agents drawn, the first ones.

    Examples
    --------
    >>> spec = cliques(["ada", "bob", "cyd"], [[0, 1], [1, 2]])
    >>> [value["tooltip"] for value in spec["layer"][1]["data"]["values"]]
    ['not separated: ada, bob', 'not separated: bob, cyd']
    """
    n = min(len(agents), most)
    plotted = _within([[i for i in bar if i < n] for bar in bars])
    column, columns = _columns(plotted)
    values = [
        {"column": at, "top": bar[0], "end": bar[-1], "tooltip": _bar_text([agents[i] for i in bar])}
        for bar, at in zip(plotted, column, strict=True)
    ]
    dots = [{**value, "top": i} for value, bar in zip(values, plotted, strict=True) for i in bar]
    at = rows_down(n, "top", x=place("column", max(columns, 1)), tooltip="tooltip")
    return picture(
        "Agents that the data do not separate",
        f"two agents without a dot on one bar certainly differ (simultaneous {confidence} confidence)",
        "an agent without a dot on a bar is not part of it",
        part_of(n, len(agents)),
        width=BAR_STEP * max(columns, 1),
        height=(LINE_STEP if n <= 40 else CLOSE) * n,
        layer=[
            layer("rule", "grid", [{"row": i} for i in range(n)], rows_down(n, x=-4, x2={"value": "width"})),
            layer("rule", "mark-pale", values, {**at, **channels(y2="end")}, strokeWidth=5, strokeCap="round"),
            layer("circle", "mark", dots, at, size=42),
            row_labels(names(agents[:n])),
        ],
    )


def _within(bars: Sequence[Sequence[int]]) -> list[list[int]]:
    """The bars that are not contained in another, each once.

    >>> _within([[0, 1], [1], [], [0, 1], [2]])
    [[0, 1], [2]]
    """
    sets = [frozenset(bar) for bar in bars]
    once = [some for k, some in enumerate(sets) if some and some not in sets[:k]]
    return [sorted(some) for some in once if not any(some < other for other in once)]


def _columns(bars: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """The column of every bar, the first that is free at its top, and the number of columns.

    >>> _columns([[0, 1], [1, 2], [2, 3]])
    ([0, 1, 0], 2)
    """
    ends: list[int] = []
    columns = []
    for bar in bars:
        free = next((k for k, end in enumerate(ends) if end < bar[0]), len(ends))
        ends[free : free + 1] = [bar[-1]]
        columns.append(free)
    return columns, len(ends)


def _bar_text(agents: Sequence[str]) -> str:
    """The agents on a bar."""
    if len(agents) == 1:
        return f"{whole(agents[0])} is separated from every other agent"
    more = len(agents) - NAMED
    rest = f" and {counted(more, 'more agent')}" if more > 0 else ""
    return f"not separated: {', '.join(map(whole, agents[:NAMED]))}{rest}"


# Height of a row and width of the scale, in pixels.
CORE_STEP = 22
CORE_WIDTH = 300
PROBABILITY = "probability of being in the top cycle"
# What is drawn of an agent: its key, what it is, and the symbol and style of its points.
KINDS = (
    ("probability", PROBABILITY, "circle", "mark"),
    ("top_cycle", "soft top cycle score", "diamond", "mark-contrast"),
    ("uncovered_set", "soft uncovered set score", "triangle-up", "point"),
)


def membership(rows: Sequence[Mapping[str, Any]], *, most: int | None = MOST) -> Spec:
    """Return one row per agent: the probability that it belongs to the core, and its soft scores.

    Parameters
    ----------
    rows : sequence of mapping
        In drawing order: ``agent``, ``probability``, ``top_cycle``, ``uncovered_set``, each from 0 to 1 or None, and
        ``member``, whether the agent is in the top cycle by majority.
    most : int or None
        Maximum number of agents drawn, the first ones.

    Examples
    --------
    >>> row = {"agent": "ada", "probability": 0.9, "top_cycle": 0.7, "uncovered_set": None, "member": True}
    >>> membership([row])["layer"][3]["data"]["values"][0]["tooltip"]
    'ada: in the core by majority; probability of being in the top cycle 90.0 %; soft top cycle score 0.700'
    """
    plotted = rows[:most]
    n, labels = len(plotted), names([row["agent"] for row in plotted])
    tooltips = [f"{label['agent']}: {_membership_text(row)}" for label, row in zip(labels, plotted, strict=True)]
    axis = {"orient": "top", "title": None, "values": [0, 0.2, 0.4, 0.6, 0.8, 1], "format": ".1f"}
    at = rows_down(n, x=measured("value", [0, 1], axis), tooltip="tooltip")
    points = {
        key: [
            {"row": i, "value": value, "zero": 0, "tooltip": tooltips[i]}
            for i, row in enumerate(plotted)
            if (value := number(row.get(key))) is not None
        ]
        for key, *_ in KINDS
    }
    return picture(
        "Who belongs to the core",
        "; ".join(f"{shape.removesuffix('-up')}: {what}" for key, what, shape, _ in KINDS if points[key]),
        "dark names: in the core by majority",
        part_of(n, len(rows)),
        width=CORE_WIDTH,
        height=CORE_STEP * n,
        layer=[
            *_inked_labels(labels, [row["member"] for row in plotted]),
            layer("rule", "mark-pale", points["probability"], {**at, **channels(x2="zero")}, strokeWidth=6),
            *(
                layer("point", style, points[key], at, shape=shape, size=60, filled=True)
                for key, _, shape, style in KINDS
            ),
        ],
    )


def _inked_labels(labels: Sequence[Spec], full: Sequence[bool]) -> list[Spec]:
    """Names to the left, in full or muted ink."""
    named = list(zip(labels, full, strict=True))
    return [
        row_labels([label for label, own in named if own is ink], style, n=len(labels))
        for style, ink in (("label", True), ("label-quiet", False))
    ]


def _membership_text(row: Mapping[str, Any]) -> str:
    words = ["in the core by majority" if row["member"] else "not in the core by majority"]
    for key, what, *_ in KINDS:
        if (value := number(row.get(key))) is not None:
            words.append(f"{what} {percent(value) if what == PROBABILITY else f'{value:.3f}'}")
    return "; ".join(words)


# Height of a row in pixels.
JUDGE_STEP = 22
RELIABILITY, SIDE, VOTES, COLUMN_GAP = 130, 76, 40, 18  # widths of the three columns, and the gap between them
ABOVE = channels(x="x", y=-26, text="label")  # headings of columns
FAR = (-2.0, 3.0)  # reliabilities beyond which an interval is clipped


def judges(rows: Sequence[Mapping[str, Any]], *, confidence: str = "95 %", most: int | None = MOST) -> Spec:
    """Return one row per judge: reliability and position bias with confidence intervals, and votes.

    Parameters
    ----------
    rows : sequence of mapping
        In drawing order: ``judge``, ``votes``, ``reliability`` and ``position``, each an estimate with the ends of
        its interval or None, and ``alarms``, what was flagged, as text.
    confidence : str
        Confidence level of the intervals, as text before the word interval.
    most : int or None
        Maximum number of judges drawn, the first ones.

    Examples
    --------
    >>> row = {"judge": "ada", "votes": 90, "reliability": (0.9, 0.7, 1.1), "position": (0.6, 0.5, 0.7), "alarms": []}
    >>> judges([row])["layer"][-1]["data"]["values"][0]["tooltip"]
    'ada: 90 votes; reliability 0.90 (0.70 to 1.10); first side 60.0 % (50.0 % to 70.0 %)'
    """
    plotted = rows[:most]
    n = len(plotted)
    labels = names([row["judge"] for row in plotted])
    tooltips = [f"{label['agent']}: {_judge_text(row)}" for label, row in zip(labels, plotted, strict=True)]
    places = any(row["position"] is not None for row in plotted)
    ends = [end for row in plotted for end in row["reliability"] or () if number(end) is not None]
    low, high = max(FAR[0], min([0.0, *ends])), min(FAR[1], max([1.2, *ends]))
    start = RELIABILITY + COLUMN_GAP
    within = [t for t in (-1, 0, 1, 2) if low <= t <= high]
    columns = _judge_column(plotted, tooltips, "reliability", (low, high), (0, RELIABILITY), within)
    if places:
        columns += _judge_column(plotted, tooltips, "position", (0.0, 1.0), (start, start + SIDE), [0.0, 0.5, 1.0])
    right = (start + SIDE if places else RELIABILITY) + COLUMN_GAP + VOTES
    return picture(
        "The judges",
        "reliability: 1 agrees with the others as they do with each other, 0 not at all",
        "first side: share of votes between equal agents" if places else "",
        f"bar: {confidence} interval; orange: flagged",
        part_of(n, len(rows), "judge"),
        width=right,
        height=JUDGE_STEP * n,
        layer=[
            *columns,
            *_inked_labels(labels, [bool(row["reliability"]) for row in plotted]),
            *_votes(plotted, tooltips, right),
        ],
    )


def _judge_text(row: Mapping[str, Any]) -> str:
    words = [f"{row['votes']:,} vote{'' if row['votes'] == 1 else 's'}"]
    if row["reliability"]:
        words.append("reliability {:.2f} ({:.2f} to {:.2f})".format(*row["reliability"]))
    else:
        words.append("too few votes to examine")
    if row["position"]:
        words.append("first side {} ({} to {})".format(*map(percent, row["position"])))
    return "; ".join([*words, *row["alarms"]])


def _judge_column(
    rows: Sequence[Mapping[str, Any]],
    tooltips: Sequence[str],
    what: str,
    domain: tuple[float, float],
    place_: tuple[float, float],
    ticks: Sequence[float],
) -> list[Spec]:
    """A heading, ticks with grid lines, and one bar with a point per row, in pixels."""
    (low, high), (left, right), n = domain, place_, len(rows)

    def at(value: float) -> float:
        return round(left + (min(max(value, low), high) - low) / (high - low) * (right - left), 2)

    in_percent = what == "position"
    lines = [{"x": at(t), "label": f"{100 * t:.0f} %" if in_percent else f"{t:g}"} for t in ticks]
    heading = [{"x": left, "label": "first side" if in_percent else "reliability"}]
    ends = {i: [at(end) for end in row[what]] for i, row in enumerate(rows) if row[what]}
    values: list[Spec] = [
        {"row": i, "x": x, "low": start, "high": end, "tooltip": tooltips[i]} for i, (x, start, end) in ends.items()
    ]
    bar, point = rows_down(n, x="low", x2="high", tooltip="tooltip"), rows_down(n, x="x", tooltip="tooltip")
    specs = [
        layer("rule", "grid", lines, channels(x="x", y=0, y2=JUDGE_STEP * n)),
        texts(lines, "figure-quiet", channels(x="x", y=-10, text="label"), "center"),
        texts(heading, "figure-quiet", ABOVE),
    ]
    for style, out in (("mark", False), ("mark-contrast", True)):
        some = [one for one in values if bool(rows[one["row"]]["alarms"]) is out]
        specs += [
            layer("rule", style, some, bar, strokeWidth=7, strokeCap="round", opacity=0.4),
            layer("circle", style, some, point, size=50),
        ]
    return specs


def _votes(rows: Sequence[Mapping[str, Any]], tooltips: Sequence[str], right: float) -> list[Spec]:
    """Number of votes of each judge, right-aligned."""
    values = [{"row": i, "label": f"{row['votes']:,}", "tooltip": tooltips[i]} for i, row in enumerate(rows)]
    return [
        texts([{"x": right, "label": "votes"}], "figure-quiet", ABOVE, "right"),
        texts(values, "figure", rows_down(len(rows), x=right, text="label", tooltip="tooltip"), "right"),
    ]
