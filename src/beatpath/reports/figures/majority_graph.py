"""The majority graph of the top agents, drawn in layers: every agent beats all agents of lower layers.

The weak majority relation holds between two agents if the first does not lose; a tie, and a pair that was never
compared directly, hold both ways. So it relates every two agents, and its strongly connected components form a chain
in which every agent beats all agents of later components. These components are the layers. Only the inside of a layer
needs edges, since majorities there form cycles. The first layer is the top cycle of the agents shown.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import atan2, degrees, hypot, sqrt

from beatpath._text import counted, percent
from beatpath.methods.graph.relation import majority_layers
from beatpath.reports.figures.common import Grid, Spec, channels, layer, number, part_of, picture, short, texts, whole

MOST_IN_GRAPH = 12  # agents drawn by default
GAP = 24.0  # pixels between layers, for the arrow
ROOM = 28.0  # pixels above and below the agents of a ring
BESIDE = 172.0  # pixels beside them, for names
NODE = 6  # radius of a node in pixels
# Kinds of edges: the styles of their lines and heads, and the size of heads.
KINDS = (("open", "edge-open", "head", 44), ("sure", "edge", "head", 44), ("cycle", "edge-cycle", "head-cycle", 70))
TURN = {"field": "turn", "type": "quantitative", "scale": None}  # the channel that rotates arrowheads

Point = tuple[float, float]  # a position in pixels


def majority_graph(
    agents: Sequence[str],
    rates: Grid,
    counts: Grid | None = None,
    *,
    resolved: Grid | None = None,
    core: Iterable[str] = (),
    cycles: Iterable[Sequence[str]] = (),
    most: int | None = MOST_IN_GRAPH,
) -> Spec:
    """Return the majority graph in layers.

    Parameters
    ----------
    agents : sequence of str
        Best first.
    rates : (n, n)
        Share of battles that the row agent won against the column agent, ties half; NaN or None if never compared
        directly.
    counts : (n, n), optional
        Battles of each pair.
    resolved : (n, n) of bool, optional
        Whether the difference of the pair is statistically significant.
    core : iterable of str
        Agents drawn as filled dots; layers that contain any are outlined.
    cycles : iterable of sequence of str
        Statistically significant cycles: each agent beats the next, and the last the first.
    most : int or None
        Maximum number of agents drawn: those of the core, then the first ones.

    Examples
    --------
    >>> rates = [[None, 0.6, 0.4, 0.9], [0.4, None, 0.7, 0.9], [0.6, 0.3, None, 0.9], [0.1, 0.1, 0.1, None]]
    >>> plotted_layers(rates, [0, 1, 2, 3])
    [[0, 1, 2], [3]]
    >>> agents = ["ada", "bob", "cyd", "dan"]
    >>> majority_graph(agents, rates, core=["ada"], cycles=[("ada", "bob", "cyd")])["title"]["subtitle"][2]
    'strong: part of a cycle that survives the noise'
    """
    inner = {i for i, name in enumerate(agents) if name in set(core)}
    plotted = sorted(sorted(range(len(agents)), key=lambda i: (i not in inner, i))[:most])
    layers = plotted_layers(rates, plotted)
    at, boxes = _layout(layers)
    nodes = [_node(agents[i], i in inner, at[i], box) for box, group in zip(boxes, layers, strict=True) for i in group]
    edges = _edges(agents, rates, counts, resolved, cycles, layers, at)
    spine = _spine(boxes, _below(layers, resolved))
    kinds = {edge["kind"] for edge in (*edges, *spine)}
    legend = ["strong: part of a cycle that survives the noise"] * ("cycle" in kinds)
    legend += ["dotted: not resolved or tied"] * ("open" in kinds)
    outlined = [box for box, group in zip(boxes, layers, strict=True) if inner & set(group)]
    several = [box for box in boxes if box["size"] > 1 and box not in outlined]
    around = channels(x="left", x2="right", y="top", y2="bottom")
    return picture(
        "Majorities among the top agents",
        "by majority an agent beats all agents of lower layers",
        "arrows inside a layer lead from winner to loser" if edges else "",
        "; ".join(legend),
        "filled and circled: the core" if inner else "",
        part_of(len(plotted), len(agents)),
        width=boxes[0]["right"] if boxes else 0.0,
        height=boxes[-1]["bottom"] if boxes else 0.0,
        layer=[
            layer("rect", "band", several, around, cornerRadius=14),
            layer("rect", "outline", outlined, around, cornerRadius=14),
            *_arrows([*spine, *edges]),
            *_nodes(nodes),
        ],
    )


def plotted_layers(rates: Grid, plotted: Sequence[int]) -> list[list[int]]:
    """Return the strongly connected components of the drawn agents under weak majority, top component first.

    >>> plotted_layers([[None, 0.5, None], [0.5, None, 0.8], [None, 0.2, None]], [0, 1, 2])
    [[0, 1, 2]]
    """
    return [
        [plotted[k] for k in block]
        for block in majority_layers([[number(rates[a][b]) for b in plotted] for a in plotted])
    ]


def ring(m: int) -> list[Point]:
    r"""Return ``m`` positions clockwise from the top, in convex position, evenly spaced from top to bottom.

    The right side is :math:`x = w (u + \sqrt u) / 2` with :math:`u = 4 t (1 - t)` at the share *t* of the height,
    halfway between an ellipse and a parabola. So edges stay clear of third nodes, and labels do not touch.

    >>> ring(1), ring(2)
    ([(0.0, 0.0)], [(0.0, 0.0), (0.0, 56.0)])
    >>> ring(3)
    [(0.0, 0.0), (56.0, 56.0), (-56.0, 56.0)]
    """
    k = (m - 1) // 2
    step = max(28.0, 56.0 / max(k, 1))
    wide = max(56.0, 26.0 * k)
    bend = [4 * i * (k + 1 - i) / (k + 1) ** 2 for i in range(1, k + 1)]
    right = [(wide * (u + sqrt(u)) / 2, step * i) for i, u in enumerate(bend, 1)]
    bottom = [(0.0, step * (k + 1))] if m % 2 == 0 else []
    return [(0.0, 0.0), *right, *bottom, *((-x, y) for x, y in reversed(right))]


def _layout(layers: Sequence[Sequence[int]]) -> tuple[dict[int, Point], list[Spec]]:
    """The position of every agent, and the box of every layer."""
    rings = [ring(len(group)) for group in layers]
    middle = max((x for places in rings for x, _ in places), default=0.0) + BESIDE
    at: dict[int, Point] = {}
    boxes: list[Spec] = []
    top = 0.0
    for group, places in zip(layers, rings, strict=True):
        room = ROOM if len(group) > 1 else ROOM / 2
        bottom = top + max(y for _, y in places) + 2 * room
        at |= {i: (middle + x, top + room + y) for i, (x, y) in zip(group, places, strict=True)}
        box = {"top": top, "bottom": bottom, "left": 0.0, "right": 2 * middle}
        boxes.append({**box, "middle": middle, "first": top + room, "size": len(group)})
        top = bottom + GAP
    return at, boxes


def _node(name: str, inside: bool, at: Point, box: Spec) -> Spec:
    """A node with its label: beside it, but above the top and below the bottom of a ring."""
    x, y = at
    edge = 0 if box["size"] == 1 or x != box["middle"] else (-1 if y == box["first"] else 1)
    align = "center" if edge else ("left" if x >= box["middle"] else "right")
    shift = {"left": 12, "right": -12, "center": 0}[align]
    tooltip = f"{whole(name)}{': in the core' if inside else ''}"
    label = {"label": short(name, 24), "label_x": x + shift, "label_y": y + 15 * edge, "align": align}
    return {"x": x, "y": y, **label, "tooltip": tooltip, "core": inside}


def _edges(
    agents: Sequence[str],
    rates: Grid,
    counts: Grid | None,
    resolved: Grid | None,
    cycles: Iterable[Sequence[str]],
    layers: Sequence[Sequence[int]],
    at: dict[int, Point],
) -> list[Spec]:
    """The edges inside layers, from winner to loser; a tie has one line without an arrowhead."""
    strong = {step for one in cycles for step in pairwise([*one, one[0]])}
    edges = []
    for a, b in ((a, b) for group in layers for a in group for b in group if a != b):
        share = number(rates[a][b])
        if share is None or share < 0.5 or (share == 0.5 and a > b):
            continue
        tied, sure = share == 0.5, resolved is None or bool(resolved[a][b])
        of = "their battles" if counts is None else counted(counts[a][b], "battle")
        tooltip = f"{whole(agents[a])} {'ties with' if tied else 'beats'} {whole(agents[b])}: {percent(share)} of {of}"
        kind = "cycle" if (agents[a], agents[b]) in strong else ("sure" if sure and not tied else "open")
        tooltip = tooltip if sure else f"{tooltip}, not resolved"
        edges.append({**_arrow(at[a], at[b]), "kind": kind, "tied": tied, "tooltip": tooltip})
    return edges


def _arrow(start: Point, end: Point) -> dict[str, float]:
    """A line that stops short of both nodes, and the rotation of its arrowhead, clockwise from upward."""
    (x, y), (u, v) = start, end
    length = hypot(u - x, v - y)
    dx, dy = (u - x) / length, (v - y) / length
    line = {"x": x + dx * NODE, "y": y + dy * NODE, "u": u - dx * (NODE + 7), "v": v - dy * (NODE + 7)}
    return {name: round(value, 2) for name, value in {**line, "turn": degrees(atan2(dx, -dy))}.items()}


def _below(layers: Sequence[Sequence[int]], resolved: Grid | None) -> list[tuple[int, int]]:
    """For each layer, how many wins over agents of lower layers are significant, and how many there are.

    >>> _below([[0], [1, 2]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    [(1, 2), (0, 0)]
    """
    wins = [[(a, b) for a in group for lower in layers[k + 1 :] for b in lower] for k, group in enumerate(layers)]
    return [(sum(resolved is None or bool(resolved[a][b]) for a, b in one), len(one)) for one in wins]


def _spine(boxes: Sequence[Spec], below: Sequence[tuple[int, int]]) -> list[Spec]:
    """An arrow from each layer to the next, dotted if not all wins over lower layers are significant."""
    return [
        {
            "x": upper["middle"],
            "y": upper["bottom"] + 3,
            "u": upper["middle"],
            "v": lower["top"] - 8,
            "turn": 180,
            "kind": "sure" if sure == wins else "open",
            "tied": False,
            "tooltip": f"{sure:,} of {counted(wins, 'win')} over agents of lower layers resolved",
        }
        for (upper, lower), (sure, wins) in zip(pairwise(boxes), below, strict=False)
    ]


def _arrows(edges: Sequence[Spec]) -> list[Spec]:
    """Lines with heads, those of cycles on top; a tie has no head."""
    line = channels(x="x", y="y", x2="u", y2="v", tooltip="tooltip")
    end = channels(x="u", y="v", angle=TURN, tooltip="tooltip")
    layers = []
    for kind, style, head, size in KINDS:
        values = [edge for edge in edges if edge["kind"] == kind]
        heads = [edge for edge in values if not edge["tied"]]
        layers.append(layer("rule", style, values, line))
        layers.append(layer("point", head, heads, end, shape="triangle", size=size, filled=True))
    return layers


def _nodes(nodes: Sequence[Spec]) -> list[Spec]:
    dot = channels(x="x", y="y", tooltip="tooltip")
    text = channels(x="label_x", y="label_y", text="label", tooltip="tooltip")
    marks = [
        layer("circle", style, [node for node in nodes if node["core"] == inside], dot, size=100)
        for style, inside in (("mark", True), ("dot", False))
    ]
    return marks + [
        texts([node for node in nodes if node["align"] == side], "label", text, side, limit=150)
        for side in ("left", "right", "center")
    ]
