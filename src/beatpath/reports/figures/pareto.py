"""Quality and cost of runs, with intervals both ways."""

from collections.abc import Mapping, Sequence
from typing import Any

from beatpath.reports.drawing.marks import text_width
from beatpath.reports.drawing.scales import rounded
from beatpath.reports.figures.common import MOST, Spec, channels, layer, names, number, part_of, picture, texts
from beatpath.reports.figures.lines import HEIGHT, WIDTH, axis

CROWDED = 5  # runs from which some names may not fit


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
    named = _that_fit([*sorted(groups[0], key=lambda one: -(one["score"] or 0)), *groups[1]], x, y)
    return picture(
        "Quality and cost",
        f"bars: {confidence} interval of each by itself",
        "gray: another run is certainly better and cheaper" if any(dominated) else "",
        "names where they fit; hovering shows all" if len(values) > CROWDED else "",
        part_of(len(plotted), len(rows)),
        width=WIDTH,
        height=HEIGHT,
        layer=[
            layer("rule", "mark-quiet", values, channels(x=left, x2="cost_high", y=y), strokeWidth=2),
            layer("rule", "mark-quiet", values, channels(x=x, y=lower, y2="score_high"), strokeWidth=2),
            texts(named, "halo", channels(x=x, y=y, text="label"), dx=8),
            texts(named, "label", channels(x=x, y=y, text="label", tooltip="tooltip"), dx=8),
            *(
                layer("circle", style, some, channels(x=x, y=y, tooltip="tooltip"), size=70)
                for style, some in zip(("mark", "mark-quiet"), groups, strict=True)
            ),
        ],
    )


def _that_fit(values: Sequence[Spec], x: Spec, y: Spec) -> list[Spec]:
    """The points whose names do not run into those of earlier ones; hovering shows the others."""
    fitting, taken = [], list[tuple[float, float, float]]()
    for one in values:
        left, height = (_pixel(one[scale["field"]], scale, size) for scale, size in ((x, WIDTH), (y, HEIGHT)))
        right = left + 12 + text_width(one["label"], 12)
        if all(abs(height - other) > 13 or right < start or left > end for start, end, other in taken):
            taken.append((left, right, height))
            fitting.append(one)
    return fitting


def _pixel(value: float | None, scale: Spec, size: float) -> float:
    low, high = scale["scale"]["domain"]
    return size * ((value or 0.0) - low) / (high - low)


def _text(row: Mapping[str, Any], cost: str) -> str:
    parts = (
        (what, [row[f"{field}{end}"] for end in ("", "_low", "_high")])
        for what, field in (("score", "score"), (cost, "cost"))
    )
    return ", ".join(f"{what} {mean:.3g} ({low:.3g} to {high:.3g})" for what, (mean, low, high) in parts)


def _axis(field: str, title: str, rows: Sequence[Mapping[str, Any]]) -> Spec:
    """The scale of a measure, from the lowest end of an interval to the highest."""
    ends = [value for row in rows for end in ("_low", "_high") if (value := number(row[f"{field}{end}"])) is not None]
    return {**axis(title, rounded(min(ends, default=0.0), max(ends, default=1.0), 5)), "field": field}
