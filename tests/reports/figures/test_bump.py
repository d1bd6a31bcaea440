"""Methods side by side: places that ties share, and labels with places of their own."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from beatpath.reports.figures import bump
from beatpath.reports.figures.lines import positions
from helpers.every_picture import data, named


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
    assert [p["tooltip"] for p in data(spec, "circle", "dot")] == [
        "ada: rank 1 by borda, tied with 1 agent",
        "bob: rank 3 by borda",
    ]


def test_marked_agents_that_are_shown_have_a_color_each():
    names = named(5)
    spec = bump(names, ["borda", "elo"], [[i, i] for i in range(1, 6)], marked=[names[4], names[2], names[0]], most=4)
    bright, quiet = data(spec, "line", "bright"), data(spec, "line", "line")
    assert {(one["row"], one["color"]) for one in bright} == {(2, 1), (0, 2)}
    assert {one["row"] for one in quiet} == {1, 3}
