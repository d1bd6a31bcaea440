"""Methods side by side: agents as lines, methods as columns, ties as positions that lines share."""

from collections.abc import Iterable, Sequence

from beatpath._text import counted
from beatpath.reports.figures.common import MOST, Grid, Spec, layer, names, part_of, picture, pixel, short

STEP = 20
COLUMN = 74
FAN = 34  # pixels in which lines part from a shared position towards their labels


def bump(
    agents: Sequence[str],
    methods: Sequence[str],
    ranks: Grid,
    *,
    marked: Iterable[str] = (),
    title: str = "Methods side by side",
    most: int | None = MOST,
) -> Spec:
    """Return a bump chart.

    Parameters
    ----------
    agents : sequence of str
        The best first, by whatever order: it says who is drawn, and parts nobody.
    methods : sequence of str
    ranks : (n, k)
        The rank of each agent by each method; tied agents have equal ranks.
    marked : iterable of str
        Agents to draw in colour; hovering makes the line of any other strong.
    title : str
    most : int or None
        At most so many agents are drawn, the first ones; they are placed by their order among themselves.

    Examples
    --------
    >>> spec = bump(["ada", "bob"], ["borda", "copeland"], [[1, 1], [2, 1]])
    >>> spec["title"]["subtitle"]
    ['bar: agents that a method ties']
    """
    drawn = list(agents)[:most]
    n, k = len(drawn), len(methods)
    labels = names(drawn)
    column = [[ranks[i][j] for i in range(n)] for j in range(k)]
    place = [positions(one) for one in column]
    everyone = [[ranks[i][j] for i in range(len(agents))] for j in range(k)]
    points = [
        {
            "row": i,
            "x": j * COLUMN,
            "y": STEP * (place[j][i] + 0.5),
            "said": f"{labels[i]['agent']}: {_place_said(column[j][i], methods[j], everyone[j].count(column[j][i]) - 1)}",
        }
        for i in range(n)
        for j in range(k)
    ]
    ends = [_ends(labels, column[j], j * COLUMN, side) for j, side in ((0, -1), (k - 1, 1))] if k else []
    colours = {name: c for c, name in enumerate(dict.fromkeys(marked)) if name in set(drawn)}
    colour_of = {i: colours[name] for i, name in enumerate(drawn) if name in colours}
    return picture(
        title,
        "bar: agents that a method ties" if any(len(set(one)) < n for one in column) else "",
        part_of(n, len(agents)) and f"{part_of(n, len(agents))}, placed among themselves",
        width=COLUMN * max(k - 1, 0),
        height=STEP * n,
        layer=[
            _tie_marks(column),
            *_bump_lines([*points, *(end for side in ends for end in side)], colour_of),
            _bump_points(points),
            *(_labels(end) for end in ends),
            _heads(methods),
        ],
    )


def positions(ranks: Sequence[float]) -> list[float]:
    """Return where each agent stands, counted from 0: agents tied share the middle of the places they take up.

    >>> positions([1, 5, 5, 9])
    [0.0, 1.5, 1.5, 3.0]
    """
    return [sum(r < own for r in ranks) + (sum(r == own for r in ranks) - 1) / 2 for own in ranks]


def _place_said(rank: float, method: str, tied: int) -> str:
    """The rank, and with how many it is shared.

    >>> _place_said(2, "borda", 0), _place_said(1, "copeland", 1)
    ('rank 2 by borda', 'rank 1 by copeland, tied with 1 agent')
    """
    said = f"rank {rank:g} by {short(method)}"
    return f"{said}, tied with {counted(tied, 'agent')}" if tied else said


def _ends(labels: Sequence[Spec], ranks: Sequence[float], x: int, side: int) -> list[Spec]:
    """A place of its own for every label, beside the position that its agent may share."""
    order = sorted(range(len(ranks)), key=lambda i: (ranks[i], i))
    return [{**labels[i], "x": x + side * FAN, "y": STEP * (slot + 0.5), "side": side} for slot, i in enumerate(order)]


def _tie_marks(columns: Sequence[Sequence[float]]) -> Spec:
    """A bar over the places that tied agents take up."""
    values = []
    for j, ranks in enumerate(columns):
        for rank in sorted(set(ranks)):
            above, size = sum(r < rank for r in ranks), sum(r == rank for r in ranks)
            if size > 1:
                values.append({"x": j * COLUMN, "y": STEP * (above + 0.5), "end": STEP * (above + size - 0.5)})
    encoding = {"x": pixel("x"), "y": pixel("y"), "y2": {"field": "end"}}
    return layer("rule", "grid", values, encoding, strokeWidth=9, strokeCap="round")


def _bump_lines(points: Sequence[Spec], colour_of: dict[int, int]) -> list[Spec]:
    """Grey lines, and coloured ones over them."""
    bare = [{"row": p["row"], "x": p["x"], "y": p["y"]} for p in sorted(points, key=lambda p: (p["row"], p["x"]))]
    encoding = {"x": pixel("x"), "y": pixel("y"), "detail": {"field": "row"}, "order": {"field": "x"}}
    over = {"condition": {"param": "over", "empty": False, "value": 3}, "value": 1}
    quiet = [p for p in bare if p["row"] not in colour_of]
    bright = [{**p, "colour": colour_of[p["row"]]} for p in bare if p["row"] in colour_of]
    scale = {"domain": sorted(colour_of.values()), "range": "category"}
    colour = {"field": "colour", "type": "ordinal", "scale": scale, "legend": None}
    return [
        layer("line", "line", quiet, {**encoding, "strokeWidth": over}, interpolate="monotone"),
        layer("line", "bright", bright, {**encoding, "color": colour}, interpolate="monotone"),
    ]


def _bump_points(points: Sequence[Spec]) -> Spec:
    """A dot at every position; hovering over it makes its line strong."""
    encoding = {"x": pixel("x"), "y": pixel("y"), "tooltip": {"field": "said"}}
    select = {"type": "point", "on": "pointerover", "clear": "pointerout", "fields": ["row"]}
    return {**layer("circle", "dot", points, encoding, size=36), "params": [{"name": "over", "select": select}]}


def _labels(ends: Sequence[Spec]) -> Spec:
    side = ends[0]["side"] if ends else 1
    encoding = {"x": pixel("x"), "y": pixel("y"), "text": {"field": "label"}, "tooltip": {"field": "agent"}}
    align = "left" if side > 0 else "right"
    return layer("text", "label", ends, encoding, align=align, dx=6 * side, baseline="middle", limit=200)


def _heads(methods: Sequence[str]) -> Spec:
    values = [{"x": j * COLUMN, "label": short(method), "method": method} for j, method in enumerate(methods)]
    encoding = {"x": pixel("x"), "y": {"value": -6}, "text": {"field": "label"}, "tooltip": {"field": "method"}}
    return layer("text", "label", values, encoding, align="left", angle=-35, baseline="middle", limit=200)
