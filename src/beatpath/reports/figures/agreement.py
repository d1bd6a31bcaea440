"""How far the rankings of the methods are apart."""

from collections.abc import Sequence

from beatpath._text import percent
from beatpath.reports.figures import matrix
from beatpath.reports.figures.common import PERCENT, Spec, Table, picture


def agreement(methods: Sequence[str], distances: Table, *, title: str = "How far methods are apart") -> Spec:
    """Return the matrix of Kendall distances between rankings.

    Parameters
    ----------
    methods : sequence of str
    distances : (k, k)
        Share of the pairs of agents that two methods order differently, ties half.
    title : str

    Examples
    --------
    >>> spec = agreement(["borda", "copeland"], [[0, 0.125], [0.125, 0]])
    >>> spec["layer"][-1]["data"]["values"][0]["said"]
    '12 % of pairs ordered differently'
    """
    n = len(methods)
    values: list[Spec] = [
        {
            "row": i,
            "column": j,
            "distance": round(float(distances[i][j]), 4),
            "said": f"{percent(float(distances[i][j]))} of pairs ordered differently",
            "text": f"{100 * float(distances[i][j]):.0f}",
        }
        for i in range(n)
        for j in range(n)
        if i != j
    ]
    top = max((value["distance"] for value in values), default=0.0)
    end = next(limit for limit in (0.1, 0.2, 0.5, 1.0) if top <= limit)
    legend = matrix.legend("distance", [0, end / 2, end], {"labelExpr": PERCENT})
    scale = {"domain": [0, end], "range": "ramp", "interpolate": "rgb"}
    colour = {"field": "distance", "type": "quantitative", "scale": scale, "legend": legend}
    text = matrix.figures("text", f"datum.distance > {0.62 * end}") if n <= matrix.ROOMY else []
    return picture(
        title,
        "percentage of pairs of agents that two methods order differently, ties half",
        **matrix.frame(methods),
        layer=[*matrix.labels(n), matrix.cells(n, values, [matrix.squares(n, colour), *text])],
    )
