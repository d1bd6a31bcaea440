"""The majority graph: layers, rings, arrows, and what is strong or dotted."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath.evidence import Margins
from beatpath.methods.tournament.solutions import top_cycle
from beatpath.reports.figures import majority_graph
from beatpath.reports.figures.majority_graph import NODE, _node, plotted_layers, ring
from helpers.every_picture import data, values

CYCLE = [[None, 0.6, 0.4, 0.9], [0.4, None, 0.7, 0.9], [0.6, 0.3, None, 0.9], [0.1, 0.1, 0.1, None]]

FOUR = ["ada", "bob", "cyd", "dan"]


@st.composite
def tournaments(draw):
    n = draw(st.integers(1, 7))
    rates = [[None] * n for _ in range(n)]
    for i, j in combinations(range(n), 2):
        share = draw(st.sampled_from([None, 0.25, 0.5, 0.75]))
        rates[i][j], rates[j][i] = share, None if share is None else 1 - share
    return rates


@given(tournaments())
def test_everyone_beats_everyone_in_lower_layers(rates):
    layers = plotted_layers(rates, range(len(rates)))
    assert sorted(i for group in layers for i in group) == list(range(len(rates)))
    for upper, lower in combinations(layers, 2):
        assert all(rates[a][b] is not None and rates[a][b] > 0.5 for a in upper for b in lower)


@given(tournaments())
def test_the_first_layer_is_the_top_cycle_and_no_layer_can_be_parted(rates):
    lead = np.array([[0 if r is None else np.sign(r - 0.5) for r in row] for row in rates], dtype=float)
    layers = plotted_layers(rates, range(len(rates)))
    for k, group in enumerate(layers):
        rest = [i for later in layers[k:] for i in later]
        margins = Margins(lead[np.ix_(rest, rest)], tuple(f"a{i}" for i in rest))
        inside = {int(name[1:]) for name, member in zip(margins.agents, top_cycle(margins), strict=True) if member}
        assert inside == set(group)


@pytest.mark.parametrize("m", range(3, 13))
def test_no_line_of_a_ring_touches_a_third_agent(m):
    places = ring(m)
    for (x, y), (u, v) in combinations(places, 2):
        for p, q in (place for place in places if place not in ((x, y), (u, v))):
            off = abs((u - x) * (q - y) - (v - y) * (p - x)) / np.hypot(u - x, v - y)
            along = ((p - x) * (u - x) + (q - y) * (v - y)) / ((u - x) ** 2 + (v - y) ** 2)
            assert off > NODE + 1 or not 0 < along < 1


@pytest.mark.parametrize("m", range(1, 61))
def test_a_ring_has_a_place_for_everyone_and_labels_do_not_meet(m):
    places = ring(m)
    assert len(places) == len(set(places)) == m
    for side in (1, -1):
        heights = sorted(y for x, y in places if x * side > 0)
        assert all(b - a >= 20 for a, b in pairwise(heights))


def test_a_cycle_that_survives_is_strong_and_what_is_not_resolved_is_dotted():
    resolved = np.ones((4, 4), dtype=bool)
    spec = majority_graph(FOUR, CYCLE, resolved=resolved, core=FOUR[:3], cycles=[("ada", "bob", "cyd")])
    strong = [edge["tooltip"] for edge in data(spec, "rule", "edge-cycle")]
    assert strong == [
        "ada beats bob: 60.0 % of their battles",
        "bob beats cyd: 70.0 % of their battles",
        "cyd beats ada: 60.0 % of their battles",
    ]
    assert [node["label"] for node in data(spec, "circle", "mark")] == FOUR[:3]
    resolved[2, 0] = resolved[0, 2] = False
    spec = majority_graph(FOUR, CYCLE, resolved=resolved, core=FOUR[:3])
    dotted = [edge["tooltip"] for edge in data(spec, "rule", "edge-open")]  # none of the arrows between layers
    assert dotted == ["cyd beats ada: 60.0 % of their battles, not resolved"]


def test_an_arrow_between_layers_is_dotted_unless_all_its_wins_are_resolved():
    resolved = np.ones((4, 4), dtype=bool)
    resolved[1, 3] = False
    arrows = data(majority_graph(FOUR, CYCLE, resolved=resolved), "rule", "edge-open")
    assert [arrow["tooltip"] for arrow in arrows] == ["2 of 3 wins over agents of lower layers resolved"]


def test_agents_of_the_core_are_plotted_before_better_ones():
    spec = majority_graph(FOUR, CYCLE, core=["dan"], most=2)
    assert set(values(spec, "label")) == {"ada", "dan"}


def test_a_head_points_from_winner_to_loser():
    spec = majority_graph(["top", "low"], [[None, 0.5], [0.5, None]])
    assert data(spec, "point", "head") == []  # a tie has none
    spec = majority_graph(FOUR, CYCLE, cycles=[("ada", "bob", "cyd")])
    at = {node["label"]: (node["x"], node["y"]) for node in data(spec, "circle", "dot")}
    first = data(spec, "rule", "edge-cycle")[0]  # ada, at the top, to bob, below to the right
    assert at["ada"][0] < first["x"] < first["u"] < at["bob"][0]
    assert at["ada"][1] < first["y"] < first["v"] < at["bob"][1]
    assert first["turn"] == pytest.approx(135, abs=0.1)  # clockwise from upwards: down to the right


def test_labels_stand_above_the_top_and_below_the_bottom_of_a_ring_and_else_beside():
    box = {"middle": 50.0, "first": 10.0, "size": 4}
    places = {"top": (50.0, 10.0), "bottom": (50.0, 90.0), "left": (10.0, 50.0), "right": (90.0, 50.0)}
    nodes = {where: _node(where, False, at, box) for where, at in places.items()}
    assert {where: node["align"] for where, node in nodes.items()} == {
        "top": "center", "bottom": "center", "left": "right", "right": "left",
    }  # fmt: skip
    assert nodes["top"]["label_y"] < 10
    assert nodes["bottom"]["label_y"] > 90
    assert _node("alone", False, (50.0, 10.0), {**box, "size": 1})["align"] == "left"
