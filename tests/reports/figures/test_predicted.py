"""Bradley-Terry predictions against observed rates: residuals and their numbers."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beatpath.reports.figures import predicted
from beatpath.reports.figures.predicted import beside
from helpers.every_picture import data


def pair(observed, expected, low, high, battles=10, agent="ada", rival="bob"):
    ends = {"low": low, "high": high}
    return {"agent": agent, "rival": rival, "observed": observed, "predicted": expected, "battles": battles, **ends}


def test_a_pair_is_seen_from_the_agent_that_is_favored_whichever_way_it_comes():
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
