"""The ranks that each agent may have: a bar from best to worst, a tick where the score puts it, a band behind ties."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from beatpath.reports.figures.common import MOST, Spec, layer, names, part_of, picture, place, row_labels

STEP = 22
WIDTH = 340


def rank_intervals(
    rows: Sequence[Mapping[str, Any]],
    *,
    confidence: str = "95 %",
    title: str = "Ranks the data allow",
    most: int | None = MOST,
) -> Spec:
    """Return one row an agent: the range of its rank on a common scale.

    Parameters
    ----------
    rows : sequence of mapping
        In the order to draw: ``agent``, ``rank`` (0 for none), ``best``, ``worst``, and ``group``, equal for agents of a tie
        group (0 for none).
    confidence : str
        What the ranges are, in front of the word confidence.
    title : str
    most : int or None
        At most so many agents are drawn, the first ones.

    Examples
    --------
    >>> rows = [{"agent": name, "rank": r, "best": 1, "worst": 2, "group": 1} for r, name in ((1, "ada"), (2, "bob"))]
    >>> rank_intervals(rows)["layer"][-2]["data"]["values"][0]["said"]
    'ada: rank 1, with 95 % confidence between 1 and 2'
    """
    drawn = rows[:most]
    n = len(drawn)
    labels = names([row["agent"] for row in drawn])
    values = [
        {
            "row": i,
            "rank": int(row["rank"]),
            "best": int(row["best"]),
            "worst": int(row["worst"]),
            "said": f"{label['agent']}: {_range_said(row, confidence)}",
        }
        for i, (row, label) in enumerate(zip(drawn, labels, strict=True))
    ]
    return picture(
        title,
        f"bar: ranks that {confidence} confidence leaves open; tick: by score",
        "band: a tie group, within which the order is not certain",
        part_of(n, len(rows)),
        width=WIDTH,
        height=STEP * n,
        layer=[_bands(drawn), *_bars(values), row_labels(labels)],
    )


def _range_said(row: Mapping[str, Any], confidence: str) -> str:
    """The rank and its range.

    >>> _range_said({"rank": 2, "best": 2, "worst": 2}, "90 %")
    'rank 2, with 90 % confidence no other'
    """
    rank = f"rank {row['rank']:g}" if row["rank"] else "no score"
    if row["best"] == row["worst"]:
        return f"{rank}, with {confidence} confidence no other"
    return f"{rank}, with {confidence} confidence between {row['best']:g} and {row['worst']:g}"


def _bands(rows: Sequence[Mapping[str, Any]]) -> Spec:
    """A band behind each run of rows of one tie group."""
    runs = [list(run) for _, run in groupby(range(len(rows)), key=lambda i: rows[i]["group"])]
    values = [{"top": run[0] - 0.46, "end": run[-1] + 0.46} for run in runs if len(run) > 1 and rows[run[0]]["group"]]
    n = len(rows)
    encoding = {"y": place("top", n, down=True), "y2": {"field": "end"}, "x": {"value": -4}, "x2": {"value": WIDTH + 8}}
    return layer("rect", "band", values, encoding, cornerRadius=4)


def _bars(values: Sequence[Spec]) -> list[Spec]:
    n = len(values)
    last = max((value["worst"] for value in values), default=1)
    axis = {"orient": "top", "title": "rank", "format": "d", "values": ticks(last), "grid": False}
    scale = {"domain": [1, max(last, 2)], "nice": False, "zero": False, "padding": 10}
    y = {"y": place("row", n, down=True), "tooltip": {"field": "said"}}
    x = {"field": "best", "type": "quantitative", "scale": scale, "axis": axis}
    wide = [value for value in values if value["best"] != value["worst"]]
    sure = [value for value in values if value["best"] == value["worst"]]
    bar = {**y, "x": x, "x2": {"field": "worst"}}
    tick = {**y, "x": {**x, "field": "rank"}}
    return [
        layer("rule", "grid", [{"best": rank} for rank in ticks(last)], {"x": x}),
        layer("rule", "mark-pale", wide, bar, strokeWidth=9, strokeCap="round"),
        layer("circle", "mark", sure, {**y, "x": x}, size=90),
        layer(
            "tick", "point", [value for value in values if value["rank"]], tick, orient="vertical", thickness=2, size=14
        ),
    ]


def ticks(last: int) -> list[int]:
    """Return the ranks to write: the first, the last, and round ones between that leave them room.

    >>> ticks(3), ticks(12), ticks(40)
    ([1, 2, 3], [1, 5, 10, 12], [1, 10, 20, 30, 40])
    """
    if last <= 10:
        return list(range(1, last + 1))
    gap = next(g for g in (5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if last <= 6 * g)
    return [1, *(rank for rank in range(gap, last, gap) if last - rank > 0.3 * gap), last]
