"""The judges: how closely each follows the others, what the side shown first gets from it, and how many votes it gave."""

from collections.abc import Mapping, Sequence
from typing import Any

from beatpath._text import percent
from beatpath.reports.figures.common import (
    MOST,
    Spec,
    layer,
    names,
    number,
    part_of,
    picture,
    pixel,
    place,
    row_labels,
)

STEP = 22
RELIABILITY, SIDE, VOTES, GAP = 130, 76, 40, 18  # widths of the three columns, and between them
FAR = (-2.0, 3.0)  # reliabilities beyond which an interval is cut


def judges(
    rows: Sequence[Mapping[str, Any]], *, confidence: str = "95 %", title: str = "The judges", most: int | None = MOST
) -> Spec:
    """Return one row a judge: reliability and share of the first side with intervals, and votes.

    Parameters
    ----------
    rows : sequence of mapping
        In the order to draw: ``judge``, ``votes``, ``reliability`` and ``position``, each an estimate with the ends of its interval or
        None, and ``alarms``, what falls out, in words.
    confidence : str
        What the intervals are, in front of the word interval.
    title : str
    most : int or None
        At most so many judges are drawn, the first ones.

    Examples
    --------
    >>> row = {"judge": "ada", "votes": 90, "reliability": (0.9, 0.7, 1.1), "position": (0.6, 0.5, 0.7), "alarms": []}
    >>> judges([row])["layer"][-1]["data"]["values"][0]["said"]
    'ada: 90 votes; reliability 0.90 (0.70 to 1.10); first side 60 % (50 % to 70 %)'
    """
    drawn = rows[:most]
    n = len(drawn)
    labels = names([row["judge"] for row in drawn])
    said = [f"{label['agent']}: {_said(row)}" for label, row in zip(labels, drawn, strict=True)]
    places = any(row["position"] is not None for row in drawn)
    ends = [end for row in drawn for end in row["reliability"] or () if number(end) is not None]
    low, high = (f(FAR[k], g([edge, *ends])) for k, f, g, edge in ((0, max, min, 0.0), (1, min, max, 1.2)))
    start = RELIABILITY + GAP
    columns = _column(
        drawn, said, "reliability", (low, high), (0, RELIABILITY), [t for t in (-1, 0, 1, 2) if low <= t <= high]
    )
    if places:
        columns += _column(drawn, said, "position", (0.0, 1.0), (start, start + SIDE), [0.0, 0.5, 1.0])
    return picture(
        title,
        "reliability: 1 follows the others as they do each other, 0 not at all",
        "first side: share of votes between equal agents" if places else "",
        f"bar: {confidence} interval; orange: falls out",
        part_of(n, len(rows), "judge"),
        width=(start + SIDE if places else RELIABILITY) + GAP + VOTES,
        height=STEP * n,
        layer=[
            *columns,
            row_labels([label for label, row in zip(labels, drawn, strict=True) if row["reliability"]], n=n),
            row_labels(
                [label for label, row in zip(labels, drawn, strict=True) if not row["reliability"]], "label-quiet", n=n
            ),
            *_votes(drawn, said, (start + SIDE if places else RELIABILITY) + GAP + VOTES),
        ],
    )


def _said(row: Mapping[str, Any]) -> str:
    words = [f"{row['votes']:,} vote{'' if row['votes'] == 1 else 's'}"]
    if row["reliability"]:
        words.append("reliability {:.2f} ({:.2f} to {:.2f})".format(*row["reliability"]))
    else:
        words.append("too few to say")
    if row["position"]:
        words.append("first side {} ({} to {})".format(*map(percent, row["position"])))
    return "; ".join([*words, *row["alarms"]])


def _column(
    rows: Sequence[Mapping[str, Any]],
    said: Sequence[str],
    what: str,
    domain: tuple[float, float],
    place_: tuple[float, float],
    ticks: Sequence[float],
) -> list[Spec]:
    """A heading, ticks with lines down, and a bar with a point a row, in pixels."""
    (low, high), (left, right), n = domain, place_, len(rows)

    def at(value: float) -> float:
        return round(left + (min(max(value, low), high) - low) / (high - low) * (right - left), 2)

    in_percent = what == "position"
    lines = [{"x": at(t), "label": f"{100 * t:.0f} %" if in_percent else f"{t:g}"} for t in ticks]
    heading = [{"x": left, "label": "first side" if in_percent else "reliability"}]
    down = {"x": pixel("x"), "y": {"value": 0}, "y2": {"value": STEP * n}}
    values = [
        {"row": i, "x": at(row[what][0]), "low": at(row[what][1]), "high": at(row[what][2]), "said": said[i]}
        for i, row in enumerate(rows)
        if row[what]
    ]
    out = {i for i, row in enumerate(rows) if row["alarms"]}
    y = {"y": place("row", n, down=True), "tooltip": {"field": "said"}}
    bar, point = {**y, "x": pixel("low"), "x2": {"field": "high"}}, {**y, "x": pixel("x")}
    made = [
        layer("rule", "grid", lines, down),
        _written(lines, -10, "figure-quiet", align="center"),
        _written(heading, -26, "figure-quiet", align="left"),
    ]
    for style, some in (
        ("mark", [one for one in values if one["row"] not in out]),
        ("mark-contrast", [one for one in values if one["row"] in out]),
    ):
        made += [
            layer("rule", style, some, bar, strokeWidth=7, strokeCap="round", opacity=0.4),
            layer("circle", style, some, point, size=50),
        ]
    return made


def _votes(rows: Sequence[Mapping[str, Any]], said: Sequence[str], right: float) -> list[Spec]:
    """How many votes each gave, to the right."""
    values = [{"row": i, "label": f"{row['votes']:,}", "said": said[i]} for i, row in enumerate(rows)]
    encoding = {
        "y": place("row", len(rows), down=True),
        "x": {"value": right},
        "text": {"field": "label"},
        "tooltip": {"field": "said"},
    }
    heading = _written([{"x": right, "label": "votes"}], -26, "figure-quiet", align="right")
    return [heading, layer("text", "figure", values, encoding, align="right", baseline="middle")]


def _written(values: Sequence[Mapping[str, Any]], y: float, style: str, *, align: str) -> Spec:
    """Words above the rows."""
    encoding = {"x": pixel("x"), "y": {"value": y}, "text": {"field": "label"}}
    return layer("text", style, values, encoding, align=align, baseline="middle")
