"""Performance profiles: the share of runs above every value, a line and a band an agent."""

from collections.abc import Sequence

from beatpath.reports.figures.common import COLOURED, Grid, Spec
from beatpath.reports.figures.curves import axis, banded_lines


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
    {'row': 0, 'x': 1.0, 'y': 0.5}
    """
    points = [list(zip(tau, share[i], low[i], high[i], strict=True)) for i in range(min(len(agents), most))]
    said = f"band: {confidence} interval of each point by itself"
    y = axis("share of runs above it", [0, 1])
    return banded_lines(agents, points, "score", y, title=title, said=said, most=most)
