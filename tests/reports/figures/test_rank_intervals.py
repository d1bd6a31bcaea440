"""Ranges of ranks: bands, ticks, and an axis from first to last."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from beatpath.reports.figures import rank_intervals
from beatpath.reports.figures.rows import ticks
from helpers.every_picture import data


def test_bands_stand_behind_tie_groups_of_several_agents():
    group = [1, 1, 2, 3, 3, 3, 0, 0]
    rows = [{"agent": str(i), "rank": i + 1, "best": 1, "worst": 8, "group": g} for i, g in enumerate(group)]
    bands = data(rank_intervals(rows), "rect", "band")
    assert [(round(band["top"] + 0.46), round(band["end"] - 0.46)) for band in bands] == [(0, 1), (3, 5)]


def test_an_agent_without_a_score_has_a_range_and_no_tick():
    rows = [{"agent": "ada", "rank": 1, "best": 1, "worst": 1, "group": 1}]
    rows += [{"agent": "bob", "rank": 0, "best": 1, "worst": 2, "group": 0}]
    spec = rank_intervals(rows)
    assert [tick["rank"] for tick in data(spec, "rect", "point")] == [1]
    assert [bar["tooltip"] for bar in data(spec, "rule", "mark-pale")] == [
        "bob: no score, between 1 and 2 at 95 % confidence"
    ]
    assert [dot["tooltip"] for dot in data(spec, "circle", "mark")] == [
        "ada: rank 1, the only possible rank at 95 % confidence"
    ]


@given(st.integers(1, 3000))
def test_ranks_on_the_axis_run_from_first_to_last_and_leave_each_other_room(last):
    shown = ticks(last)
    assert (shown[0], shown[-1]) == (1, last)
    assert shown == sorted(set(shown))
    assert min(np.diff(shown), default=1) / max(last - 1, 1) >= 0.04
