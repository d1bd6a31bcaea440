"""Copies of rows."""

from beatpath.checks import check
from beatpath.evidence import Battles, Factor, Scores
from helpers.worlds import factor

ROWS = [("x", "y", 1), ("x", "y", 1), ("x", "y", 0), ("y", "x", 1)]


def test_rows_equal_in_every_column_are_copies():
    finding = check(Battles.of(ROWS, factors={"task": factor([1, 1, 2, 3])}))["duplicates"]
    assert finding.figures == {"count": 1, "rows": 4, "share": 0.25}
    assert finding.status == "warning"


def test_a_difference_in_any_column_makes_another_row():
    same = {"factors": {"task": factor([1, 1, 2, 3])}}
    for column in ({"time": [1.0, 2.0, 3.0, 4.0]}, {"weight": [1, 2, 1, 1]}, {"position": [1, -1, 1, 1]}):
        assert check(Battles.of(ROWS, **same, **column))["duplicates"].figures["count"] == 0
    different = {"task": factor([1, 1, 2, 3]), "judge": factor([1, 2, 3, 4])}
    assert check(Battles.of(ROWS, factors=different))["duplicates"].figures["count"] == 0


def test_unknown_times_are_equal():
    columns = {"time": [float("nan")] * 4, "factors": {"task": factor([1, 1, 2, 3])}}
    assert check(Battles.of(ROWS, **columns))["duplicates"].figures["count"] == 1


def test_without_a_column_beyond_the_pair_nobody_can_say():
    assert check(Battles.of(ROWS))["duplicates"].status == "not run"
    assert check(Battles.of(ROWS, factors={"task": Factor.of([None] * 4)}))["duplicates"].status == "not run"


def test_a_coarse_column_with_differing_outcomes_makes_no_claim():
    rows = [("x", "y", i % 2) for i in range(40)]
    finding = check(Battles.of(rows, factors={"task": factor([i // 20 for i in range(40)])}))["duplicates"]
    assert finding.status == "not run"
    assert "cannot tell a copy" in finding.sentence


def test_a_file_read_three_times_is_detected_although_every_row_is_shared():
    rows = [("x", "y", i % 2) for i in range(40)] * 3
    finding = check(Battles.of(rows, factors={"task": factor([*range(40)] * 3)}))["duplicates"]
    assert (finding.status, finding.figures["count"]) == ("warning", 80)


def test_scores_need_an_item_or_a_replicate_to_be_distinguished():
    task, seed = Factor.of(["t", "t", "t"]), Factor.of(["1", "1", "2"])
    assert check(Scores(("x", "y"), [0, 0, 1], [1, 1, 1], {"task": task}))["duplicates"].status == "not run"
    twice = Scores(("x", "y"), [0, 0, 1], [1, 1, 1], {"task": task, "replicate": seed})
    assert check(twice)["duplicates"].figures["count"] == 1


def test_a_copy_among_distinct_rows_is_counted_although_another_repeat_differs():
    rows = [("x", "y", 1)] * 41 + [("x", "y", 0)]
    finding = check(Battles.of(rows, factors={"task": factor([*range(40), 0, 1])}))["duplicates"]
    assert (finding.status, finding.figures["count"]) == ("warning", 1)
