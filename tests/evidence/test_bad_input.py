"""Bad evidence gets a sentence that names the row, the agent and the value."""

import numpy as np
import pytest

from beatpath import Ballots, Battles, DataError, Factor, Margins, Pairs, Scores, UsageError, WinRates

BAD = {
    "an agent that meets itself": (lambda: Battles(("x", "y"), [0, 1], [1, 1], [1, 0]), "'y' is in row 2"),
    "an outcome above one": (lambda: Battles.of([("x", "y", 1.5)]), "got 1.5 for 'x', 'y' in row 1"),
    "an outcome that is NaN": (lambda: Battles.of([("x", "y", np.nan)]), "got nan"),
    "a negative weight": (lambda: Battles.of([("x", "y", 1)], weight=[-2]), "got -2 in row 1"),
    "a weight too few": (lambda: Battles.of([("x", "y", 1)], weight=[]), "must have 1 values"),
    "both bad with a winner": (lambda: Battles.of([("x", "y", 1)], both_bad=[True]), "outcome 0.5"),
    "a position of two": (lambda: Battles.of([("x", "y", 1)], position=[2]), r"\+1 \(a first\)"),
    "names that repeat": (lambda: Battles(("x", "x"), [0], [1], [1]), "'x' stand more than once"),
    "names that are no text": (lambda: Battles((1, "x"), [0], [1], [1]), "must be text; got '1'"),
    "a code without agent": (lambda: Battles(("x", "y"), [0], [2], [1]), "codes from 0 to 1"),
    "a ballot naming an agent twice": (lambda: Ballots.of([[["x"], ["y"], ["x"]]]), "ballot 1 names 'x' twice"),
    "a ballot with a stranger": (lambda: Ballots.of([[["z"]]], agents=["x"]), "'z' is not"),
    "a negative ballot count": (lambda: Ballots.of([[["x"]]], count=[-1]), "got -1"),
    "an infinite score": (lambda: Scores(("x",), [0], [np.inf]), "got inf for 'x' in row 1"),
    "a direction of nothing": (
        lambda: Scores.from_table([[1.0]], ["x"], ["t"], higher_is_better={"u": True}),
        "'u' are neither",
    ),
    "a negative count": (lambda: Pairs(("x", "y"), [0], [1], [[1, -1, 0, 0]]), "got -1 losses in row 1"),
    "a pair out of order": (lambda: Pairs(("x", "y"), [1], [0], [[1, 0, 0, 0]]), "a < b"),
    "margins that do not mirror": (lambda: Margins([[0, 1], [1, 0]], ["x", "y"]), "got 1 for 'x' over 'y' but 1"),
    "margins that are NaN": (lambda: Margins([[0, np.nan], [0, 0]], ["x", "y"]), "got nan for 'x' over 'y'"),
    "rates that do not add up": (lambda: WinRates([[0.5, 0.7], [0.7, 0.5]], ["x", "y"]), "got 0.7 for 'x' over 'y'"),
    "levels out of order": (lambda: Factor([0], ("b", "a")), "distinct and sorted"),
}


@pytest.mark.parametrize(("make", "message"), BAD.values(), ids=BAD)
def test_it_is_refused_with_a_sentence(make, message):
    with pytest.raises(DataError, match=message):
        make()


def test_an_unknown_policy_is_refused_with_the_policies_there_are():
    pairs = Battles.of([("x", "y", 1)]).pairs()
    with pytest.raises(UsageError, match=r"one of half, drop, keep; got 'halve'\. Did you mean 'half'"):
        pairs.settle(ties="halve")
    with pytest.raises(UsageError, match="must name a key"):
        pairs.by("cluster")
    with pytest.raises(UsageError, match="must be half or drop"):
        pairs.wins(ties="keep")


def test_task_weights_must_name_tasks_and_be_usable():
    scores = Scores.from_table([[1.0, 2.0], [2.0, 1.0]], ["x", "y"], ["math", "code"])
    assert scores.ballots(weights={"math": 3}).total.tolist() == [1.0, 3.0]  # tasks in sorted order: code, math
    for weights, message in [({"mth": 1}, "Did you mean 'math'"), ({"math": -1}, "not negative")]:
        with pytest.raises(UsageError, match=message):
            scores.ballots(weights=weights)
    with pytest.raises(UsageError, match="not all zero"):
        scores.ballots(weights={"math": 0, "code": 0})


def test_missing_scores_follow_the_named_policy():
    scores = Scores.from_table([[1.0, 2.0], [2.0, np.nan]], ["x", "y"], ["code", "math"])
    assert list(scores.ballots(missing="unranked")) == [[("y",), ("x",)], [("x",)]]
    assert list(scores.ballots(missing="last")) == [[("y",), ("x",)], [("x",), ("y",)]]
    assert list(scores.ballots(missing="drop_task")) == [[("y",), ("x",)]]
    with pytest.raises(DataError, match="'y' has none on 'math'"):
        scores.ballots(missing="error")


def test_scores_within_the_tolerance_of_the_best_of_their_group_tie():
    scores = Scores.from_table([[3.0], [2.6], [2.2], [1.0]], ["p", "q", "r", "s"], ["t"])
    assert list(scores.ballots(tolerance=0.5)) == [[("p", "q"), ("r",), ("s",)]]  # r is close to q, not to p


def test_lower_is_better_turns_the_order_round():
    scores = Scores.from_table([[3.0], [2.0]], ["p", "q"], ["loss"], higher_is_better={"loss": False})
    assert list(scores.ballots()) == [[("q",), ("p",)]]


def test_items_count_once_however_often_they_were_run():
    item = Factor.of(["i", "i", "i", "j"])
    task = Factor.of(["t"] * 4)
    scores = Scores(("x",), [0] * 4, [1.0, 1.0, 1.0, 0.0], {"task": task, "item": item})
    table, _ = scores.table()
    assert table.tolist() == [[0.5]]


def test_evidence_cannot_be_written_to():
    battles = Battles.of([("x", "y", 1)])
    with pytest.raises(ValueError, match="read-only"):
        battles.outcome[0] = 0
    source = np.array([1.0])
    copied = Battles(("x", "y"), [0], [1], source)
    source[0] = 0
    assert copied.outcome[0] == 1
