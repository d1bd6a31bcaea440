"""Figures as Vega-Lite specifications: plain data, rendered by vl-convert."""

from pathlib import Path
from typing import Any

from beatpath._text import percent, shown
from beatpath.evidence import Pairs

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def win_rate_matrix(pairs: Pairs, *, title: str = "Who beats whom") -> dict[str, Any]:
    """Return the win-rate matrix, agents by falling mean win rate; pairs that never met stay empty.

    The share is that of the row's agent against the column's; a tie counts as half a win for each.
    """
    rates = pairs.win_rates().matrix
    n = len(pairs.agents)
    known = [[j for j in range(n) if j != i and rates[i, j] == rates[i, j]] for i in range(n)]
    mean = [sum(rates[i, j] for j in known[i]) / len(known[i]) if known[i] else 0.0 for i in range(n)]
    order = sorted(range(n), key=lambda i: (-mean[i], pairs.agents[i]))
    names = [shown(pairs.agents[i], 28) for i in order]
    cells = [
        {"agent": names[r], "rival": names[c], "share": float(rates[i, j]), "text": percent(float(rates[i, j]))}
        for r, i in enumerate(order)
        for c, j in enumerate(order)
        if j in known[i]
    ]
    axis = {"labelFontSize": 11, "labelLimit": 160, "title": None, "domain": False, "ticks": False}
    return {
        "$schema": SCHEMA,
        "title": {
            "text": title,
            "subtitle": "share of battles the row's agent won, ties half; grey: never met",
            "anchor": "start",
            "fontSize": 15,
        },
        "data": {"values": cells},
        "mark": {"type": "rect", "tooltip": True},
        "width": {"step": 17},
        "height": {"step": 17},
        "encoding": {
            "y": {"field": "agent", "type": "nominal", "sort": names, "scale": {"domain": names}, "axis": axis},
            "x": {
                "field": "rival",
                "type": "nominal",
                "scale": {"domain": names},
                "sort": names,
                "axis": {**axis, "orient": "top", "labelAngle": -60},
            },
            "color": {
                "field": "share",
                "type": "quantitative",
                "scale": {"domain": [0, 0.5, 1], "range": ["#c8581b", "#ffffff", "#1f5fa8"], "interpolate": "rgb"},
                "legend": {"title": "row's win rate", "format": ".0%"},
            },
        },
        "config": {"view": {"stroke": None, "fill": "#d9d9d9"}, "font": "system-ui, sans-serif", "background": "white"},
    }


def save(spec: dict[str, Any], path: Path) -> None:
    """Render a specification to an SVG or PNG file."""
    import vl_convert

    if path.suffix == ".svg":
        path.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")
    else:
        path.write_bytes(vl_convert.vegalite_to_png(spec, scale=2))
