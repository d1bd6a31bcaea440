"""Head to head: who beats whom, how often, and where the battles do not say."""

from collections.abc import Sequence

from beatpath._text import counted, percent
from beatpath.reports.figures import matrix
from beatpath.reports.figures.common import MOST, PERCENT, Spec, Table, number, part_of, picture

STOPS = [0, 0.25, 0.5, 0.75, 1]
COLOUR = {
    "field": "share",
    "type": "quantitative",
    "scale": {"domain": STOPS, "range": "diverging", "interpolate": "rgb"},
    "legend": matrix.legend("row's win rate", STOPS, {"labelExpr": PERCENT}),
}


def win_rate_matrix(
    agents: Sequence[str],
    rates: Table,
    counts: Table | None = None,
    *,
    resolved: Table | None = None,
    low: Table | None = None,
    high: Table | None = None,
    confidence: str = "95 %",
    title: str = "Who beats whom",
    most: int | None = MOST,
) -> Spec:
    """Return the win-rate matrix, agents in the order given; pairs that never met stay empty.

    Parameters
    ----------
    agents : sequence of str
        The best first.
    rates : (n, n)
        Share of battles that the row's agent won against the column's, ties half; NaN or None where they never met.
    counts : (n, n), optional
        Battles of each pair.
    resolved : (n, n) of bool, optional
        Whether the data say who of the two is ahead; cells of which they do not are pale and hatched.
    low, high : (n, n), optional
        Ends of the intervals of the rates.
    confidence : str
        What the intervals are, in front of the word interval.
    title : str
    most : int or None
        At most so many agents are drawn, the first ones.

    Examples
    --------
    >>> spec = win_rate_matrix(["ada", "bob"], [[None, 0.75], [0.25, None]], [[0, 8], [8, 0]])
    >>> spec["layer"][-1]["data"]["values"][0]["said"]
    'won 75 % of 8 battles'
    """
    drawn = list(agents)[:most]
    n = len(drawn)
    values = []
    for i in range(n):
        for j in range(n):
            share = number(rates[i][j])
            if i == j or share is None:
                continue
            sure = None if resolved is None else bool(resolved[i][j])
            ends = None if low is None or high is None else (number(low[i][j]), number(high[i][j]))
            said = _said(share, None if counts is None else counts[i][j], sure, ends, confidence)
            cell = {"row": i, "column": j, "share": round(share, 4), "said": said, "sure": sure is not False}
            values.append({**cell, "text": f"{100 * share:.0f}"} if n <= matrix.ROOMY else cell)
    return picture(
        title,
        "percentage of battles that the row's agent won, ties half",
        f"{'' if resolved is None else 'hatched: not resolved; '}empty: never met",
        part_of(n, len(agents)),
        **matrix.frame(drawn),
        layer=[*matrix.labels(n), matrix.cells(n, values, _marks(n), "against")],
    )


def _marks(n: int) -> list[Spec]:
    pale = {"condition": {"test": "datum.sure", "value": 1}, "value": 0.4}
    marks = [matrix.squares(n, COLOUR, opacity=pale), matrix.hatches(n, "!datum.sure")]
    strong = "datum.sure && abs(datum.share - 0.5) > 0.36"
    return [*marks, *matrix.figures("text", strong)] if n <= matrix.ROOMY else marks


def _said(
    share: float,
    count: float | None,
    sure: bool | None,
    ends: tuple[float | None, float | None] | None,
    confidence: str,
) -> str:
    """The counts, the interval, and whether it is settled."""
    of = "their battles" if count is None else counted(count, "battle")
    said = f"won {percent(share)} of {of}"
    if ends is not None and None not in ends:
        said += f" ({confidence} interval {percent(ends[0] or 0)} to {percent(ends[1] or 0)})"
    if sure is None:
        return said
    verdict = "ahead" if share > 0.5 else "behind"
    return f"{said}; certainly {verdict}" if sure else f"{said}; not resolved"
