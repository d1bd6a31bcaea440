"""Quality and cost of runs, with intervals both ways."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from beatpath.reports.figures.common import MOST, Spec, channels, layer, names, number, part_of, picture, texts
from beatpath.reports.figures.lines import HEIGHT, WIDTH, axis

MARGIN = 0.06  # of the range, on both sides of the data
TICKS = 6  # ticks of an axis, about


def pareto(
    rows: Sequence[Mapping[str, Any]], *, cost: str = "cost", confidence: str = "95 %", most: int | None = MOST
) -> Spec:
    """Return a point for every run, its cost across and its score up, with an interval of each.

    Parameters
    ----------
    rows : sequence of mapping
        ``run``, ``score``, ``score_low``, ``score_high``, ``cost``, ``cost_low``, ``cost_high``, and ``dominated_by``, the runs that
        are certainly better and cheaper.
    cost : str
        What the cost is.
    confidence : str
        Confidence level of the intervals, as text.
    most : int or None
        Maximum number of runs drawn, the first ones.

    Examples
    --------
    >>> ends = {"score": 0.8, "score_low": 0.7, "score_high": 0.9, "cost": 2, "cost_low": 1.5, "cost_high": 2.5}
    >>> pareto([{"run": "ada", **ends, "dominated_by": ()}])["layer"][2]["data"]["values"][0]["tooltip"]
    'ada: score 0.8 (0.7 to 0.9), cost 2 (1.5 to 2.5)'
    """
    plotted = rows[:most]
    fields = [f"{what}{end}" for what in ("cost", "score") for end in ("", "_low", "_high")]
    values = [
        {**label, **{name: number(row[name]) for name in fields}, "tooltip": f"{label['agent']}: {_text(row, cost)}"}
        for label, row in zip(names([row["run"] for row in plotted]), plotted, strict=True)
    ]
    x, y = _axis("cost", cost, plotted), _axis("score", "score", plotted)
    left, lower = {**x, "field": "cost_low"}, {**y, "field": "score_low"}
    dominated = [bool(row["dominated_by"]) for row in plotted]
    groups = [[one for one, out in zip(values, dominated, strict=True) if out is side] for side in (False, True)]
    return picture(
        "Quality and cost",
        f"bars: {confidence} interval of each by itself",
        "gray: another run is certainly better and cheaper" if any(dominated) else "",
        part_of(len(plotted), len(rows)),
        width=WIDTH,
        height=HEIGHT,
        layer=[
            layer("rule", "mark-quiet", values, channels(x=left, x2="cost_high", y=y), strokeWidth=2),
            layer("rule", "mark-quiet", values, channels(x=x, y=lower, y2="score_high"), strokeWidth=2),
            *(
                layer("circle", style, some, channels(x=x, y=y, tooltip="tooltip"), size=70)
                for style, some in zip(("mark", "mark-quiet"), groups, strict=True)
            ),
            texts(values, "halo", channels(x=x, y=y, text="label"), dx=8),
            texts(values, "label", channels(x=x, y=y, text="label", tooltip="tooltip"), dx=8),
        ],
    )


def _text(row: Mapping[str, Any], cost: str) -> str:
    parts = (
        (what, [row[f"{field}{end}"] for end in ("", "_low", "_high")])
        for what, field in (("score", "score"), (cost, "cost"))
    )
    return ", ".join(f"{what} {mean:.3g} ({low:.3g} to {high:.3g})" for what, (mean, low, high) in parts)


def _axis(field: str, title: str, rows: Sequence[Mapping[str, Any]]) -> Spec:
    """The scale of a measure, from the lowest end of an interval to the highest."""
    ends = [value for row in rows for end in ("_low", "_high") if (value := number(row[f"{field}{end}"])) is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    spare = MARGIN * (high - low) or 0.5
    places = max(0, -math.floor(math.log10((high - low + 2 * spare) / TICKS)))
    return {**axis(title, [low - spare, high + spare], format=f",.{places}f"), "field": field}
