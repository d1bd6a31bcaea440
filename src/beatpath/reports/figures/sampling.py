"""Who met whom, and how often."""

from collections.abc import Sequence
from math import ceil, log10

from beatpath._text import counted
from beatpath.reports.figures import matrix
from beatpath.reports.figures.common import MOST, Spec, Table, number, part_of, picture


def sampling(
    agents: Sequence[str],
    counts: Table,
    *,
    unit: str = "battle",
    title: str = "Who met whom",
    most: int | None = MOST,
) -> Spec:
    """Return the number of battles of each pair as a matrix, agents in the order given; pairs that never met stay empty.

    Parameters
    ----------
    agents : sequence of str
    counts : (n, n)
        Battles of each pair.
    unit : str
        What is counted.
    title : str
    most : int or None
        At most so many agents are drawn, the first ones.

    Examples
    --------
    >>> spec = sampling(["ada", "bob", "cyd"], [[0, 8, 0], [8, 0, 1], [0, 1, 0]])
    >>> [cell["said"] for cell in spec["layer"][-1]["data"]["values"]]
    ['8 battles', '8 battles', '1 battle', '1 battle']
    """
    drawn = list(agents)[:most]
    n = len(drawn)
    met = [
        (i, j, count) for i in range(n) for j in range(n) if i != j and (count := number(counts[i][j])) and count > 0
    ]
    values: list[Spec] = [{"row": i, "column": j, "count": count, "said": counted(count, unit)} for i, j, count in met]
    top = max((count for *_, count in met), default=1.0)
    marks = [matrix.squares(n, _colour(top, unit))]
    if n <= matrix.ROOMY:
        for value in values:
            value["text"] = _compact(value["count"])
        marks += matrix.figures("text", f"datum.count > {_strong(top)}")
    return picture(
        title,
        f"{unit}s of each pair, on a logarithmic scale; empty: never met",
        part_of(n, len(agents)),
        **matrix.frame(drawn),
        layer=[*matrix.labels(n), matrix.cells(n, values, marks)],
    )


def _colour(top: float, unit: str) -> Spec:
    """From 1 to the power of ten above the largest count."""
    powers = max(1, ceil(log10(max(top, 10))))
    scale = {"type": "log", "domain": [1, 10**powers], "range": "ramp", "interpolate": "rgb", "clamp": True}
    legend = matrix.legend(f"{unit}s", [10**k for k in range(powers + 1)], {"format": ","})
    return {"field": "count", "type": "quantitative", "scale": scale, "legend": legend}


def _strong(top: float) -> float:
    """The count from which a cell is dark enough for letters in the colour of paper."""
    return 10 ** (0.62 * max(1, ceil(log10(max(top, 10)))))


def _compact(count: float) -> str:
    """A count in four characters.

    >>> _compact(950), _compact(1234), _compact(56_789), _compact(3_400_000), _compact(2.25)
    ('950', '1.2k', '57k', '3.4M', '2.2')
    """
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.1f}{letter}" if count < 10 * size else f"{count / size:.0f}{letter}"
    return f"{count:.0f}" if float(count).is_integer() or count >= 100 else f"{count:.1f}"
