"""The board: an agent's place by score, or, without scores, by the methods."""

import pytest

from beatpath import Margins, Pairs, compare_methods, core, resolve
from beatpath.analysis.board_rows import Row, agents_by_place, board_rows

PAIRS = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[30, 70, 0, 0], [10, 90, 0, 0], [25, 75, 0, 0]])


def test_scores_decide_the_order_where_there_are_some():
    assert agents_by_place(PAIRS.agents, resolve(PAIRS).ranks, None) == ["cyd", "bob", "ada"]


def test_without_scores_the_mean_rank_decides_and_without_methods_the_name():
    margins = Margins.from_wins([[0, 1, 0], [2, 0, 0], [5, 5, 0]], ["ada", "bob", "cyd"])
    assert agents_by_place(margins.agents, None, compare_methods(margins, ["copeland", "schulze"])) == [
        "cyd",
        "bob",
        "ada",
    ]
    assert agents_by_place(("bob", "ada"), None, None) == ["ada", "bob"]


def test_a_row_holds_what_ranks_core_and_methods_say():
    resolution, comparison = resolve(PAIRS), compare_methods(PAIRS, ["copeland"])
    rows = board_rows(["cyd", "bob", "ada"], resolution, core(PAIRS), comparison, {"cyd": 200})
    assert [(row.agent, row.rank, row.ranks["copeland"]) for row in rows] == [
        ("cyd", 1, 1),
        ("bob", 2, 2),
        ("ada", 3, 3),
    ]
    assert rows[0].battles == 200
    assert rows[1].battles == 200  # of the resolution, which counts what its unit says
    assert rows[0].score == pytest.approx((0.9 + 0.75) / 2, abs=0.01)  # shrunk a little toward one half


@pytest.mark.parametrize(("chance", "expected"), [(0.99, "inside"), (0.5, "maybe"), (0.01, "outside"), (None, "")])
def test_membership_is_certain_only_near_zero_and_one(chance, expected):
    assert Row("ada", *[None] * 11, chance, None, {}).membership == expected
