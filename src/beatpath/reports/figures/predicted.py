"""The goodness-of-fit figure: observed win rates against those that the Bradley-Terry model predicts."""

from collections.abc import Mapping, Sequence
from math import hypot
from typing import Any

from beatpath._text import counted, percent
from beatpath.reports.drawing.scales import PERCENT
from beatpath.reports.figures.common import (
    Spec,
    channels,
    layer,
    measured,
    number,
    part_of,
    picture,
    short,
    texts,
    whole,
)

# Size of the figure in pixels, and pairs named by default.
SIZE = 360
NAMED = 5


def predicted(
    pairs: Sequence[Mapping[str, Any]], *, confidence: str = "95 %", most: int | None = 800, named: int = NAMED
) -> Spec:
    """Return observed against predicted win rates, one point per pair, from the side of the predicted winner.

    Parameters
    ----------
    pairs : sequence of mapping
        ``agent``, ``rival``, ``observed`` and ``predicted`` win rate of the agent, ``battles``, and ``low`` and
        ``high``, the ends of the interval of the observed rate. A pair whose interval excludes the prediction is
        fitted badly.
    confidence : str
        Confidence level of the intervals, as text before the word interval.
    most : int or None
        Maximum number of pairs drawn, those with the most battles.
    named : int
        Number of badly fitted pairs that are named, those farthest outside their interval.

    Examples
    --------
    >>> pair = {"agent": "ada", "rival": "bob", "observed": 0.5, "predicted": 0.2, "battles": 40, "low": 0.35, "high": 0.65}
    >>> predicted([pair])["layer"][-2]["data"]["values"][0]["tooltip"]
    'bob against ada: won 50.0 % of 40 battles (95 % interval 35.0 % to 65.0 %), predicted 80.0 %'
    """
    plotted = sorted(pairs, key=lambda p: (-p["battles"], p["agent"], p["rival"]))[:most]
    values = [_point(_favored(pair), confidence) for pair in plotted]
    fits, misfits = ([value for value in values if (value["miss"] > 0) is out] for out in (False, True))
    worst = sorted(misfits, key=lambda v: (-v["miss"], v["pair"]))[:named]
    outside = (
        f"{len(misfits):,} of {counted(len(values), 'pair')} with the prediction outside the {confidence} interval"
    )
    top = max((value["battles"] for value in values), default=1)
    size = {"type": "linear", "domain": [0, max(top, 1)], "range": [8, 160]}
    area = {"field": "battles", "type": "quantitative", "scale": size, "legend": None}
    point = _at("expected", "observed", size=area, tooltip="tooltip")
    diagonal = [{"expected": 0.5, "observed": 0.5, "u": 1, "v": 1}]
    return picture(
        "Does a Bradley-Terry model fit?",
        "one point per pair, area by battles; on the line: as a Bradley-Terry model predicts",
        f"orange: {outside}" if misfits else f"every prediction lies within the {confidence} interval of its pair",
        part_of(len(values), len(pairs), "pair", ", those with most battles"),
        width=SIZE,
        height=SIZE,
        layer=[
            layer("rule", "point", diagonal, _at("expected", "observed", x2="u", y2="v"), strokeWidth=1),
            layer("circle", "mark-quiet", fits, point),
            layer("rule", "mark-contrast", worst, _at("expected", "low", y2="high"), strokeWidth=1),
            layer("circle", "mark-contrast", misfits, point),
            *_names_of_worst(worst),
        ],
    )


def _favored(pair: Mapping[str, Any]) -> Mapping[str, Any]:
    """The pair from the side of the agent that is predicted to win.

    >>> turned = _favored({"agent": "a", "rival": "b", "observed": 0.4, "predicted": 0.25, "low": 0.3, "high": None})
    >>> turned["agent"], turned["observed"], turned["low"], turned["high"]
    ('b', 0.6, None, 0.7)
    """
    if pair["predicted"] >= 0.5:
        return pair
    turned = {"low": "high", "high": "low", "observed": "observed", "predicted": "predicted"}
    shares = {name: number(pair[other]) for name, other in turned.items()}
    other = {name: None if share is None else round(1 - share, 6) for name, share in shares.items()}
    return {**pair, **other, "agent": pair["rival"], "rival": pair["agent"]}


def _point(pair: Mapping[str, Any], confidence: str) -> Spec:
    low, high = number(pair["low"]), number(pair["high"])
    expected, observed = pair["predicted"], pair["observed"]
    miss = 0.0 if low is None or high is None else max(low - expected, expected - high, 0.0)
    ends = "" if low is None or high is None else f" ({confidence} interval {percent(low)} to {percent(high)})"
    who = f"{whole(pair['agent'])} against {whole(pair['rival'])}"
    return {
        "pair": f"{short(pair['agent'], 22)} against {short(pair['rival'], 22)}",
        "expected": round(float(expected), 4),
        "observed": round(float(observed), 4),
        "battles": number(pair["battles"]),
        "low": low,
        "high": high,
        "miss": round(miss, 6),
        "tooltip": f"{who}: won {percent(observed)} of {counted(pair['battles'], 'battle')}{ends}, predicted {percent(expected)}",
    }


def _at(x: str, y: str, **more: Any) -> Spec:
    """Channels of marks at a predicted and an observed win rate."""
    across, upwards = (
        {"title": title, "labelExpr": PERCENT, "tickCount": 6}
        for title in ("predicted win rate of the favored agent", "observed win rate")
    )
    return channels(x=measured(x, [0.5, 1], across, zero=False), y=measured(y, [0, 1], upwards), **more)


def _names_of_worst(worst: Sequence[Spec]) -> list[Spec]:
    """Numbers next to the worst fitted pairs, and their names below the figure."""
    spots = beside([(SIZE * (2 * value["expected"] - 1), SIZE * (1 - value["observed"])) for value in worst])
    numbers = [
        {"x": x, "y": y, "number": str(k), "tooltip": value["tooltip"]}
        for k, (value, (x, y)) in enumerate(zip(worst, spots, strict=True), 1)
    ]
    lines = [{"y": SIZE + 56 + 17 * k, "text": f"{k + 1}  {value['pair']}"} for k, value in enumerate(worst)]
    at = channels(x="x", y="y", text="number", tooltip="tooltip")
    return [
        *(texts(numbers, style, at, "center", fontWeight="bold") for style in ("halo", "label")),
        texts(lines, "label", channels(x=0, y="y", text="text"), limit=SIZE + 40),
    ]


def beside(points: Sequence[tuple[float, float]], room: float = 14.0) -> list[tuple[float, float]]:
    """Return a place for a label next to each point, away from the other points and labels.

    >>> beside([(50.0, 50.0), (60.0, 50.0)])
    [(37.0, 50.0), (73.0, 50.0)]
    """
    taken: list[tuple[float, float]] = []
    for x, y in points:
        steps = ((13, 0), (-13, 0), (9, -11), (-9, -11), (9, 11), (-9, 11), (26, 0), (-26, 0), (0, -26), (0, 26))
        spots = [(x + dx, y + dy) for dx, dy in steps]
        others = [*taken, *(point for point in points if point != (x, y))]
        taken.append(max(spots, key=lambda spot: min([room, *(hypot(spot[0] - u, spot[1] - v) for u, v in others)])))
    return taken
