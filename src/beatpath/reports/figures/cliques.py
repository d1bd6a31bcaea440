"""Cliques: a ranked line of agents, and bars over those whom the data do not part; the critical-difference picture."""

from collections.abc import Sequence

from beatpath._text import counted
from beatpath.reports.figures.common import Spec, layer, names, part_of, picture, place, row_labels, whole

MOST = 130
STEP = 18  # pixels a row,
CLOSE = 14  # and where there are many
COLUMN = 14  # pixels between bars
NAMED = 6  # agents that a bar names on hover


def cliques(
    agents: Sequence[str],
    bars: Sequence[Sequence[int]],
    *,
    confidence: str = "95 %",
    title: str = "Whom the data do not part",
    most: int = MOST,
) -> Spec:
    """Return one row an agent, best first, and beside them bars: two agents on no common bar certainly differ.

    A dot says that an agent is on the bar. A bar may pass one by, which is known better than its neighbours.

    Parameters
    ----------
    agents : sequence of str
        Best first.
    bars : sequence of sequences of int
        Places of the agents of every bar.
    confidence : str
        With which all certain orders hold, in front of the word confidence.
    title : str
    most : int
        At most so many agents are drawn, the first ones.

    Examples
    --------
    >>> spec = cliques(["ada", "bob", "cyd"], [[0, 1], [1, 2]])
    >>> [value["said"] for value in spec["layer"][1]["data"]["values"]]
    ['not parted: ada, bob', 'not parted: bob, cyd']
    """
    n = min(len(agents), most)
    drawn = _within([[i for i in bar if i < n] for bar in bars])
    column, columns = _columns(drawn)
    values = [
        {"column": at, "top": bar[0], "end": bar[-1], "said": _said([agents[i] for i in bar])}
        for bar, at in zip(drawn, column, strict=True)
    ]
    dots = [
        {"column": v["column"], "top": i, "said": v["said"]} for v, bar in zip(values, drawn, strict=True) for i in bar
    ]
    return picture(
        title,
        f"two agents without a dot on one bar certainly differ ({confidence} confidence, all at once)",
        "a bar passes by an agent that has no dot on it",
        part_of(n, len(agents)),
        width=COLUMN * max(columns, 1),
        height=(STEP if n <= 40 else CLOSE) * n,
        layer=[_guides(n), *_bars(values, dots, n, columns), row_labels(names(agents[:n]))],
    )


def _within(bars: Sequence[Sequence[int]]) -> list[list[int]]:
    """The bars that are not part of another, each once.

    >>> _within([[0, 1], [1], [], [0, 1], [2]])
    [[0, 1], [2]]
    """
    sets = [frozenset(bar) for bar in bars]
    once = [some for k, some in enumerate(sets) if some and some not in sets[:k]]
    return [sorted(some) for some in once if not any(some < other for other in once)]


def _columns(bars: Sequence[Sequence[int]]) -> tuple[list[int], int]:
    """The column of every bar: the first that is free from its top on; and how many there are.

    >>> _columns([[0, 1], [1, 2], [2, 3]])
    ([0, 1, 0], 2)
    """
    ends: list[int] = []
    found = []
    for bar in bars:
        free = next((k for k, end in enumerate(ends) if end < bar[0]), len(ends))
        ends[free : free + 1] = [bar[-1]]
        found.append(free)
    return found, len(ends)


def _said(agents: Sequence[str]) -> str:
    """Who is on a bar."""
    if len(agents) == 1:
        return f"{whole(agents[0])} is parted from everyone"
    more = len(agents) - NAMED
    rest = f" and {counted(more, 'more agent')}" if more > 0 else ""
    return f"not parted: {', '.join(map(whole, agents[:NAMED]))}{rest}"


def _guides(n: int) -> Spec:
    encoding = {"y": place("row", n, down=True), "x": {"value": -4}, "x2": {"value": "width"}}
    return layer("rule", "grid", [{"row": i} for i in range(n)], encoding)


def _bars(values: Sequence[Spec], dots: Sequence[Spec], n: int, columns: int) -> list[Spec]:
    y, x = place("top", n, down=True), place("column", max(columns, 1))
    tip = {"tooltip": {"field": "said"}}
    line = {"x": x, "y": y, "y2": {"field": "end"}, **tip}
    return [
        layer("rule", "mark-pale", values, line, strokeWidth=5, strokeCap="round"),
        layer("circle", "mark", dots, {"x": x, "y": y, **tip}, size=42),
    ]
