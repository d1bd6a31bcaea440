"""Performance profiles: the share of runs above every value, a line and a band an agent."""

from collections.abc import Sequence

from beatpath.reports.figures.common import Grid, Spec, layer, part_of, picture, short, whole

WIDTH, HEIGHT = 400, 280
COLOURED = 6  # agents that colours tell apart


def performance_profiles(
    agents: Sequence[str],
    tau: Sequence[float],
    share: Grid,
    low: Grid,
    high: Grid,
    *,
    confidence: str = "95 %",
    title: str = "Share of runs above a score",
    most: int = COLOURED,
) -> Spec:
    """Return a line an agent over the values, with a band.

    Parameters
    ----------
    agents : sequence of str
        The best first, by whatever order: it says who is drawn.
    tau : (k,)
        The values.
    share, low, high : (n, k)
        The share of an agent's runs above each value, and the ends of its interval.
    confidence : str
        What the bands are, in front of the word interval.
    title : str
    most : int
        At most so many agents are drawn, the first ones.

    Examples
    --------
    >>> spec = performance_profiles(["ada"], [0.0, 1.0], [[1.0, 0.5]], [[0.9, 0.4]], [[1.0, 0.6]])
    >>> spec["layer"][1]["data"]["values"][1]
    {'row': 0, 'tau': 1.0, 'share': 0.5}
    """
    n = min(len(agents), most)
    points = [{"row": i, "tau": float(t), "share": float(share[i][k])} for i in range(n) for k, t in enumerate(tau)]
    bands = [
        {"row": i, "tau": float(t), "low": float(low[i][k]), "high": float(high[i][k])}
        for i in range(n)
        for k, t in enumerate(tau)
    ]
    ends = [{"row": i, "place": 12 + 18 * i, "label": short(agents[i]), "agent": whole(agents[i])} for i in range(n)]
    ends_of_tau = [float(min(tau)), float(max(tau))]
    x = _axis(
        "tau", "score", ends_of_tau if ends_of_tau[0] < ends_of_tau[1] else [ends_of_tau[0] - 1, ends_of_tau[0] + 1]
    )
    y = _axis("share", "share of runs above it", [0, 1])
    colour = {
        "field": "row",
        "type": "ordinal",
        "scale": {"domain": list(range(n)), "range": "category"},
        "legend": None,
    }
    band = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}
    text = {
        "x": {"value": WIDTH + 12},
        "y": {"field": "place", "type": "quantitative", "scale": None, "axis": None},
        "text": {"field": "label"},
        "tooltip": {"field": "agent"},
        "color": colour,
    }
    return picture(
        title,
        f"band: {confidence} interval of each point by itself",
        part_of(n, len(agents)),
        width=WIDTH,
        height=HEIGHT,
        layer=[
            layer("area", "bright", bands, band, opacity=0.18),
            layer("line", "bright", points, {"x": x, "y": y, "color": colour}),
            layer("text", "label", ends, text, align="left", baseline="middle", limit=150),
        ],
    )


def _axis(field: str, title: str, domain: list[float]) -> Spec:
    scale = {"domain": domain, "zero": False, "nice": False}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": {"title": title, "tickCount": 6}}
