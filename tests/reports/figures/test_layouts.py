"""Layouts: places that ties share, layers of the majority graph, rings, ranges, and labels that do not meet."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from beatpath.evidence import Margins
from beatpath.methods.tournament.top_cycle import top_cycle
from beatpath.reports.figures import bump, majority_graph, membership, predicted, rank_intervals
from beatpath.reports.figures.bump import positions
from beatpath.reports.figures.majority_graph import NODE, layers, ring
from beatpath.reports.figures.predicted import beside
from beatpath.reports.figures.rank_intervals import ticks
from helpers.every_picture import named, values

CYCLE = [[None, 0.6, 0.4, 0.9], [0.4, None, 0.7, 0.9], [0.6, 0.3, None, 0.9], [0.1, 0.1, 0.1, None]]
FOUR = ["ada", "bob", "cyd", "dan"]


def data(spec, mark, style):
    return next(
        one["data"]["values"] for one in spec["layer"] if (one["mark"]["type"], one["mark"]["style"]) == (mark, style)
    )


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12))
def test_agents_tied_share_the_mean_of_their_places(ranks):
    assert positions(ranks) == (rankdata(ranks, method="average") - 1).tolist()


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=10))
def test_labels_of_a_bump_chart_have_places_of_their_own(ranks):
    spec = bump(named(len(ranks)), ["borda", "elo"], ranks)
    ends = [one["data"]["values"] for one in spec["layer"] if one["mark"]["style"] == "label"][:2]
    for side in ends:
        heights = sorted(label["y"] for label in side)
        assert all(b - a >= 16 for a, b in pairwise(heights))
    points = data(spec, "circle", "dot")
    for column in (0, 1):
        place = {p["row"]: p["y"] for p in points if p["x"] == max(q["x"] for q in points) * column}
        for i, j in combinations(range(len(ranks)), 2):
            assert (place[i] == place[j]) == (ranks[i][column] == ranks[j][column])
            assert (place[i] < place[j]) == (ranks[i][column] < ranks[j][column])


def test_hovering_in_a_bump_chart_tells_the_rank_among_all_agents():
    spec = bump(["ada", "bob", "cyd"], ["borda"], [[1], [3], [1]], most=2)
    assert [p["said"] for p in data(spec, "circle", "dot")] == [
        "ada: rank 1 by borda, tied with 1 agent",
        "bob: rank 3 by borda",
    ]


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
    found = layers(rates, range(len(rates)))
    assert sorted(i for group in found for i in group) == list(range(len(rates)))
    for upper, lower in combinations(found, 2):
        assert all(rates[a][b] is not None and rates[a][b] > 0.5 for a in upper for b in lower)


@given(tournaments())
def test_the_first_layer_is_the_top_cycle_and_no_layer_can_be_parted(rates):
    lead = np.array([[0 if r is None else np.sign(r - 0.5) for r in row] for row in rates], dtype=float)
    found = layers(rates, range(len(rates)))
    for k, group in enumerate(found):
        rest = [i for later in found[k:] for i in later]
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
    strong = [edge["said"] for edge in data(spec, "rule", "edge-cycle")]
    assert strong == [
        "ada beats bob: 60 % of their battles",
        "bob beats cyd: 70 % of their battles",
        "cyd beats ada: 60 % of their battles",
    ]
    assert [node["label"] for node in data(spec, "circle", "mark")] == FOUR[:3]
    resolved[2, 0] = resolved[0, 2] = False
    spec = majority_graph(FOUR, CYCLE, resolved=resolved, core=FOUR[:3])
    assert [edge["said"] for edge in data(spec, "rule", "edge-open")] == []  # of the arrows between layers
    dotted = [one for one in spec["layer"] if one["mark"]["style"] == "edge-open"][-1]["data"]["values"]
    assert [edge["said"] for edge in dotted] == ["cyd beats ada: 60 % of their battles, not resolved"]


def test_an_arrow_between_layers_is_dotted_unless_all_its_wins_are_resolved():
    resolved = np.ones((4, 4), dtype=bool)
    resolved[1, 3] = False
    arrows = data(majority_graph(FOUR, CYCLE, resolved=resolved), "rule", "edge-open")
    assert [arrow["said"] for arrow in arrows] == ["2 of 3 wins over agents of lower layers resolved"]


def test_agents_of_the_core_are_drawn_before_better_ones():
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


def test_bands_stand_behind_tie_groups_of_several_agents():
    group = [1, 1, 2, 3, 3, 3, 0, 0]
    rows = [{"agent": str(i), "rank": i + 1, "best": 1, "worst": 8, "group": g} for i, g in enumerate(group)]
    bands = data(rank_intervals(rows), "rect", "band")
    assert [(round(band["top"] + 0.46), round(band["end"] - 0.46)) for band in bands] == [(0, 1), (3, 5)]


def test_an_agent_without_a_score_has_a_range_and_no_tick():
    rows = [{"agent": "ada", "rank": 1, "best": 1, "worst": 1, "group": 1}]
    rows += [{"agent": "bob", "rank": 0, "best": 1, "worst": 2, "group": 0}]
    spec = rank_intervals(rows)
    assert [tick["rank"] for tick in data(spec, "tick", "point")] == [1]
    assert [bar["said"] for bar in data(spec, "rule", "mark-pale")] == [
        "bob: no score, with 95 % confidence between 1 and 2"
    ]
    assert [dot["said"] for dot in data(spec, "circle", "mark")] == ["ada: rank 1, with 95 % confidence no other"]


@given(st.integers(1, 3000))
def test_ranks_on_the_axis_run_from_first_to_last_and_leave_each_other_room(last):
    shown = ticks(last)
    assert (shown[0], shown[-1]) == (1, last)
    assert shown == sorted(set(shown))
    assert min(np.diff(shown), default=1) / max(last - 1, 1) >= 0.04


def test_members_by_majority_stand_in_full_ink():
    rows = [
        {"agent": name, "probability": None, "top_cycle": 0.5, "uncovered_set": 0.25, "member": name == "ada"}
        for name in ("ada", "bob")
    ]
    spec = membership(rows)
    assert [label["label"] for label in data(spec, "text", "label")] == ["ada"]
    assert [label["label"] for label in data(spec, "text", "label-quiet")] == ["bob"]
    assert data(spec, "rule", "mark-pale") == []
    assert {point["kind"] for point in data(spec, "point", "dots")} == {
        "soft top cycle score",
        "soft uncovered set score",
    }


def pair(observed, expected, low, high, battles=10, agent="ada", rival="bob"):
    ends = {"low": low, "high": high}
    return {"agent": agent, "rival": rival, "observed": observed, "predicted": expected, "battles": battles, **ends}


def test_a_pair_is_seen_from_the_agent_that_is_favoured_whichever_way_it_comes():
    one, other = (
        predicted([pair(0.3, 0.4, 0.2, 0.35)]),
        predicted([pair(0.7, 0.6, 0.65, 0.8, agent="bob", rival="ada")]),
    )
    assert one == other


def test_pairs_with_the_prediction_outside_their_interval_are_misfits_and_the_worst_are_named():
    pairs = [pair(0.5, 0.6, 0.4, 0.65, rival="fits"), pair(0.5, 0.9, 0.4, 0.6, rival="worst"), pair(0.5, 0.7, 0.4, 0.6)]
    spec = predicted(pairs, named=1)
    assert spec["title"]["subtitle"][1].startswith("orange: 2 of 3 pairs")
    assert len(data(spec, "circle", "mark-contrast")) == 2
    assert spec["layer"][-1]["data"]["values"][0]["text"] == "1  ada against worst"
    none = predicted(pairs[:1])
    assert none["title"]["subtitle"][1] == "every prediction lies within the 95 % interval of its pair"


@given(st.lists(st.tuples(st.floats(0, 360), st.floats(0, 360)), min_size=1, max_size=3, unique=True))
def test_numbers_beside_points_do_not_cover_each_other(points):
    spots = beside(points)
    for one, other in combinations(spots, 2):
        assert np.hypot(one[0] - other[0], one[1] - other[1]) >= 12
