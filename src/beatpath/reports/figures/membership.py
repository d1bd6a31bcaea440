"""Who belongs to the core: how probable it is, and how strongly by the soft operators."""

from collections.abc import Mapping, Sequence
from typing import Any

from beatpath._text import percent
from beatpath.reports.figures.common import MOST, Spec, layer, names, number, part_of, picture, place, row_labels

STEP = 22
WIDTH = 300
KINDS = {
    "probability": "probability to be in the top cycle",
    "top_cycle": "soft top cycle score",
    "uncovered_set": "soft uncovered set score",
}


def membership(
    rows: Sequence[Mapping[str, Any]], *, title: str = "Who belongs to the core", most: int | None = MOST
) -> Spec:
    """Return one row an agent: the probability that it belongs to the core, and its soft scores.

    Parameters
    ----------
    rows : sequence of mapping
        In the order to draw: ``agent``, ``probability``, ``top_cycle``, ``uncovered_set``, each from 0 to 1 or None, and
        ``member``, whether the agent is in the top cycle by majority.
    title : str
    most : int or None
        At most so many agents are drawn, the first ones.

    Examples
    --------
    >>> row = {"agent": "ada", "probability": 0.9, "top_cycle": 0.7, "uncovered_set": None, "member": True}
    >>> membership([row])["layer"][-1]["data"]["values"][0]["said"]
    'ada: in the core by majority; probability to be in the top cycle 90 %; soft top cycle score 0.700'
    """
    drawn = rows[:most]
    labels = names([row["agent"] for row in drawn])
    values = []
    for label, row in zip(labels, drawn, strict=True):
        said = f"{label['agent']}: {_membership_said(row)}"
        given = {kind: number(row.get(kind)) for kind in KINDS}
        values += [
            {"row": label["row"], "kind": KINDS[kind], "value": value, "said": said}
            for kind, value in given.items()
            if value is not None
        ]
    inside = [label for label, row in zip(labels, drawn, strict=True) if row["member"]]
    outside = [label for label, row in zip(labels, drawn, strict=True) if not row["member"]]
    n = len(drawn)
    return picture(
        title,
        "names in full ink: in the core by majority",
        part_of(n, len(rows)),
        width=WIDTH,
        height=STEP * n,
        layer=[
            row_labels(inside, n=n),
            row_labels(outside, "label-quiet", n=n),
            _stems(values, n),
            _membership_points(values, n),
        ],
    )


def _membership_said(row: Mapping[str, Any]) -> str:
    words = ["in the core by majority" if row["member"] else "not in the core by majority"]
    if (chance := number(row.get("probability"))) is not None:
        words.append(f"{KINDS['probability']} {percent(chance)}")
    soft = ((KINDS[kind], number(row.get(kind))) for kind in ("top_cycle", "uncovered_set"))
    return "; ".join([*words, *(f"{kind} {value:.3f}" for kind, value in soft if value is not None)])


def _chance_axis(field: str) -> Spec:
    axis = {"orient": "top", "title": None, "values": [0, 0.2, 0.4, 0.6, 0.8, 1], "format": ".1f"}
    return {"field": field, "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": axis}


def _stems(values: Sequence[Spec], n: int) -> Spec:
    """A stem from 0 to the probability."""
    stems = [{**value, "zero": 0} for value in values if value["kind"] == KINDS["probability"]]
    encoding = {
        "y": place("row", n, down=True),
        "x": _chance_axis("zero"),
        "x2": {"field": "value"},
        "tooltip": {"field": "said"},
    }
    return layer("rule", "mark-pale", stems, encoding, strokeWidth=6)


def _membership_points(values: Sequence[Spec], n: int) -> Spec:
    kinds = [kind for kind in KINDS.values() if any(value["kind"] == kind for value in values)]
    shapes = dict(zip(KINDS.values(), ("circle", "diamond", "triangle-up"), strict=True))
    scale = {"domain": kinds, "range": [shapes[kind] for kind in kinds]}
    legend = {"title": None, "orient": "bottom", "direction": "vertical", "columns": 1, "symbolSize": 90}
    encoding = {
        "y": place("row", n, down=True),
        "x": _chance_axis("value"),
        "shape": {"field": "kind", "type": "nominal", "scale": scale, "legend": legend},
        "color": {"field": "kind", "type": "nominal", "scale": {"domain": kinds, "range": "category"}},
        "tooltip": {"field": "said"},
    }
    return layer("point", "dots", values, encoding, size=60, filled=True)
